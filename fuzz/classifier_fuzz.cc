// Any bytes as a language model, as they are and with right checksums: read or refused, and what is read scores texts.
#include <xxhash.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "lang/classifier.h"

namespace {

constexpr size_t kHeader = 64;

void Read(std::string_view bytes) {
  const auto model = uzushio::LanguageClassifier::Read(bytes, "fuzz");
  if (!model.ok()) return;
  const double score = (*model)->Score(bytes);
  if (score != score || (*model)->IsJapanese(bytes) != (score > 0)) std::abort();
  if ((*model)->Score(bytes) != score) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  Read(bytes);
  if (size < kHeader) return 0;
  const uint64_t behind = XXH3_64bits(bytes.data() + kHeader, size - kHeader);
  std::memcpy(bytes.data() + 32, &behind, sizeof behind);
  const uint64_t header = XXH3_64bits(bytes.data(), 40);
  std::memcpy(bytes.data() + 40, &header, sizeof header);
  Read(bytes);
  return 0;
}
