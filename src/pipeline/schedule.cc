#include "pipeline/schedule.h"

#include <algorithm>
#include <utility>

namespace uzushio {

int UsefulThreads(int64_t bytes, int most) {
  return static_cast<int>(std::clamp<int64_t>((bytes + kBytesOfThread - 1) / kBytesOfThread, 1, most));
}

Schedule::Schedule(const std::vector<std::vector<size_t>>& sources, StepShare whole, size_t at_once)
    : whole_(whole),
      free_(whole),
      at_once_(at_once),
      missing_(sources.size()),
      follow_(sources.size()),
      needs_(sources.size()) {
  for (size_t step = 0; step < sources.size(); ++step) {
    missing_[step] = sources[step].size();
    for (const size_t source : sources[step]) follow_[source].push_back(step);
    if (sources[step].empty()) ready_.push_back(step);
  }
}

std::vector<size_t> Schedule::TakeReady() {
  std::ranges::sort(ready_);
  return std::exchange(ready_, {});
}

void Schedule::Wait(size_t step, StepNeed need) {
  needs_[step] = need;
  waiting_.insert(step);
}

void Schedule::WaitForAll(size_t step) { Wait(step, {whole_.threads, whole_.memory, needs_[step].most}); }

// The product of a memory and a number of threads is within 64 bits: 2^50 bytes and 4096 threads.
StepShare Schedule::ShareOf(const StepNeed& need) const {
  StepShare share = {std::min({need.threads, need.most, whole_.threads}), 0};
  share.memory = std::min(whole_.memory, std::max(need.memory, whole_.memory / whole_.threads * share.threads));
  return share.threads == whole_.threads || share.memory == whole_.memory ? AllFor(need) : share;
}

std::optional<std::pair<size_t, StepShare>> Schedule::Start() {
  if (waiting_.empty() || shares_.size() >= at_once_) return std::nullopt;
  const size_t step = *waiting_.begin();
  const StepNeed& need = needs_[step];
  const bool is_alone = shares_.empty() && (waiting_.size() == 1 || at_once_ == 1);
  const StepShare share = is_alone ? AllFor(need) : ShareOf(need);
  if (share.threads > free_.threads || share.memory > free_.memory) return std::nullopt;
  waiting_.erase(waiting_.begin());
  free_ = {free_.threads - share.threads, free_.memory - share.memory};
  shares_[step] = share;
  return std::pair(step, share);
}

void Schedule::GiveBack(size_t step) {
  const auto share = shares_.find(step);
  if (share == shares_.end()) return;
  free_ = {free_.threads + share->second.threads, free_.memory + share->second.memory};
  shares_.erase(share);
}

void Schedule::End(size_t step) {
  GiveBack(step);
  for (const size_t next : follow_[step]) {
    if (--missing_[next] == 0) ready_.push_back(next);
  }
}

std::vector<StepTimes> TimesOf(const std::vector<std::vector<size_t>>& sources, StepShare whole, size_t at_once,
                               const std::vector<StepCost>& costs) {
  Schedule schedule(sources, whole, at_once);
  std::vector<StepTimes> times(sources.size());
  std::multimap<double, size_t> ends;  // of those that are at work
  double now = 0;
  while (true) {
    for (auto ready = schedule.TakeReady(); !ready.empty(); ready = schedule.TakeReady()) {
      for (const size_t i : ready) {
        if (costs[i].is_done) {
          schedule.End(i);
        } else {
          schedule.Wait(i, costs[i].need);
        }
      }
    }
    while (const auto started = schedule.Start()) {
      const auto& [i, share] = *started;
      times[i] = {now, now + costs[i].thread_seconds / std::min(share.threads, costs[i].need.threads)};
      ends.emplace(times[i].end, i);
    }
    if (ends.empty()) return times;
    now = ends.begin()->first;
    schedule.End(ends.begin()->second);
    ends.erase(ends.begin());
  }
}

}  // namespace uzushio
