// How many distinct values any two datasets share. Out of core: hashes of values, with their datasets' numbers, are
// brought together in partitions, sorted, and counted.
#pragma once

#include <arrow/result.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/memory_plan.h"
#include "storage/spill.h"

namespace uzushio {

enum class ValueKind : uint8_t { kUrl, kDocument, kParagraph };
inline constexpr size_t kValueKinds = 3;

inline constexpr size_t kMostDatasets = 64;

// The hash of a value. Of equal ones all bits are equal; those of `high` are good by themselves, and the highest 8 of
// `low` are not looked at.
struct ValueHash {
  uint64_t high = 0;
  uint64_t low = 0;
};

// What equal values of any datasets have in common beside `high`: 56 bits of `low`, 2 of the kind.
inline constexpr int kKindBits = 2;
static_assert(kValueKinds < 1 << kKindBits);  // all bits set are no value
uint64_t LowAndKind(ValueKind kind, const ValueHash& hash);
inline ValueKind KindOf(uint64_t low_and_kind) {
  return static_cast<ValueKind>(low_and_kind & ((uint64_t{1} << kKindBits) - 1));
}

// Of each kind, the distinct values that both of two datasets have.
class SharedCounts {
 public:
  explicit SharedCounts(size_t datasets) : datasets_(datasets) { counts_.fill(Table(datasets * datasets)); }
  // Of one dataset: that it has. In any order.
  int64_t Both(ValueKind kind, size_t a, size_t b) const {
    return counts_[static_cast<size_t>(kind)][std::min(a, b) * datasets_ + std::max(a, b)];
  }
  // Counts a value of the datasets whose bits are set.
  void Add(ValueKind kind, uint64_t datasets);
  // Counts so many values that both have.
  void Add(ValueKind kind, size_t a, size_t b, int64_t both) {
    counts_[static_cast<size_t>(kind)][std::min(a, b) * datasets_ + std::max(a, b)] += both;
  }
  void Add(const SharedCounts& other);
  size_t datasets() const { return datasets_; }

 private:
  using Table = std::vector<int64_t>;
  size_t datasets_;
  std::array<Table, kValueKinds> counts_;  // of a and b >= a
};

// Remembers values that came lately, by the lowest bits of `high`: what comes often is handed on rarely.
class RecentValues {
 public:
  RecentValues();
  // Whether it is not among these. It is then.
  bool IsNew(uint64_t high, uint64_t rest) {
    Value& recent = values_[high % values_.size()];
    if (recent.high == high && recent.rest == rest) return false;
    recent = {high, rest};
    return true;
  }

 private:
  struct Value {
    uint64_t high;
    uint64_t rest;
  };
  std::vector<Value> values_;
};

class SharedValues {
 public:
  SharedValues(size_t datasets, int threads, const PartitionsPlan& plan, SpillSpace* space);

  // One thread's way in.
  class Writer {
   public:
    explicit Writer(SharedValues* to);
    arrow::Status Add(ValueKind kind, size_t dataset, const ValueHash& hash);
    arrow::Status Flush() { return writer_.Flush(); }

   private:
    friend class SharedValues;
    // A value of a dataset: of `rest`, 58 bits are LowAndKind, 6 the dataset.
    struct Value {
      uint64_t high;
      uint64_t rest;
    };
    SpillPartitions::Writer writer_;
    RecentValues recent_;
  };

  // After all Writers are flushed. Once.
  arrow::Result<SharedCounts> Count();

 private:
  using Value = Writer::Value;
  arrow::Status CountPartition(size_t partition, SharedCounts* counts);

  size_t datasets_;
  int threads_;
  PartitionsPlan plan_;
  MemoryBudget budget_;
  SpillPartitions values_;
};

}  // namespace uzushio
