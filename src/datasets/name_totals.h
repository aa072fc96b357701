// Sums by name, such as a host, out of core: as many names as a disk holds.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text_hash.h"
#include "storage/spill.h"

namespace uzushio {

// Sums are whole numbers: their order does not matter. Values that are none are summed in 2^-32, as __int128; what is
// beyond 2^62 counts as that.
__extension__ typedef __int128 NameSum;  // 128 bits are no part of ISO C++
NameSum ExactOf(double value);
// The mean of `count` such values; 0 of none.
double MeanOf(NameSum sum, NameSum count);

using UseName = std::function<arrow::Status(std::string_view name, std::span<const NameSum> sums)>;
// Calls its argument with each name, in order of bytes.
using EachName = std::function<arrow::Status(const UseName&)>;

// Names in runs, each in order of bytes, in one temporary file.
class NameRuns {
 public:
  // Each name has `width` sums. To merge, blocks of `block` bytes are held, `memory` bytes in all, two at least.
  NameRuns(SpillSpace* space, size_t width, int64_t memory, int64_t block)
      : space_(*space), width_(width), memory_(memory), block_(static_cast<size_t>(block)) {}

  // Adds a run of the names that `each` calls its argument with, in order. Several threads may add.
  arrow::Status Add(const EachName& each);
  // Calls `use` with each name once, in order, with the sums of all runs. Leaves nothing.
  arrow::Status Merge(const UseName& use);

 private:
  struct Run {
    int64_t begin = 0;
    int64_t end = 0;
  };
  class Reader;
  class Writer;
  arrow::Status MergeSome(std::span<const Run> runs, const UseName& use);

  SpillSpace& space_;
  size_t width_;
  int64_t memory_;
  size_t block_;
  std::mutex mutex_;
  std::unique_ptr<SpillFile> file_;
  std::vector<Run> runs_;
};

// The sums of one thread.
class NameTotals {
 public:
  // Keeps some `memory` bytes, then hands them over to `to`.
  NameTotals(std::function<arrow::Status(const EachName&)> to, size_t width, int64_t memory)
      : to_(std::move(to)), width_(width), memory_(memory) {}
  // Makes runs of them.
  NameTotals(NameRuns* runs, size_t width, int64_t memory)
      : NameTotals([runs](const EachName& each) { return runs->Add(each); }, width, memory) {}
  // Adds `sums`, of which there are `width`.
  arrow::Status Add(std::string_view name, std::span<const NameSum> sums);
  // Hands over what is kept, if anything is. Must be called before the runs are merged.
  arrow::Status Flush();

 private:
  std::function<arrow::Status(const EachName&)> to_;
  size_t width_;
  int64_t memory_;
  int64_t kept_ = 0;  // bytes
  std::unordered_map<std::string, size_t, TextHash, std::equal_to<>> places_;
  std::vector<NameSum> sums_;
};

}  // namespace uzushio
