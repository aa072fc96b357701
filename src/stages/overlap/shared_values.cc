#include "stages/overlap/shared_values.h"

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <tuple>

#include "base/parallel.h"
#include "storage/spill_ranges.h"

namespace uzushio {
namespace {

constexpr size_t kValuePartitions = 256;
constexpr size_t kRecentValues = 1 << 14;  // of 16 bytes
constexpr int kDatasetBits = 6;
static_assert(kMostDatasets == 1 << kDatasetBits);

size_t WriterBytes(const PartitionsPlan& plan, int threads) {
  const int64_t buffer = plan.buffers / threads / static_cast<int64_t>(kValuePartitions);
  return static_cast<size_t>(std::clamp(buffer, kWriterBuffer.least, kWriterBuffer.most));
}

uint64_t WithoutDataset(uint64_t rest) { return rest >> kDatasetBits; }
uint64_t DatasetBit(uint64_t rest) { return uint64_t{1} << (rest & (kMostDatasets - 1)); }

}  // namespace

uint64_t LowAndKind(ValueKind kind, const ValueHash& hash) {
  return (hash.low << kKindBits | static_cast<uint64_t>(kind)) << kDatasetBits >> kDatasetBits;
}

RecentValues::RecentValues() : values_(kRecentValues, Value{0, UINT64_MAX}) {}

void SharedCounts::Add(ValueKind kind, uint64_t datasets) {
  Table& table = counts_[static_cast<size_t>(kind)];
  for (uint64_t left = datasets; left != 0; left &= left - 1) {
    const size_t row = static_cast<size_t>(std::countr_zero(left)) * datasets_;
    for (uint64_t others = left; others != 0; others &= others - 1) {
      ++table[row + static_cast<size_t>(std::countr_zero(others))];
    }
  }
}

void SharedCounts::Add(const SharedCounts& other) {
  for (size_t kind = 0; kind < kValueKinds; ++kind) {
    for (size_t i = 0; i < counts_[kind].size(); ++i) counts_[kind][i] += other.counts_[kind][i];
  }
}

SharedValues::SharedValues(size_t datasets, int threads, const PartitionsPlan& plan, SpillSpace* space)
    : datasets_(datasets),
      threads_(threads),
      plan_(plan),
      budget_(plan.partitions),
      values_(kValuePartitions, &budget_, space) {}

SharedValues::Writer::Writer(SharedValues* to) : writer_(&to->values_, WriterBytes(to->plan_, to->threads_)) {}

arrow::Status SharedValues::Writer::Add(ValueKind kind, size_t dataset, const ValueHash& hash) {
  const Value value = {hash.high, LowAndKind(kind, hash) << kDatasetBits | dataset};
  if (!recent_.IsNew(value.high, value.rest)) return arrow::Status::OK();
  return writer_.AppendRecord(value.high >> 56, value);
}

arrow::Status SharedValues::CountPartition(size_t partition, SharedCounts* counts) {
  const auto count_sorted = [counts](std::span<Value> values) {
    std::ranges::sort(values, {}, [](const Value& value) { return std::tuple(value.high, value.rest); });
    for (size_t begin = 0; begin < values.size();) {
      uint64_t datasets = 0;
      size_t end = begin;
      for (; end < values.size() && values[end].high == values[begin].high &&
             WithoutDataset(values[end].rest) == WithoutDataset(values[begin].rest);
           ++end) {
        datasets |= DatasetBit(values[end].rest);
      }
      counts->Add(KindOf(WithoutDataset(values[begin].rest)), datasets);
      begin = end;
    }
    return arrow::Status::OK();
  };
  // Values of one upper half that are more than fit: one value, hardly ever another.
  const auto count_equal = [counts](SpillPartitions* from, size_t equal) -> arrow::Status {
    std::map<uint64_t, uint64_t> datasets;
    ARROW_RETURN_NOT_OK(from->TakeChunks(equal, [&datasets](std::span<const char> bytes) {
      for (const Value& value : std::span(reinterpret_cast<const Value*>(bytes.data()), bytes.size() / sizeof(Value))) {
        datasets[WithoutDataset(value.rest)] |= DatasetBit(value.rest);
      }
      return arrow::Status::OK();
    }));
    for (const auto& [low_and_kind, bits] : datasets) counts->Add(KindOf(low_and_kind), bits);
    return arrow::Status::OK();
  };
  return ForEachRange<Value>(
      &values_, partition, plan_.load, [](const Value& value) { return value.high; }, count_sorted, count_equal);
}

arrow::Result<SharedCounts> SharedValues::Count() {
  std::vector<SharedCounts> counts(static_cast<size_t>(threads_), SharedCounts(datasets_));
  ARROW_RETURN_NOT_OK(ParallelFor(threads_, kValuePartitions, [&](int thread, size_t partition) {
    return CountPartition(partition, &counts[static_cast<size_t>(thread)]);
  }));
  SharedCounts sum(datasets_);
  for (const SharedCounts& of : counts) sum.Add(of);
  return sum;
}

}  // namespace uzushio
