// Records of a partition that may be larger than memory, some at a time.
#pragma once

#include <arrow/status.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "storage/spill.h"

namespace uzushio {

// Calls `use(const Bytes&)` with the records of a partition, at most `most` bytes at a time: ranges of a key, in
// increasing order, all records of a key in one. Their order within a range is any. The records of one key that are
// more than that are not loaded: `use_equal(SpillPartitions*, partition)` is called with a partition that holds them
// and nothing else, to be taken. `each(bytes, f)` calls `f(key, record's bytes)`, which gives a Status, for each record
// in `bytes`; keys are unsigned 64-bit numbers.
//
// Each record is written once more for each time that its range has to be cut, which goes with the logarithm.
template <typename Each, typename Use, typename UseEqual>
arrow::Status ForEachRangeOf(SpillPartitions* from, size_t partition, int64_t most, const Each& each, const Use& use,
                             const UseEqual& use_equal) {
  const int64_t size = from->bytes(partition);
  if (size <= most) {
    if (size == 0) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const Bytes bytes, from->Take(partition));
    return use(bytes);
  }
  uint64_t least = UINT64_MAX;
  uint64_t greatest = 0;
  ARROW_RETURN_NOT_OK(from->ReadChunks(partition, [&](std::span<const char> bytes) {
    return each(bytes, [&](uint64_t key, std::span<const char> /*record*/) {
      least = std::min(least, key);
      greatest = std::max(greatest, key);
      return arrow::Status::OK();
    });
  }));
  if (least == greatest) return use_equal(from, partition);
  constexpr int64_t kMostCells = 256;
  const auto cells = static_cast<uint64_t>(std::min<int64_t>(2 * (size / most) + 2, kMostCells));
  const uint64_t width = (greatest - least) / cells + 1;
  SpillPartitions parts(cells, from->budget(), from->space(), 1);
  {
    const auto buffer = static_cast<size_t>(most) / cells / 2;
    SpillPartitions::Writer writer(&parts, std::clamp<size_t>(buffer, 32, size_t{64} << 10));
    ARROW_RETURN_NOT_OK(from->TakeChunks(partition, [&](std::span<const char> bytes) {
      return each(bytes, [&](uint64_t key, std::span<const char> record) {
        return writer.Append((key - least) / width, record);
      });
    }));
    ARROW_RETURN_NOT_OK(writer.Flush());
  }
  for (size_t part = 0; part < cells; ++part) {
    ARROW_RETURN_NOT_OK(ForEachRangeOf(&parts, part, most, each, use, use_equal));
  }
  return arrow::Status::OK();
}

// The same for records of one size: `key(record)`, `use(std::span<Record>)`.
template <typename Record, typename Key, typename Use, typename UseEqual>
arrow::Status ForEachRange(SpillPartitions* from, size_t partition, int64_t most, const Key& key, const Use& use,
                           const UseEqual& use_equal) {
  const auto each = [&key](std::span<const char> bytes, const auto& f) -> arrow::Status {
    for (size_t at = 0; at < bytes.size(); at += sizeof(Record)) {
      const std::span<const char> record = bytes.subspan(at, sizeof(Record));
      ARROW_RETURN_NOT_OK(f(key(*reinterpret_cast<const Record*>(record.data())), record));
    }
    return arrow::Status::OK();
  };
  return ForEachRangeOf(
      from, partition, most, each, [&use](const Bytes& bytes) { return use(Records<Record>(bytes)); }, use_equal);
}

}  // namespace uzushio
