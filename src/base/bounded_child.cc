#include "base/bounded_child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <fstream>
#include <string_view>

namespace uzushio {
namespace {

constexpr rlim_t kMostSeconds = 60;
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kBoundsAddresses = false;  // the sanitizer takes all there are
#else
constexpr bool kBoundsAddresses = true;
#endif
constexpr char kWhole = '.';  // behind what the work has returned

void Bound(int what, rlim_t most) {
  const rlimit limit = {most, most};
  ::setrlimit(what, &limit);
}

// The bytes of addresses that this process has.
int64_t OwnAddresses() {
  int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * ::sysconf(_SC_PAGESIZE);
}

void WriteAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) bytes.remove_prefix(static_cast<size_t>(written));
  }
}

// What comes until the other end is closed, or until `deadline`.
std::string ReadAll(int file, std::chrono::steady_clock::time_point deadline) {
  std::string all;
  std::string block(size_t{64} << 10, '\0');
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return {};
    pollfd waited = {.fd = file, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&waited, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR) return {};
    if (ready <= 0) continue;
    const ssize_t length = ::read(file, block.data(), block.size());
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return all;
    all.append(block, 0, static_cast<size_t>(length));
  }
}

[[noreturn]] void Work(const std::function<std::string()>& work, int64_t memory, int answer) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // locks that this copy shares are not to outlive the parent
  const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing >= 0) ::dup2(nothing, STDERR_FILENO);  // what a library says when there is no more
  Bound(RLIMIT_CORE, 0);
  Bound(RLIMIT_CPU, kMostSeconds);
  if (kBoundsAddresses) Bound(RLIMIT_AS, static_cast<rlim_t>(OwnAddresses() + memory));
  try {
    const std::string result = work();
    WriteAll(answer, result);
    WriteAll(answer, std::string_view(&kWhole, 1));
  } catch (const std::exception&) {
    ::_exit(1);  // the parent sees that the answer is not whole
  }
  ::_exit(0);
}

}  // namespace

arrow::Result<std::string> InBoundedChild(const std::function<std::string()>& work, int64_t memory,
                                          std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return arrow::Status::IOError("cannot make a pipe: ", std::strerror(errno));
  const pid_t child = ::fork();
  if (child == 0) Work(work, memory, ends[1]);
  const int error = errno;
  ::close(ends[1]);
  std::string answer = child < 0 ? "" : ReadAll(ends[0], deadline);
  ::close(ends[0]);
  if (child < 0) return arrow::Status::IOError("cannot start a process: ", std::strerror(error));
  ::kill(child, SIGKILL);  // it has answered, or is not to any more
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (answer.empty() || answer.back() != kWhole) {
    return arrow::Status::OutOfMemory("more than ", memory >> 20, "MiB, or too much time, would be taken");
  }
  answer.pop_back();
  return answer;
}

}  // namespace uzushio
