// The program `uzushio`.
#include <arrow/filesystem/filesystem.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string_view>

#include "base/installation.h"
#include "base/memory.h"
#include "cli/app.h"
#include "filters/hocon.h"

namespace {

// Files that are opened later are not to be taken for standard input, output and error where these are closed.
void KeepStandardFiles() {
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file) {
    if (::fcntl(file, F_GETFD) < 0) ::open("/dev/null", O_RDONLY);  // what is written there fails, as it did
  }
}

// This process; copies of it that are made for a piece of work say nothing.
pid_t program = 0;

// Says that a signal has come, and ends by it, as without. Only calls that a signal may interrupt.
void EndBySignal(int signal) {
  constexpr std::string_view kInterrupted =
      "\nuzushio: interrupted; no unfinished output was committed. The same command starts again, or goes on where it "
      "can\n";
  if (::getpid() == program) {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kInterrupted.data(), kInterrupted.size());
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Where signals end the program at all: a shell lets programs in the background ignore SIGINT.
void AcknowledgeSignals() {
  program = ::getpid();
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction now = {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) std::signal(signal, EndBySignal);
  }
}

}  // namespace

int main(int argc, char** argv) {
  KeepStandardFiles();
  uzushio::ThisIsTheProgram();
  if (argc == 2 && std::strcmp(argv[1], uzushio::kAnswerHocon) == 0) {
    uzushio::AnswerHocon();
    return 0;
  }
  AcknowledgeSignals();
  uzushio::KeepFreedMemory(4 << 20, 32 << 20);
  int code = uzushio::kExitFailed;
  try {
    code = uzushio::RunApp({argv + 1, argv + argc});
  } catch (const std::exception& error) {  // not even memory for what there is to say
    std::fprintf(stderr, "uzushio: error: %s\n", error.what());
  }
  arrow::fs::EnsureFinalized();  // threads of S3's library
  const bool is_flushed = std::fflush(stdout) == 0;
  if (!is_flushed || std::ferror(stdout) != 0) {
    const char* const why = is_flushed ? "a part is lost" : std::strerror(errno);  // of an earlier write it is gone
    std::fprintf(stderr, "uzushio: error: cannot write to standard output: %s\n", why);
    return uzushio::kExitFailed;
  }
  return code;
}
