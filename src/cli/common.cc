#include "cli/common.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/error_text.h"
#include "base/utf8.h"
#include "cli/summary.h"
#include "cli/terminal.h"
#include "storage/inputs.h"
#include "storage/local_files.h"
#include "storage/output_names.h"
#include "storage/store_place.h"
#include "storage/stored_names.h"
#include "storage/temporary_folder.h"
#include "storage/upload_progress.h"

namespace uzushio {

const Options<CommonOptions>& CommonOptions::Declared() {
  static const Options<CommonOptions> options =
      Options<CommonOptions>()
          .With(Resources::Declared())
          .Group("Common options")
          .Integer("max-bad", &CommonOptions::max_bad, 0, kAny,
                   "Exit with code 3 if more records than this are quarantined (default: no limit)")
          .Flag("quiet", &CommonOptions::quiet, "Print only errors")
          .Frontends(kOnCommandLine | kOnSpark)
          .Choice("progress", &CommonOptions::progress, {"auto", "plain", "none"}, "How to show progress")
          .Frontends(kOnCommandLine)
          .Choice("log-format", &CommonOptions::log_format, {"text", "json"}, "Format of messages")
          .Frontends(kOnCommandLine)
          .Flag("overwrite", &CommonOptions::overwrite, "Replace an existing output of uzushio")
          .InShortHelp()
          .Path("summary", &CommonOptions::summary, "FILE", "Write the summary to a file, as JSON")
          .Frontends(kOnCommandLine | kOnSpark);
  return options;
}

arrow::Result<std::string> ChooseTmp(const std::string& tmp, const std::string& output) {
  if (!tmp.empty()) {
    ARROW_ASSIGN_OR_RAISE(const bool there, IsFolder(tmp));
    if (!there) return arrow::Status::Invalid("--tmp ", tmp, ": no such folder");
    return tmp;
  }
  if (IsOnStore(output)) {
    ARROW_ASSIGN_OR_RAISE(const std::filesystem::path folder, StagingRoot());
    return folder.string();
  }
  ARROW_ASSIGN_OR_RAISE(const std::filesystem::path whole, AbsolutePath(output));
  const std::filesystem::path parent = (whole.has_filename() ? whole : whole.parent_path()).parent_path();
  ARROW_RETURN_NOT_OK(MakeFolder(parent));
  return parent.string();
}

arrow::Status CheckOutputFile(const std::string& output, bool overwrite, const std::string& tmp) {
  ARROW_RETURN_NOT_OK(CheckIsPath("--output", output));
  ARROW_ASSIGN_OR_RAISE(const bool is_folder, IsFolder(output));
  if (is_folder) return arrow::Status::Invalid("--output ", output, ": is a folder; give the name of a file");
  ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(output));
  if (!there) return arrow::Status::OK();
  std::error_code error;
  if (!std::filesystem::is_regular_file(PathOfName(output), error)) {
    return arrow::Status::Invalid("--output ", output, ": is no file, but a device or the like; choose another name");
  }
  if (overwrite) return arrow::Status::OK();
  // A run that was stopped behind its last step may have left temporary data.
  ARROW_ASSIGN_OR_RAISE(const std::filesystem::path path, AbsolutePath(output));
  for (const std::filesystem::path& folder : {path.parent_path(), std::filesystem::path(tmp)}) {
    if (!folder.empty()) TemporaryFolder::RemoveLeft(folder / ("." + path.filename().string()));
  }
  return arrow::Status::Invalid("--output ", output, ": exists; choose another name, or --overwrite");
}

// Not getrusage: its figure begins with that of the process which started this one.
int64_t PeakMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtoll(line.c_str() + 6, nullptr, 10) * 1024;
  }
  return 0;
}

Console::Console(const CommonOptions& options, const RunHooks& hooks)
    : hooks_(hooks), quiet_(options.quiet), json_(options.log_format == "json") {}

void Console::Error(const arrow::Status& status) const {
  if (hooks_.error) {
    hooks_.error(status);
  } else {
    Write("error", ErrorText(status));
  }
}

void Console::Warning(const std::string& message) const {
  if (hooks_.warning) {
    hooks_.warning(message);
  } else {
    Write("warning", message);
  }
}

void Console::Info(const std::string& message) const {
  if (!quiet_) Write("info", message);
}

void Console::Print(const std::string& text) const {
  if (hooks_.print) {
    hooks_.print(text);
  } else {
    fmt::print("{}", text);
    std::fflush(stdout);  // who reads it may wait for it
  }
}

double Console::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Console::Write(const char* level, const std::string& message) const {
  if (hooks_.error) return;
  if (json_) {
    const nlohmann::ordered_json line = {{"level", level}, {"message", message}};
    std::fprintf(stderr, "%s\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  } else {
    std::string head;
    if (level != std::string_view("info")) {
      const Style style = level == std::string_view("error") ? Style::kError : Style::kWarning;
      head = Styled(std::string(level) + ":", style, HasColour(STDERR_FILENO)) + " ";
    }
    std::fprintf(stderr, "uzushio: %s%s\n", head.c_str(), message.c_str());
  }
}

void Console::Summary(const std::string& text, const nlohmann::ordered_json& json) const {
  if (hooks_.summary) hooks_.summary(json);
  if (quiet_ || hooks_.error) return;
  std::fprintf(stderr, "%s\n",
               json_ ? json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str() : text.c_str());
}

namespace {

double PartDone(int64_t done, int64_t total) {
  return total > 0 ? std::min(1.0, static_cast<double>(done) / static_cast<double>(total)) : 0;
}

}  // namespace

ProgressBar::ProgressBar(const CommonOptions& options, const Console& console)
    : console_(console), store_wait_(options.threads) {
  // What the stage puts on a store at its end has a rate of its own.
  UploadScope::Current() = [this, begun = false](int64_t done, int64_t total, const std::string& note) mutable {
    if (!std::exchange(begun, true)) start_ = Clock::now();
    Update(done, total, note);
  };
  if (options.quiet || options.progress == "none" || console.hooks().error) return;
  const bool terminal = isatty(STDERR_FILENO) != 0 && options.log_format == "text";
  mode_ = options.progress == "auto" && terminal ? Mode::kBar : Mode::kPlain;
}

ProgressBar::~ProgressBar() {
  UploadScope::Current() = nullptr;
  Clear();
}

void ProgressBar::Update(int64_t done, int64_t total, const std::string& note) { Show(done, total, true, note); }

void ProgressBar::UpdateShare(double share, const std::string& note) {
  constexpr int64_t kWhole = 10000;
  Show(static_cast<int64_t>(share * kWhole), kWhole, false, note);
}

void ProgressBar::Show(int64_t done, int64_t total, bool bytes, const std::string& of_work) {
  const bool waits = store_wait_.Look(ProcessUsage::Now());
  const std::string note = waits ? of_work + (of_work.empty() ? "" : ", ") + "waiting for the store" : of_work;
  if (const auto& progress = console_.hooks().progress) progress(PartDone(done, total), note);
  if (mode_ == Mode::kNone) return;
  const auto now = Clock::now();
  const auto interval = mode_ == Mode::kBar ? std::chrono::milliseconds(200) : std::chrono::milliseconds(10'000);
  if (now - last_ < interval) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string line = ProgressLine(done, total, bytes, seconds, note);
  if (mode_ == Mode::kBar) {
    std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
    std::fflush(stderr);
    shown_ = true;
  } else {
    console_.Info(line);
  }
}

std::string ProgressLine(int64_t done, int64_t total, bool bytes, double seconds, const std::string& note) {
  const double share = PartDone(done, total);
  const double rate = static_cast<double>(done) / std::max(seconds, 1e-3);
  std::array<char, 160> text{};
  constexpr int kWidth = 24;
  const int filled = static_cast<int>(share * kWidth);
  const std::string bar =
      std::string(static_cast<size_t>(filled), '#') + std::string(static_cast<size_t>(kWidth - filled), '.');
  const std::string amount =
      bytes ? FormatBytes(done) + " of " + FormatBytes(total) + "  " + FormatBytes(static_cast<int64_t>(rate)) + "/s  "
            : "";
  std::snprintf(text.data(), text.size(), "[%s] %3.0f%%  %s", bar.c_str(), share * 100, amount.c_str());
  if (done <= 0) return text.data() + note;  // how long it takes is not known yet
  const auto left = static_cast<int64_t>(static_cast<double>(total - done) / std::max(rate, 1.0));
  return fmt::format("{}{}:{:02} left  {}", text.data(), left / 60, left % 60, note);
}

void ProgressBar::Clear() {
  if (!shown_) return;
  std::fprintf(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

std::string FormatCount(int64_t count) {
  std::string digits = std::to_string(count);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<size_t>(at), ",");
  }
  return digits;
}

std::string FormatBytes(int64_t bytes) {
  constexpr std::array<const char*, 6> kUnits = {"B", "kB", "MB", "GB", "TB", "PB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), value < 9.95 && unit > 0 ? "%.1f %s" : "%.0f %s", value, kUnits[unit]);
  return text.data();
}

std::string MarkdownText(std::string text) {
  constexpr std::string_view kEnds = " <>";
  for (size_t begin = text.find('<'); begin != std::string::npos; begin = text.find('<', begin + 1)) {
    const size_t end = text.find_first_of(kEnds, begin + 1);
    if (end == std::string::npos || text[end] != '>') continue;
    text.insert(end + 1, 1, '`');
    text.insert(begin++, 1, '`');
  }
  return text;
}

std::string MarkdownCell(std::string text) {
  text = MarkdownText(std::move(text));
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

arrow::Result<std::map<std::string, std::string>> ParseProperties(const std::vector<std::string>& arguments,
                                                                  const std::string& option) {
  std::map<std::string, std::string> properties;
  for (const std::string& argument : arguments) {
    const size_t at = argument.find('=');
    const std::string name = argument.substr(0, at);
    const bool good = !name.empty() && std::ranges::all_of(name, [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
    });
    if (at == std::string::npos || !good)
      return arrow::Status::Invalid(option, " ", argument, ": give it as name=value");
    properties[name] = argument.substr(at + 1);
  }
  return properties;
}

arrow::Result<int> FinishRun(const CommonOptions& common, const Console& console, nlohmann::ordered_json json,
                             const std::function<std::string(const nlohmann::ordered_json&)>& text) {
  json["seconds"] = console.seconds();
  json["peak_memory_bytes"] = PeakMemory();
  json["output"] = NameOfPath(json["output"].get<std::string>());
  return FinishRun(common, console, json, text(json));
}

arrow::Result<int> FinishRun(const CommonOptions& common, const Console& console, const nlohmann::ordered_json& json,
                             const std::string& text) {
  if (!common.summary.empty()) ARROW_RETURN_NOT_OK(WriteNamedFile(common.summary, JsonText(json, 2) + "\n"));
  console.Summary(text, json);
  if (const std::string warning = SummaryWarning(json); !warning.empty()) console.Warning(warning);
  int64_t bad = 0;
  const auto quarantined = json.value("quarantined", nlohmann::ordered_json::object());
  for (const auto& [reason, count] : quarantined.items()) bad += count.get<int64_t>();
  if (!common.max_bad || bad <= *common.max_bad) return kExitDone;
  const std::string stage = json.value("stage", "");
  const std::string output = json.value("output", "");
  std::string where;
  if (IsOnStore(output)) {  // as a pattern, for the hash that names have there
    where = "; see " + output + "/" + StoredName(kQuarantineFolder, "*");
  } else if (const auto place = FindInOutput(output, {kQuarantineFolder, "quarantine/"}); place.ok()) {
    where = "; see " + place->string();
  }
  if (stage.starts_with("train-") || stage == "host-lists") where.clear();  // they keep none
  if (stage == "run") where = std::string("; see ") + kQuarantineFolder + " in the outputs of the stages in " + output;
  console.Error(
      arrow::Status::UnknownError(bad, " records are quarantined, more than --max-bad ", *common.max_bad, where));
  return kExitBadRecords;
}

int Report(const Console& console, const arrow::Status& status) {
  console.Error(status);
  return status.IsInvalid() || status.IsKeyError() || status.IsTypeError() ? kExitUsage : kExitFailed;
}

}  // namespace uzushio
