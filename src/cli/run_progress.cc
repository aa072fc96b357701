#include "cli/run_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "cli/terminal.h"

namespace uzushio {
namespace {

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// As much of a line as a terminal shows in one. What is not ASCII may take two columns.
std::string Fitting(const std::string& line, int columns) {
  size_t end = 0;
  int width = 0;
  while (end < line.size()) {
    const auto lead = static_cast<unsigned char>(line[end]);
    const size_t bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    width += bytes == 1 ? 1 : 2;
    if (width >= columns) break;
    end = std::min(line.size(), end + bytes);
  }
  return line.substr(0, end);
}

}  // namespace

RunProgress::RunProgress(const CommonOptions& common, const Console& console, std::vector<std::string> names,
                         std::vector<size_t> steps)
    : console_(console), stage_of_(std::move(steps)), bytes_(stage_of_.size()) {
  stages_.resize(names.size());
  for (size_t i = 0; i < names.size(); ++i) stages_[i].name = std::move(names[i]);
  for (size_t step = 0; step < stage_of_.size(); ++step) ++StageOf(step).steps;
  if (common.quiet || common.progress == "none" || console.hooks().error) return;
  const bool is_terminal = isatty(STDERR_FILENO) != 0 && common.log_format == "text";
  mode_ = common.progress == "auto" && is_terminal ? Mode::kLines : Mode::kPlain;
}

RunProgress::~RunProgress() { Clear(); }

void RunProgress::WasDone(size_t step) {
  const std::lock_guard lock(mutex_);
  ++StageOf(step).was_done;
  ++ended_;
}

void RunProgress::Expect(size_t step, int64_t bytes) {
  const std::lock_guard lock(mutex_);
  bytes_[step] = bytes;
  ++StageOf(step).expected;
  StageOf(step).bytes += bytes;
}

void RunProgress::Update(size_t step, double share, const std::string& note) {
  const std::lock_guard lock(mutex_);
  Stage& stage = StageOf(step);
  if (stage.at_work.empty() && stage.ended == 0) stage.start = Clock::now();
  AtWork& at_work = stage.at_work[step];
  at_work = {std::max(at_work.share, share), note};
  if (const auto& tell = console_.hooks().progress) {
    told_ = std::max(told_, ShareOfAll());
    tell(told_, stage.name + ": " + note);
  }
  Show(false);
}

void RunProgress::Stop(size_t step) {
  const std::lock_guard lock(mutex_);
  StageOf(step).at_work.erase(step);
}

void RunProgress::End(size_t step) {
  const std::lock_guard lock(mutex_);
  Stage& stage = StageOf(step);
  ++stage.ended;
  ++ended_;
  stage.ended_bytes += bytes_[step];
  if (stage.ended + stage.was_done < stage.steps) return;
  Clear();
  const double seconds = SecondsSince(stage.start);
  const std::string steps = stage.steps == 1 ? "" : fmt::format("{} of {} steps, ", stage.ended, stage.steps);
  console_.Info(
      fmt::format("{}: {}{} of input in {:.3g} s, {}/s", stage.name, steps, FormatBytes(stage.bytes), seconds,
                  FormatBytes(static_cast<int64_t>(static_cast<double>(stage.bytes) / std::max(seconds, 1e-3)))));
  Show(true);
}

void RunProgress::Say(const std::function<void()>& say) {
  const std::lock_guard lock(mutex_);
  Clear();
  say();
  Show(true);
}

double RunProgress::ShareOfAll() const {
  auto done = static_cast<double>(ended_);
  for (const Stage& stage : stages_) {
    for (const auto& [step, at_work] : stage.at_work) done += at_work.share;
  }
  return done / static_cast<double>(stage_of_.size());
}

// Of steps that are not expected yet, what they read is not known: they are taken to be like the others.
std::string RunProgress::LineOf(const Stage& stage) const {
  auto done = static_cast<double>(stage.ended_bytes);
  for (const auto& [step, at_work] : stage.at_work) done += at_work.share * static_cast<double>(bytes_[step]);
  const double all = static_cast<double>(stage.bytes) * static_cast<double>(stage.steps - stage.was_done) /
                     static_cast<double>(std::max<int64_t>(1, stage.expected));
  std::string note;
  if (stage.steps > 1) {
    note = fmt::format("{} of {} steps; ", stage.ended + stage.was_done, stage.steps);
  }
  return stage.name + " " +
         ProgressLine(static_cast<int64_t>(done), static_cast<int64_t>(all), true, SecondsSince(stage.start),
                      note + stage.at_work.begin()->second.note);
}

void RunProgress::Show(bool is_new) {
  if (mode_ == Mode::kNone) return;
  const auto interval = mode_ == Mode::kLines ? std::chrono::milliseconds(200) : std::chrono::milliseconds(10'000);
  if (Clock::now() - last_ < interval && (!is_new || mode_ == Mode::kPlain)) return;
  last_ = Clock::now();
  std::string text;
  size_t lines = 0;
  for (const Stage& stage : stages_) {
    if (stage.at_work.empty()) continue;
    if (mode_ == Mode::kPlain) {
      console_.Info(LineOf(stage));
    } else {
      text += (lines++ == 0 ? "" : "\n") + Fitting(LineOf(stage), TerminalColumns(STDERR_FILENO));
    }
  }
  if (mode_ == Mode::kPlain) return;
  Clear();
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
  shown_ = lines;
}

void RunProgress::Clear() {
  if (shown_ == 0) return;
  std::string text = "\r\x1b[K";
  while (--shown_ > 0) text += "\x1b[A\x1b[K";
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace uzushio
