// Paragraphs and how often each occurs, by hash, in partitions that may lie on disk.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/spill.h"

namespace uzushio {

// The hash that statistics are keyed by: XXH64 with seed 42 of the UTF-8 text, as Spark's xxhash64 has it. Hashes are
// ordered as signed numbers.
int64_t ParagraphHash(std::string_view text);

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
  int64_t given_repr = 0;  // a pivot given by other statistics; `hash` where there is none
  uint32_t count = 0;      // saturates
  uint32_t text_bytes = 0;
};
static_assert(sizeof(CountedHeader) == 24);

// No paragraph is longer, so that sizes of records fit 32 bits.
inline constexpr size_t kMaxParagraphBytes = size_t{1} << 30;

constexpr uint32_t AddSaturating(uint32_t a, uint32_t b) { return a > UINT32_MAX - b ? UINT32_MAX : a + b; }

// Counts paragraphs of one thread, and hands them on when a few MiB have gathered: a paragraph that is in every
// document is handed on once for thousands.
class ParagraphCounter {
 public:
  ParagraphCounter(SpillPartitions* target, const HashPartitioning& partitioning, size_t buffer_bytes);

  arrow::Status Add(std::string_view text) { return Add(ParagraphHash(text), text, 1, ParagraphHash(text)); }
  // Errors: a text of more than kMaxParagraphBytes.
  arrow::Status Add(int64_t hash, std::string_view text, uint32_t count, int64_t given_repr);
  // Hands on what is left.
  arrow::Status Finish();

 private:
  struct Slot {
    CountedHeader header;
    size_t offset = 0;  // of the text in texts_
    bool used = false;
  };
  arrow::Status HandOn();

  SpillPartitions::Writer writer_;
  HashPartitioning partitioning_;
  std::vector<Slot> slots_;
  std::vector<size_t> used_;
  std::string texts_;
};

// Calls `use(CountedHeader, text)` for each hash of a partition's bytes, in order of hashes: counts added up, the least
// of the given pivots, and of several texts (by a collision of hashes) the least.
arrow::Status ForEachCounted(const Bytes& partition,
                             const std::function<arrow::Status(const CountedHeader&, std::string_view)>& use);

}  // namespace uzushio
