// What a run of a pipeline says while several of its steps are at work.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "cli/common.h"

namespace uzushio {

// A line for each stage that is at work: on a terminal they stay below what is said, elsewhere they are written every
// ten seconds. Where a hook listens (RunHooks::progress), it is told the share of all steps. Any thread may call, and
// several at once.
class RunProgress {
 public:
  // `steps` has, for each, its stage; `names` are the stages'.
  RunProgress(const CommonOptions& common, const Console& console, std::vector<std::string> names,
              std::vector<size_t> steps);
  ~RunProgress();

  // A step was done before; or is to be run, on so many bytes of input.
  void WasDone(size_t step);
  void Expect(size_t step, int64_t bytes);
  // A step is at work, and how far; `note` is what its command says of itself.
  void Update(size_t step, double share, const std::string& note);
  // It is no longer at work.
  void Stop(size_t step);
  // It is done. The last of its stage has the stage's line stay.
  void End(size_t step);
  // Calls `say`, which writes lines to the console.
  void Say(const std::function<void()>& say);

 private:
  using Clock = std::chrono::steady_clock;
  struct AtWork {
    double share = 0;
    std::string note;
  };
  struct Stage {
    std::string name;
    int64_t steps = 0;
    int64_t was_done = 0;
    int64_t expected = 0;  // steps
    int64_t ended = 0;
    int64_t bytes = 0;  // of those that are expected
    int64_t ended_bytes = 0;
    std::map<size_t, AtWork> at_work;
    Clock::time_point start;
  };

  Stage& StageOf(size_t step) { return stages_[stage_of_[step]]; }
  double ShareOfAll() const;
  std::string LineOf(const Stage& stage) const;
  void Show(bool is_new);
  void Clear();

  enum class Mode { kNone, kPlain, kLines } mode_ = Mode::kNone;
  const Console& console_;
  std::mutex mutex_;
  std::vector<Stage> stages_;
  std::vector<size_t> stage_of_;
  std::vector<int64_t> bytes_;  // by step
  size_t ended_ = 0;            // steps, those that were done too
  double told_ = 0;             // share
  size_t shown_ = 0;            // lines on the terminal
  Clock::time_point last_ = Clock::now();
};

}  // namespace uzushio
