// Paragraphs and how often each occurs, by hash, in partitions that may lie on disk.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/spill.h"

namespace uzushio {

// Partitions by the highest bits of the hash: each is a range of hashes, in order.
class HashPartitioning {
 public:
  explicit HashPartitioning(int bits) : bits_(bits) {}
  size_t count() const { return size_t{1} << bits_; }
  size_t operator()(int64_t hash) const {
    return static_cast<size_t>((static_cast<uint64_t>(hash) ^ uint64_t{1} << 63) >> (64 - bits_));
  }

 private:
  int bits_;  // 1 to 12
};

// A counted paragraph as it is spilled; its text follows. A hash whose text is not known has none.
struct CountedHeader {
  int64_t hash = 0;
  int64_t given_pivot = 0;  // a pivot given by other statistics; `hash` where there is none
  uint32_t count = 0;       // saturates, as all counts here
  uint32_t given_near = 0;  // how often near-duplicates occur in other statistics, whose texts are not known
  uint32_t text_bytes = 0;
  uint32_t unused = 0;
};
static_assert(sizeof(CountedHeader) == 32);

// No paragraph is longer, so that sizes of records fit 32 bits.
inline constexpr size_t kMaxParagraphBytes = size_t{1} << 30;

constexpr uint32_t AddSaturating(uint32_t a, uint32_t b) { return a > UINT32_MAX - b ? UINT32_MAX : a + b; }

// Counts paragraphs of one thread, and hands them on when a few MiB have gathered: a paragraph that is in every
// document is handed on once for thousands.
class ParagraphCounter {
 public:
  ParagraphCounter(SpillPartitions* target, const HashPartitioning& partitioning, size_t buffer_bytes);

  // A paragraph that occurs once more. Errors: it is longer than kMaxParagraphBytes, or temporary data can't be
  // written.
  arrow::Status Add(std::string_view text);
  // What statistics say of a paragraph: `header` without the length of the text.
  arrow::Status Add(CountedHeader header, std::string_view text);
  // Hands on what is left.
  arrow::Status Finish();

 private:
  struct Slot {
    CountedHeader header;
    size_t offset = 0;  // of the text in texts_
    bool used = false;
  };
  arrow::Status Flush();

  SpillPartitions::Writer writer_;
  HashPartitioning partitioning_;
  std::vector<Slot> slots_;
  std::vector<size_t> used_;
  std::string texts_;
};

// What was counted in a partition, which is taken: added up whenever it grows by more than `most` bytes, or to twice
// its size, so that a paragraph that was handed on a million times needs no more than `most`.
arrow::Result<Bytes> TakeCounted(SpillPartitions* counted, size_t partition, int64_t most);

// Calls `use(CountedHeader, text)` for each hash of a partition's bytes, in order of hashes: counts added up, the least
// of the given pivots, and of several texts (by a collision of hashes) the least.
arrow::Status ForEachCounted(const Bytes& partition,
                             const std::function<arrow::Status(const CountedHeader&, std::string_view)>& use);

}  // namespace uzushio
