// Records of a partition that may be larger than memory, some at a time.
#pragma once

#include <arrow/status.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "io/spill.h"

namespace uzushio {

// Calls `use(std::span<Record>)` with the records of a partition, at most `most` bytes at a time: ranges of
// `key(record)`, an unsigned number, in increasing order, all records of a key in one. Their order within a range is
// any. The records of one key that are more than that are not loaded: `use_equal(SpillPartitions*, partition)` is
// called with a partition that holds them and nothing else, to be taken.
//
// Each record is written once more for each time that its range has to be cut, which goes with the logarithm.
template <typename Record, typename Key, typename Use, typename UseEqual>
arrow::Status ForEachRange(SpillPartitions* from, size_t partition, int64_t most, const Key& key, const Use& use,
                           const UseEqual& use_equal) {
  const auto records = [](std::span<const char> bytes) {
    return std::span(reinterpret_cast<const Record*>(bytes.data()), bytes.size() / sizeof(Record));
  };
  const int64_t size = from->bytes(partition);
  if (size <= most) {
    if (size == 0) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const Bytes bytes, from->Take(partition));
    return use(Records<Record>(bytes));
  }
  uint64_t least = UINT64_MAX;
  uint64_t greatest = 0;
  ARROW_RETURN_NOT_OK(from->ReadChunks(partition, [&](std::span<const char> bytes) {
    for (const Record& record : records(bytes)) {
      least = std::min(least, key(record));
      greatest = std::max(greatest, key(record));
    }
    return arrow::Status::OK();
  }));
  if (least == greatest) return use_equal(from, partition);
  constexpr int64_t kMostCells = 256;
  const auto cells = static_cast<uint64_t>(std::min<int64_t>(2 * (size / most) + 2, kMostCells));
  const uint64_t width = (greatest - least) / cells + 1;
  SpillPartitions parts(cells, from->budget(), from->space());
  {
    const auto buffer = static_cast<size_t>(most) / cells / 2;
    SpillPartitions::Writer writer(&parts, std::clamp<size_t>(buffer, sizeof(Record), size_t{64} << 10));
    ARROW_RETURN_NOT_OK(from->TakeChunks(partition, [&](std::span<const char> bytes) -> arrow::Status {
      for (const Record& record : records(bytes)) {
        ARROW_RETURN_NOT_OK(writer.AppendRecord((key(record) - least) / width, record));
      }
      return arrow::Status::OK();
    }));
    ARROW_RETURN_NOT_OK(writer.Flush());
  }
  for (size_t part = 0; part < cells; ++part) {
    ARROW_RETURN_NOT_OK(ForEachRange<Record>(&parts, part, most, key, use, use_equal));
  }
  return arrow::Status::OK();
}

}  // namespace uzushio
