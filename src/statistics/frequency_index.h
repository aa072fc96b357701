// The frequency index: how often paragraphs occur, by hash, in a file that is mapped into memory.
//
// Format, version 1, little-endian:
//
//   header     64 bytes: "UZUFREQ\0", version and 4 bytes of entry size as uint32, zeros
//   entries    16 bytes each, in order of hashes: hash int64, exactFreq int32, nearFreq int32; near_freq > 1 only
//   directory  uint64 each, 2^bits + 1 of them: how many entries have a hash whose highest `bits` bits are less than i
//              (the sign bit flipped, so that the order is that of the entries)
//   footer     64 bytes: "UZUFREQ\0", version uint32, bits uint32, number of entries uint64, XXH3-64 of all before the
//              footer uint64, XXH3-64 of the footer's bytes before it uint64, zeros
#pragma once

#include <arrow/io/file.h>
#include <arrow/result.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/hashed_file.h"
#include "storage/output_names.h"

namespace uzushio {

inline constexpr OutputName kFrequencyIndexName = {".uzushio/frequency.index", "_frequency.index"};

struct FrequencyEntry {
  int64_t hash = 0;
  int32_t exact_freq = 0;
  int32_t near_freq = 0;
};
static_assert(sizeof(FrequencyEntry) == 16);

struct Frequencies {
  int32_t exact_freq = 1;
  int32_t near_freq = 1;
  bool operator==(const Frequencies&) const = default;
};

// Writes an index from front to back.
class FrequencyIndexWriter {
 public:
  static arrow::Result<std::unique_ptr<FrequencyIndexWriter>> Create(const std::filesystem::path& path);
  ~FrequencyIndexWriter();
  // Hashes must increase.
  arrow::Status Append(const FrequencyEntry& entry);
  // Completes and syncs the file.
  arrow::Status Finish();
  const HashedFile& file() const { return *file_; }
  int64_t entries() const { return count_; }

 private:
  explicit FrequencyIndexWriter(std::shared_ptr<HashedFile> file);
  arrow::Status Write(const void* data, size_t bytes);
  arrow::Status Flush();

  std::shared_ptr<HashedFile> file_;
  int64_t count_ = 0;
  int64_t last_hash_ = 0;
  std::vector<uint64_t> directory_;  // of the finest size, until the number of entries is known
  std::vector<FrequencyEntry> buffer_;
  struct Checksum;
  std::unique_ptr<Checksum> checksum_;
};

// The checksum of an index, its file's last kFrequencyIndexFooterBytes given: what tells it apart, without reading it.
// `name` is for the error.
inline constexpr size_t kFrequencyIndexFooterBytes = 64;
arrow::Result<uint64_t> FrequencyIndexChecksum(std::string_view footer, const std::string& name);

// A mapped index. Threads may share it.
class FrequencyIndex {
 public:
  // Maps the file, local only. A file that is no index, of another version, cut off or damaged is an error that says
  // so; the whole file is read once for its checksum.
  static arrow::Result<std::shared_ptr<FrequencyIndex>> Open(const std::string& path);

  // An index in memory. Of entries of one hash, one counts.
  static std::shared_ptr<FrequencyIndex> Make(std::vector<FrequencyEntry> entries);

  int64_t size() const { return static_cast<int64_t>(entries_.size()); }
  // Of all that is in it: equal indexes, equal checksums.
  uint64_t checksum() const { return checksum_; }
  // The entry of a hash, or null.
  const FrequencyEntry* Find(int64_t hash) const;
  // The frequencies of each hash; 1 and 1 for those that are not there. The spans are of equal length.
  void LookUp(std::span<const int64_t> hashes, std::span<Frequencies> frequencies) const;

 private:
  FrequencyIndex() = default;

  std::shared_ptr<arrow::io::MemoryMappedFile> file_;
  std::shared_ptr<arrow::Buffer> bytes_;
  std::vector<FrequencyEntry> made_;  // entries and directory of an index in memory
  std::array<uint64_t, 2> made_directory_{};
  std::span<const FrequencyEntry> entries_;
  std::span<const uint64_t> directory_;
  int bits_ = 0;
  uint64_t checksum_ = 0;
};

}  // namespace uzushio
