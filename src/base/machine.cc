#include "base/machine.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace uzushio {
namespace {

namespace fs = std::filesystem;

// A file's first number; nothing where there is no such file, or where it says `max` or, as version 1 does, -1.
std::optional<int64_t> ReadNumber(const fs::path& path) {
  std::ifstream stream(path);
  int64_t number = 0;
  if (stream >> number && number >= 0) return number;
  return std::nullopt;
}

// The number behind a word at the beginning of a line.
std::optional<int64_t> ReadNumberAfter(const fs::path& path, std::string_view word) {
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(word)) return std::strtoll(line.c_str() + word.size(), nullptr, 10);
  }
  return std::nullopt;
}

bool Lists(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    if (list.substr(0, end) == name) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

// `\040` for a space and so on, as mountinfo writes names.
std::string UnescapedMount(std::string_view name) {
  std::string plain;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '\\' && i + 3 < name.size()) {
      plain += static_cast<char>(std::strtol(std::string(name.substr(i + 1, 3)).c_str(), nullptr, 8));
      i += 3;
    } else {
      plain += name[i];
    }
  }
  return plain;
}

// Where a hierarchy of control groups is mounted, and which of its groups is there.
struct Mount {
  std::string group;
  std::string place;
};

// Of version 1 that of `controller`; of version 2 the one that there is.
std::optional<Mount> FindMount(const fs::path& root, int version, std::string_view controller) {
  std::ifstream stream(root / "proc/self/mountinfo");
  for (std::string line; std::getline(stream, line);) {
    std::istringstream fields(line);
    std::string skipped;
    Mount mount;
    fields >> skipped >> skipped >> skipped >> mount.group >> mount.place;
    while (fields >> skipped && skipped != "-") {
    }
    std::string type;
    std::string source;
    std::string options;
    fields >> type >> source >> options;
    if (version == 2 ? type == "cgroup2" : type == "cgroup" && Lists(options, controller)) {
      return Mount{UnescapedMount(mount.group), UnescapedMount(mount.place)};
    }
  }
  return std::nullopt;
}

// The path of the process' group, as /proc/self/cgroup has it: `0::/path`, or `4:cpu,cpuacct:/path`.
std::optional<std::string> FindGroup(const fs::path& root, int version, std::string_view controller) {
  std::ifstream stream(root / "proc/self/cgroup");
  for (std::string line; std::getline(stream, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers = std::string_view(line).substr(first + 1, second - first - 1);
    if (version == 2 ? line.starts_with("0::") : Lists(controllers, controller)) return line.substr(second + 1);
  }
  return std::nullopt;
}

// The folders of the process' group and of all above it that can be seen. A container may be shown its own group as the
// root of all, and a path of the host that is not there.
std::vector<fs::path> GroupFolders(const fs::path& root, int version, std::string_view controller) {
  const auto mount = FindMount(root, version, controller);
  const auto group = FindGroup(root, version, controller);
  if (!mount || !group) return {};
  fs::path below = fs::path(*group).lexically_relative(mount->group);
  if (below.empty() || *below.begin() == "..") below = ".";
  fs::path folder = root / fs::path(mount->place).relative_path();
  std::vector<fs::path> folders = {folder};
  for (const fs::path& name : below) {
    if (name == "..") break;
    folder /= name;
    folders.push_back(folder);
  }
  return folders;
}

int64_t GroupMemory(const fs::path& root) {
  int64_t least = std::numeric_limits<int64_t>::max();
  const auto bound = [&least](std::optional<int64_t> limit) { least = std::min(least, limit.value_or(least)); };
  for (const fs::path& folder : GroupFolders(root, 2, "")) {
    bound(ReadNumber(folder / "memory.max"));
    bound(ReadNumber(folder / "memory.high"));
  }
  for (const fs::path& folder : GroupFolders(root, 1, "memory")) {
    bound(ReadNumber(folder / "memory.limit_in_bytes"));
    bound(ReadNumberAfter(folder / "memory.stat", "hierarchical_memory_limit "));
  }
  return least;
}

// Processors' worth of time, rounded up.
int QuotaThreads(const fs::path& root) {
  int64_t least = std::numeric_limits<int>::max();
  const auto bound = [&least](std::optional<int64_t> quota, std::optional<int64_t> period) {
    if (quota && period && *quota > 0 && *period > 0) least = std::min(least, (*quota - 1) / *period + 1);
  };
  for (const fs::path& folder : GroupFolders(root, 2, "")) {
    std::ifstream stream(folder / "cpu.max");
    int64_t quota = 0;
    int64_t period = 0;
    if (stream >> quota >> period) bound(quota, period);
  }
  for (const fs::path& folder : GroupFolders(root, 1, "cpu")) {
    bound(ReadNumber(folder / "cpu.cfs_quota_us"), ReadNumber(folder / "cpu.cfs_period_us"));
  }
  return static_cast<int>(least);
}

// How many numbers a list such as `0-3,8` names.
int CountListed(const std::string& list) {
  int64_t count = 0;
  std::istringstream ranges(list);
  for (std::string range; std::getline(ranges, range, ',');) {
    char* end = nullptr;
    const int64_t first = std::strtoll(range.c_str(), &end, 10);
    count += *end == '-' ? std::strtoll(end + 1, nullptr, 10) - first + 1 : 1;
  }
  return static_cast<int>(std::clamp<int64_t>(count, 0, std::numeric_limits<int>::max()));
}

// What sched_getaffinity says of the process' first thread, however many processors there are.
int AllowedProcessors(const fs::path& root) {
  constexpr std::string_view kAllowed = "Cpus_allowed_list:";
  std::ifstream stream(root / "proc/self/status");
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(kAllowed)) return CountListed(line.substr(kAllowed.size()));
  }
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

bool HasAvx2() {
#if defined(__x86_64__)
  static const bool wide = __builtin_cpu_supports("avx2") != 0;
  return wide;
#else
  return false;
#endif
}

int64_t MachineMemory(const fs::path& root) {
  const auto kilobytes = ReadNumberAfter(root / "proc/meminfo", "MemTotal:");
  const int64_t physical =
      kilobytes ? *kilobytes * 1024 : static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
  return std::min(physical, GroupMemory(root));
}

int64_t ResidentMemory() {
  std::ifstream stream("/proc/self/statm");  // pages: all that are mapped, then those that are there
  int64_t mapped = 0;
  int64_t resident = 0;
  return stream >> mapped >> resident ? resident * sysconf(_SC_PAGE_SIZE) : 0;
}

int64_t DefaultMemory() { return MachineMemory() / 2; }

int MachineThreads(const fs::path& root) { return std::max(1, std::min(AllowedProcessors(root), QuotaThreads(root))); }

int MachineThreads() {
  static const int kThreads = MachineThreads("/");
  return kThreads;
}

}  // namespace uzushio
