#include "cli/commands_list.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/installation.h"
#include "base/machine.h"
#include "base/memory_plan.h"
#include "cli/terminal.h"
#include "filters/preset.h"
#include "lang/classifier.h"
#include "lm/fasttext.h"
#include "lm/language_model.h"
#include "lm/tokenizer.h"
#include "storage/inputs.h"
#include "storage/local_files.h"
#include "storage/spill.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

struct DoctorArguments {
  CommonOptions common;
  std::vector<std::string> inputs;  // places
};

// What was found, or what is wrong and what to do.
struct Finding {
  std::string of;
  arrow::Result<std::string> found;
  bool is_optional = false;  // most do without
};

// --- the machine ---

arrow::Result<std::string> MemoryFound() {
  const int64_t whole = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
  const int64_t allowed = MachineMemory();
  std::string text = FormatBytes(whole);
  if (allowed < whole) text += ", " + FormatBytes(allowed) + " by a control group's limit";
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    return arrow::Status::Invalid(text, ", but `ulimit -v` leaves ", FormatBytes(static_cast<int64_t>(limit.rlim_cur)),
                                  " of addresses, which mapped files need, too; ulimit -v unlimited");
  }
  const int64_t least = kFilterMemory.With(1);
  if (DefaultMemory() < least) {
    return arrow::Status::Invalid(text, ": one thread needs ", FormatBytes(2 * least), " there; allow more");
  }
  return text + "; a run takes " + FormatBytes(DefaultMemory()) + " where --memory does not say";
}

// --- dictionaries and tools ---

arrow::Result<std::string> SudachiFound() {
  constexpr const char* kFor = "; for perplexity and --tokens sudachi-…";
  const auto found = SudachiDictionary::Find("");
  if (!found.ok()) return found.status().WithMessage(found.status().message(), kFor);
  const std::string& path = *found;
  ARROW_RETURN_NOT_OK(SudachiDictionary::Open(path));
  return path;
}

// A file beside the program, or below its folder.
arrow::Result<std::string> InstalledFound(const std::vector<std::string>& names) {
  std::vector<std::string> missing;
  for (const std::string& name : names) {
    const bool found = std::ranges::any_of(OwnFolders(), [&name](const fs::path& folder) {
      std::error_code error;
      return fs::exists(folder / name, error);
    });
    if (!found) missing.push_back(name);
  }
  if (missing.empty()) return fmt::format("{}", fmt::join(names, ", "));
  return arrow::Status::Invalid(fmt::format("{}", fmt::join(missing, ", ")),
                                ": not beside the program; install the package again, whole");
}

arrow::Result<std::string> ChainsFound() {
  const std::vector<std::string> names = InstalledChains();
  if (!names.empty()) return fmt::format("{}", fmt::join(names, ", "));
  return arrow::Status::Invalid("no chain is beside the program; install the package again, whole");
}

// --- Spark ---

// What stands between quotes behind `name` in a file.
std::string QuotedValue(const fs::path& path, const std::string& name) {
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(name)) continue;
    const size_t begin = line.find('"');
    if (begin != std::string::npos) return line.substr(begin + 1, line.find('"', begin + 1) - begin - 1);
  }
  return "of an unknown version";
}

arrow::Result<std::string> JavaFound() {
  constexpr const char* kHelp = "; Spark needs Java 17: apt install openjdk-17-jre-headless, or set JAVA_HOME";
  std::vector<fs::path> programs;
  const char* home = std::getenv("JAVA_HOME");
  if (home != nullptr && *home != '\0') {
    programs.push_back(fs::path(home) / "bin" / "java");
  } else if (const char* path = std::getenv("PATH")) {
    const std::string_view folders = path;
    for (size_t begin = 0; begin < folders.size();) {
      const size_t end = std::min(folders.find(':', begin), folders.size());
      programs.push_back(fs::path(folders.substr(begin, end - begin)) / "java");
      begin = end + 1;
    }
  }
  for (const fs::path& program : programs) {
    if (::access(program.c_str(), X_OK) != 0) continue;
    std::error_code error;
    const fs::path real = fs::canonical(program, error);
    return QuotedValue(real.parent_path().parent_path() / "release", "JAVA_VERSION=") + ", " + program.string();
  }
  if (home != nullptr && *home != '\0')
    return arrow::Status::Invalid("JAVA_HOME ", home, ": no bin/java is there", kHelp);
  return arrow::Status::Invalid("no java in PATH", kHelp);
}

arrow::Result<std::string> PySparkFound() {
  for (const fs::path& packages : PythonPackageFolders()) {
    std::error_code error;
    const fs::path version = packages / "pyspark" / "version.py";
    if (fs::exists(version, error)) return QuotedValue(version, "__version__") + ", " + (packages / "pyspark").string();
  }
  return arrow::Status::Invalid("not in the active virtual environment; pip install 'uzushio[spark]' there");
}

// --- places ---

// Of this many bytes; more than a disk's own cache takes at once.
constexpr int64_t kMeasuredBytes = int64_t{64} << 20;

arrow::Status WriteMeasured(int file, const fs::path& folder) {
  const std::string block(1 << 20, 'u');
  for (int64_t written = 0; written < kMeasuredBytes; written += static_cast<int64_t>(block.size())) {
    const ssize_t count = ::pwrite(file, block.data(), block.size(), written);
    if (count != static_cast<ssize_t>(block.size())) return SpillError(folder, "write to", count < 0 ? errno : ENOSPC);
  }
  if (::fsync(file) != 0) return SpillError(folder, "write to", errno);
  return arrow::Status::OK();
}

arrow::Status ReadMeasured(int file, const fs::path& folder) {
  std::string block(1 << 20, '\0');
  ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);  // from the disk
  for (int64_t read = 0; read < kMeasuredBytes; read += static_cast<int64_t>(block.size())) {
    if (::pread(file, block.data(), block.size(), read) < 0) return SpillError(folder, "read from", errno);
  }
  return arrow::Status::OK();
}

// Bytes a second of what is done.
template <typename Do>
arrow::Result<int64_t> RateOf(Do act) {
  const auto start = std::chrono::steady_clock::now();
  ARROW_RETURN_NOT_OK(act());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return static_cast<int64_t>(static_cast<double>(kMeasuredBytes) / std::max(seconds, 1e-6));
}

// By a file without a name, which is gone whatever happens.
arrow::Result<std::string> DiskFound(const std::string& folder) {
  ARROW_ASSIGN_OR_RAISE(const int file, OpenUnnamed(folder));
  const auto written = RateOf([&] { return WriteMeasured(file, folder); });
  const auto read = written.ok() ? RateOf([&] { return ReadMeasured(file, folder); }) : written;
  ::close(file);
  ARROW_RETURN_NOT_OK(read.status());
  struct statvfs space{};
  ::statvfs(folder.c_str(), &space);
  return fmt::format("writes {}/s, reads {}/s, {} free", FormatBytes(*written), FormatBytes(*read),
                     FormatBytes(static_cast<int64_t>(space.f_bavail * space.f_frsize)));
}

// A file is a model, or a dictionary, or of no use.
arrow::Result<std::string> ModelFound(const std::string& file) {
  if (LanguageClassifier::Open(file).ok()) return "a model for --japanese-test";
  if (SudachiDictionary::Open(file).ok()) return "a dictionary of Sudachi";
  if (LanguageModel::Open(file).ok()) return "a language model of KenLM";
  if (FastTextModel::Open(file).ok()) return "a classifier for the filter FastText";
  return arrow::Status::Invalid(
      "neither a model that `uzushio train-language`, `train-lm` or `train-classifier` makes, ", "nor a dictionary");
}

arrow::Result<std::string> PlaceFound(const std::string& place) {
  if (place.find("://") != std::string::npos) {
    auto described = DescribePlace(place);
    if (described.ok() || described.status().IsInvalid() || !place.starts_with("s3")) return described;
    return described.status().WithMessage(described.status().message(), "; access is by AWS_ACCESS_KEY_ID and ",
                                          "AWS_SECRET_ACCESS_KEY or ~/.aws, AWS_DEFAULT_REGION, and AWS_ENDPOINT_URL ",
                                          "for servers other than Amazon's");
  }
  ARROW_ASSIGN_OR_RAISE(const bool is_folder, IsFolder(place));
  if (is_folder) return DiskFound(place);
  std::error_code error;
  if (fs::is_regular_file(place, error)) return ModelFound(place);
  return arrow::Status::Invalid("no such file or folder; mkdir -p it, or give another");
}

arrow::Result<int> Run(DoctorArguments* arguments, const Console& console) {
  std::vector<Finding> findings = {
      {"memory", MemoryFound()},         {"threads", std::to_string(MachineThreads())},
      {"chains", ChainsFound()},         {"KenLM", InstalledFound({"lmplz", "build_binary"})},
      {"Sudachi", SudachiFound(), true}, {"Java", JavaFound(), std::getenv("JAVA_HOME") == nullptr},
      {"PySpark", PySparkFound(), true}};
  if (arguments->inputs.empty()) arguments->inputs = {"."};
  for (const std::string& place : arguments->inputs) findings.push_back({WithoutCredentials(place), PlaceFound(place)});
  const bool colour = console.hooks().print == nullptr && HasColour(STDOUT_FILENO);
  int64_t missing = 0;
  for (const auto& [of, found, is_optional] : findings) {
    missing += found.ok() || is_optional ? 0 : 1;
    const std::string state = found.ok()    ? "ok     "
                              : is_optional ? "without"
                                            : Styled("missing", Style::kError, colour);
    console.Print(fmt::format("  {}  {}: {}\n", state, of, found.ok() ? *found : found.status().message()));
  }
  console.Print(missing == 0 ? "all that every run needs is there\n"
                             : fmt::format("{} of {} missing\n", missing, findings.size()));
  return missing == 0 ? kExitDone : kExitFailed;
}

}  // namespace

Command DoctorCommand() {
  return WithExamples(
      MakeCommand("doctor", "Check the machine and the installation",
                  {"PLACE",
                   "Folders (their disks are measured with 64 MiB), models, dictionaries, s3://, gs:// or abfs:// "
                   "paths (access is "
                   "tested) (default: this folder). The exit code is 1 if something is missing that every run needs",
                   false, true},
                  Options<DoctorArguments>(), &Run),
      {"uzushio doctor", "uzushio doctor documents ja.model"});
}

}  // namespace uzushio
