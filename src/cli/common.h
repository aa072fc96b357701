// What all subcommands share: options, progress, summary, errors.
#pragma once

#include <arrow/result.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/options.h"
#include "cli/store_wait.h"
#include "storage/inputs.h"
#include "storage/places.h"
#include "storage/stage_options.h"

namespace uzushio {

enum ExitCode { kExitDone = 0, kExitFailed = 1, kExitUsage = 2, kExitBadRecords = 3 };

// Options that every subcommand has.
struct CommonOptions : RunOptions {
  std::optional<int64_t> max_bad;  // none: no limit
  bool quiet = false;
  std::string progress = "auto";
  std::string log_format = "text";
  std::string summary;

  static const Options<CommonOptions>& Declared();
};

// Names and values from `name=value`, of -P or another option.
arrow::Result<std::map<std::string, std::string>> ParseProperties(const std::vector<std::string>& arguments,
                                                                  const std::string& option = "-P");

// The folder for temporary data: `tmp`, which has to be there, or, when it is empty, the output's parent, made.
arrow::Result<std::string> ChooseTmp(const std::string& tmp, const std::string& output);

// Whether a file may be written there. A file is replaced when `overwrite`; a folder never. Where it may not because
// the file is there, removes the temporary data that a run which was stopped has left beside it and in `tmp`.
arrow::Status CheckOutputFile(const std::string& output, bool overwrite, const std::string& tmp = "");

// The most memory that this process has had, in bytes.
int64_t PeakMemory();

// Takes what a command has to say where no terminal listens: in Python. When `error` is set, nothing goes to standard
// error or output. Calls do not overlap; they come from threads of the command's own.
struct RunHooks {
  std::function<void(double share, const std::string& note)> progress;
  std::function<void(const arrow::Status& status)> error;
  std::function<void(const std::string& message)> warning;
  std::function<void(const nlohmann::ordered_json& json)> summary;
  std::function<void(const std::string& text)> print;  // what would go to standard output
};

// Messages on standard error, as text or JSON lines.
class Console {
 public:
  Console(const CommonOptions& options, const RunHooks& hooks);

  void Error(const arrow::Status& status) const;
  void Warning(const std::string& message) const;
  // Left out by --quiet.
  void Info(const std::string& message) const;
  // What a run did, as a text block (or, with --log-format json, as the JSON).
  void Summary(const std::string& text, const nlohmann::ordered_json& json) const;
  // To standard output, as it is.
  void Print(const std::string& text) const;

  // Since the command began, which makes one of these first.
  double seconds() const;
  const RunHooks& hooks() const { return hooks_; }

 private:
  void Write(const char* level, const std::string& message) const;
  const RunHooks& hooks_;
  bool quiet_;
  bool json_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// A bar with rate and remaining time on a terminal, a line every ten seconds elsewhere. What it says of the work has
// ", waiting for the store" behind it where that is so. Calls must not overlap.
class ProgressBar {
 public:
  ProgressBar(const CommonOptions& options, const Console& console);
  ~ProgressBar();

  // `done` of `total` bytes, and what to say beside them.
  void Update(int64_t done, int64_t total, const std::string& note);
  // Of work that is not counted in bytes: the share that is done, without a rate.
  void UpdateShare(double share, const std::string& note);
  // Removes the bar.
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;
  void Show(int64_t done, int64_t total, bool bytes, const std::string& of_work);

  enum class Mode { kNone, kPlain, kBar } mode_ = Mode::kNone;
  const Console& console_;
  StoreWait store_wait_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
  bool shown_ = false;
};

// How far work of so many seconds is: a bar, the share, with `bytes` the amount and its rate, the time left, the note.
std::string ProgressLine(int64_t done, int64_t total, bool bytes, double seconds, const std::string& note);

// 1234567 as `1,234,567`; bytes as `1.2 MB`.
std::string FormatCount(int64_t count);
std::string FormatBytes(int64_t bytes);

// A text in Markdown: tokens in angle brackets, such as <EMAIL>, are code, or they would be tags.
std::string MarkdownText(std::string text);
// The same for a cell of a table, which a bar would end.
std::string MarkdownCell(std::string text);

// Ends a run. `json` has what it did: `output` and, where there are any, `quarantined` by reason;
// the time and the memory are added. It is written to the file of --summary and said as `text` puts it. The exit code
// depends on --max-bad.
arrow::Result<int> FinishRun(const CommonOptions& common, const Console& console, nlohmann::ordered_json json,
                             const std::function<std::string(const nlohmann::ordered_json&)>& text);

// The same for a run whose summary is complete.
arrow::Result<int> FinishRun(const CommonOptions& common, const Console& console, const nlohmann::ordered_json& json,
                             const std::string& text);

// The exit code for a status: 2 for what the user can mend on the command line, else 1. Says the error.
int Report(const Console& console, const arrow::Status& status);

}  // namespace uzushio
