// Which steps of a pipeline are at work at once, within the threads and the memory of one run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace uzushio {

struct StepShare {
  int threads = 1;
  int64_t memory = 0;  // bytes
  bool operator==(const StepShare&) const = default;
};

// What a step takes.
struct StepNeed {
  int threads = 1;     // which find something to do
  int64_t memory = 0;  // bytes, with which so many run and not with less
  int most = 4096;     // threads, with which all there is of memory does
};

// How many threads find enough to do in so many bytes of compressed input: less than this, and what a step does in one
// thread, as beginning and committing, is what it takes.
inline constexpr int64_t kBytesOfThread = int64_t{8} << 20;
int UsefulThreads(int64_t bytes, int most);

// A step is ready when those that it stands on have ended. What it may take is then asked for, and it waits for its
// share: memory in proportion to its threads, or what it can not do with less. Steps start in their order, and none
// overtakes another that waits; one that is alone has all there is, but for threads that the memory is too little for.
class Schedule {
 public:
  // `sources`: by step, the earlier ones that it stands on. At most `at_once` steps work at a time.
  Schedule(const std::vector<std::vector<size_t>>& sources, StepShare whole, size_t at_once);

  // The steps that have become ready since the last call, in order. For each, Wait or End is to be called.
  std::vector<size_t> TakeReady();
  void Wait(size_t step, StepNeed need);
  // A step that has waited is to start when no other is at work, and with all there is.
  void WaitForAll(size_t step);
  // The next step that may start, with its share. Where none is at work and one waits, there is one.
  std::optional<std::pair<size_t, StepShare>> Start();
  // It is no longer at work, and what it took is free.
  void GiveBack(size_t step);
  // The same, and it is done, or was before.
  void End(size_t step);

  const StepShare& whole() const { return whole_; }
  size_t at_work() const { return shares_.size(); }

 private:
  StepShare ShareOf(const StepNeed& need) const;
  StepShare AllFor(const StepNeed& need) const { return {std::min(whole_.threads, need.most), whole_.memory}; }

  StepShare whole_;
  StepShare free_;
  size_t at_once_;
  std::vector<size_t> missing_;              // of each step, sources that have not ended
  std::vector<std::vector<size_t>> follow_;  // the other way round
  std::vector<size_t> ready_;
  std::vector<StepNeed> needs_;  // of those that wait or have waited
  std::set<size_t> waiting_;
  std::map<size_t, StepShare> shares_;  // of those that are at work
};

// What a step is taken to cost.
struct StepCost {
  bool is_done = false;
  double thread_seconds = 0;
  StepNeed need;
};
struct StepTimes {
  double start = 0;  // in seconds from the begin
  double end = 0;
};
// When each step would start and end; of those that are done, 0.
std::vector<StepTimes> TimesOf(const std::vector<std::vector<size_t>>& sources, StepShare whole, size_t at_once,
                               const std::vector<StepCost>& costs);

}  // namespace uzushio
