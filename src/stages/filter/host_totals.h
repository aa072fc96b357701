// Sums by host, out of core: as many hosts as a disk holds.
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
#include <vector>

#include "storage/spill.h"

namespace uzushio {

// Sums are whole numbers: their order does not matter. Values that are none are summed in 2^-32, as __int128; what is
// beyond 2^62 counts as that.
__extension__ typedef __int128 HostSum;  // 128 bits are no part of ISO C++
HostSum ExactOf(double value);
// The mean of `count` such values; 0 of none.
double MeanOf(HostSum sum, HostSum count);

using UseHost = std::function<arrow::Status(std::string_view host, std::span<const HostSum> sums)>;

// Hosts in runs, each in order of bytes, in one temporary file.
class HostRuns {
 public:
  // Each host has `width` sums. To merge, blocks of `block` bytes are held, `memory` bytes in all, two at least.
  HostRuns(SpillSpace* space, size_t width, int64_t memory, int64_t block)
      : space_(*space), width_(width), memory_(memory), block_(static_cast<size_t>(block)) {}

  // Adds a run of the hosts that `each` calls its argument with, in order. Several threads may add.
  arrow::Status Add(const std::function<arrow::Status(const UseHost&)>& each);
  // Calls `use` with each host once, in order, with the sums of all runs. Leaves nothing.
  arrow::Status Merge(const UseHost& use);

 private:
  struct Run {
    int64_t begin = 0;
    int64_t end = 0;
  };
  class Reader;
  class Writer;
  arrow::Status MergeSome(std::span<const Run> runs, const UseHost& use);

  SpillSpace& space_;
  size_t width_;
  int64_t memory_;
  size_t block_;
  std::mutex mutex_;
  std::unique_ptr<SpillFile> file_;
  std::vector<Run> runs_;
};

// The sums of one thread.
class HostTotals {
 public:
  // Keeps some `memory` bytes, then makes a run of them.
  HostTotals(HostRuns* runs, size_t width, int64_t memory) : runs_(*runs), width_(width), memory_(memory) {}
  // Adds `sums`, of which there are `width`.
  arrow::Status Add(std::string_view host, std::span<const HostSum> sums);
  // Hands over what is kept. Must be called before the runs are merged.
  arrow::Status Flush();

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  HostRuns& runs_;
  size_t width_;
  int64_t memory_;
  int64_t kept_ = 0;  // bytes
  std::unordered_map<std::string, size_t, Hash, std::equal_to<>> places_;
  std::vector<HostSum> sums_;
};

}  // namespace uzushio
