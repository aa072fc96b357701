// What a table of metrics has besides the metrics.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace uzushio {

inline constexpr const char* kMetricsFile = "metrics.parquet";

// Of a document's plain text: as it came, and after the chain's filters that change paragraphs.
struct TextSizes {
  int64_t characters = 0;
  int64_t bytes = 0;
  int64_t kept_characters = 0;
  int64_t kept_bytes = 0;
};

// The columns behind those of the chain, int64; no metric has such a name.
inline constexpr std::array<const char*, 4> kSizeColumns = {"characters", "bytes", "keptCharacters", "keptBytes"};
inline std::array<int64_t, 4> ValuesOf(const TextSizes& sizes) {
  return {sizes.characters, sizes.bytes, sizes.kept_characters, sizes.kept_bytes};
}

// Documents are sampled by it: those of the least are the same ones everywhere. XXH64, seed 0.
uint64_t SampleHash(std::string_view doc_id);

}  // namespace uzushio
