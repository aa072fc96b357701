#include "base/bounded_child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace uzushio {
namespace {

constexpr rlim_t kMostSeconds = 60;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kBoundsAddresses = false;  // the sanitizer takes all there are
#else
constexpr bool kBoundsAddresses = true;
#endif
constexpr char kWhole = '.';  // behind an answer

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

// Whether all of it was written.
bool WriteAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

std::string ReadAll(int file) {
  std::string all;
  std::string block(size_t{64} << 10, '\0');
  while (true) {
    const ssize_t length = ::read(file, block.data(), block.size());
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return all;
    all.append(block, 0, static_cast<size_t>(length));
  }
}

// An open file of this process, not one of the standard ones: a child puts those in their places.
class ChildFile {
 public:
  explicit ChildFile(int file) : file_(file) {
    if (file_ < 0 || file_ > STDERR_FILENO) return;
    const int moved = ::fcntl(file_, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    ::close(file_);
    file_ = moved;
  }
  ~ChildFile() { Close(); }
  ChildFile(const ChildFile&) = delete;
  ChildFile& operator=(const ChildFile&) = delete;
  void Close() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }
  int get() const { return file_; }

 private:
  int file_;
};

// Starts the program; 0, or the number of an error.
int Spawn(const std::vector<std::string>& command, int input, int output, pid_t* child) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  if (const int error = ::posix_spawn_file_actions_init(&files); error != 0) return error;
  ::posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  // What a library says when there is no more memory.
  ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const int error = ::posix_spawn(child, arguments[0], &files, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  return error;
}

// Waits until the child has ended, and ends it at `deadline`. Whether it has ended well, or may have: somebody else in
// this process may have been told how.
bool WaitFor(pid_t child, std::chrono::steady_clock::time_point deadline) {
  // Without it, as before Linux 5.3, the child is looked after from time to time.
  const ChildFile ended(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  constexpr std::chrono::milliseconds kInterval{2};
  while (true) {
    int status = 0;
    const pid_t waited = ::waitpid(child, &status, WNOHANG);
    if (waited == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (waited < 0 && errno != EINTR) return true;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) break;
    pollfd end = {.fd = ended.get(), .events = POLLIN, .revents = 0};
    ::poll(&end, 1, static_cast<int>((ended.get() < 0 ? std::min(left, kInterval) : left).count()));
  }
  ::kill(child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return false;
}

}  // namespace

arrow::Result<std::string> InBoundedChild(const std::vector<std::string>& command, std::string_view request,
                                          std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  // Files in memory, not pipes: at a pipe, a child that ends early would have this process wait or be ended, and any
  // process that another thread starts meanwhile would keep the answer from having an end.
  const ChildFile input(::memfd_create("request", MFD_CLOEXEC));
  const ChildFile output(::memfd_create("answer", MFD_CLOEXEC));
  if (input.get() < 0 || output.get() < 0 || !WriteAll(input.get(), request)) {
    return arrow::Status::IOError("cannot make a file in memory: ", std::strerror(errno));
  }
  ::lseek(input.get(), 0, SEEK_SET);
  pid_t child = 0;
  const int error = Spawn(command, input.get(), output.get(), &child);
  if (error != 0) return arrow::Status::IOError("cannot start '", command[0], "': ", std::strerror(error));
  const bool has_ended = WaitFor(child, deadline);
  ::lseek(output.get(), 0, SEEK_SET);
  std::string answer = has_ended ? ReadAll(output.get()) : std::string();
  if (answer.empty() || answer.back() != kWhole) {
    return arrow::Status::OutOfMemory("more memory or time than there is for it would be taken");
  }
  answer.pop_back();
  return answer;
}

void BoundThisProcess(int64_t memory) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);  // locks are not to outlive the parent
  Bound(RLIMIT_CORE, 0);
  Bound(RLIMIT_CPU, kMostSeconds);
  Bound(RLIMIT_FSIZE, static_cast<rlim_t>(memory));  // of the answer, which its parent reads
  if (kBoundsAddresses) Bound(RLIMIT_AS, static_cast<rlim_t>(OwnAddresses() + memory));
}

std::string ReadRequest() { return ReadAll(STDIN_FILENO); }

void EndAnswer(std::string_view answer) {
  const bool is_whole = WriteAll(STDOUT_FILENO, answer) && WriteAll(STDOUT_FILENO, std::string_view(&kWhole, 1));
  std::_Exit(is_whole ? EXIT_SUCCESS : EXIT_FAILURE);  // what is to be freed is the system's to free
}

}  // namespace uzushio
