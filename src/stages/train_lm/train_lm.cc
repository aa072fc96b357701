#include "stages/train_lm/train_lm.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include "base/memory_plan.h"
#include "base/ordered.h"
#include "base/stop.h"
#include "base/utf8.h"
#include "datasets/dataset.h"
#include "datasets/dataset_check.h"
#include "document/markup.h"
#include "document/paragraph_writer.h"
#include "lm/tokenizer.h"
#include "storage/local_files.h"
#include "storage/temporary_folder.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

// A tool of KenLM: beside this program, in the folder `bin` of the Python module that this code is part of, or on the
// PATH.
std::string FindTool(const std::string& name) {
  std::error_code error;
  const fs::path beside = fs::read_symlink("/proc/self/exe", error).parent_path() / name;
  if (fs::exists(beside, error)) return beside.string();
  Dl_info info;
  if (::dladdr(reinterpret_cast<const void*>(&FindTool), &info) != 0) {
    const fs::path of_module = fs::path(info.dli_fname).parent_path() / "bin" / name;
    if (fs::exists(of_module, error)) return of_module.string();
  }
  return name;
}

// Where SIGCHLD is ignored, as a parent may have left it, the system forgets how children end. While this lives, it
// does not.
class RememberedChildren {
 public:
  RememberedChildren() {
    ::sigaction(SIGCHLD, nullptr, &before_);
    forgot_ = before_.sa_handler == SIG_IGN || (before_.sa_flags & SA_NOCLDWAIT) != 0;
    if (!forgot_) return;
    struct sigaction action = before_;
    action.sa_flags &= ~SA_NOCLDWAIT;
    if (action.sa_handler == SIG_IGN) action.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &action, nullptr);
  }
  ~RememberedChildren() {
    if (forgot_) ::sigaction(SIGCHLD, &before_, nullptr);
  }
  RememberedChildren(const RememberedChildren&) = delete;
  RememberedChildren& operator=(const RememberedChildren&) = delete;

 private:
  struct sigaction before_{};
  bool forgot_ = false;
};

// A process whose standard input is a pipe, and whose messages go to a file.
class Tool {
 public:
  Tool(std::string name, fs::path messages) : name_(std::move(name)), messages_(std::move(messages)) {}
  ~Tool() {
    if (input_ >= 0) ::close(input_);
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
    }
    std::error_code error;
    fs::remove(messages_, error);
  }
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;

  arrow::Status Start(const std::vector<std::string>& arguments) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return arrow::Status::IOError("cannot make a pipe");
    input_ = ends[1];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const std::string path = FindTool(name_);
    std::vector<char*> pointers = {const_cast<char*>(path.c_str())};
    for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);
    const int failed = ::posix_spawnp(&process_, path.c_str(), &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[0]);
    if (failed == 0) return arrow::Status::OK();
    process_ = -1;
    return arrow::Status::Invalid("cannot start KenLM's ", name_, ": ", std::strerror(failed),
                                  "; it belongs beside this program or on the PATH");
  }

  arrow::Status Write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(input_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {  // it has ended: its message says why
        ARROW_RETURN_NOT_OK(Wait());
        return arrow::Status::IOError("KenLM's ", name_, " ended before it had read all");
      }
      text.remove_prefix(static_cast<size_t>(written));
    }
    return arrow::Status::OK();
  }

  arrow::Status Wait() {
    if (input_ >= 0) ::close(std::exchange(input_, -1));
    int state = 0;
    while (true) {
      const pid_t ended = ::waitpid(process_, &state, WNOHANG);
      if (ended == process_) break;
      if (ended < 0 && errno != EINTR) {
        const int error = errno;
        process_ = -1;
        return arrow::Status::IOError(
            "KenLM's ", name_, ": whether it succeeded is not known (waitpid: ", std::strerror(error),
            "); something else in this process waits for its ", "children, or ignores SIGCHLD");
      }
      ARROW_RETURN_NOT_OK(CheckStop());
      std::this_thread::sleep_for(kPoll);
    }
    process_ = -1;
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return arrow::Status::OK();
    return arrow::Status::IOError("KenLM's ", name_, " failed: ", LastMessage());
  }

 private:
  std::string LastMessage() const {
    std::ifstream file(messages_);
    std::string last = "it says nothing";
    for (std::string line; std::getline(file, line);) {
      if (!line.empty()) last = line;
    }
    return last;
  }

  static constexpr std::chrono::milliseconds kPoll{20};  // for its end, which takes seconds

  std::string name_;
  fs::path messages_;
  pid_t process_ = -1;
  int input_ = -1;
};

// The tokens of paragraphs, one thread's.
class TokenLines {
 public:
  explicit TokenLines(const std::shared_ptr<const SudachiDictionary>& dictionary) : tokenizer_(dictionary) {}

  void Add(std::string_view document) {
    if (!IsValidUtf8(document)) return result.quarantined.Add("no-utf8");
    ++result.documents;
    ParagraphReader reader(document);
    while (const auto paragraph = reader.Next()) {
      const std::string_view text = PlainParagraph(*paragraph, &buffer_);
      if (text.empty()) continue;
      ++result.paragraphs;
      const size_t before = lines.size();
      tokenizer_.ForEachToken(text, [this, before](std::string_view token) {
        if (lines.size() > before) lines += ' ';
        lines += token;
        ++result.tokens;
      });
      lines += '\n';
    }
  }

  std::string lines;
  TrainLmResult result;

 private:
  Tokenizer tokenizer_;
  std::string buffer_;
};

arrow::Status WriteTokens(const TrainLmConfig& config, const std::vector<Split>& splits,
                          const std::shared_ptr<const SudachiDictionary>& dictionary, Tool* lmplz,
                          TrainLmResult* result, const std::function<void(double)>& on_progress) {
  constexpr size_t kBlock = size_t{1} << 20;
  std::vector<std::unique_ptr<TokenLines>> threads;
  threads.reserve(static_cast<size_t>(config.threads));
  for (int i = 0; i < config.threads; ++i) threads.push_back(std::make_unique<TokenLines>(dictionary));
  OrderedResults<std::string> results(PlanTrain(config.memory, config.threads).results,
                                      [lmplz](const std::string& lines) { return lmplz->Write(lines); });
  TextReaderOptions reader = config.reader;
  reader.memory = PlanTrain(config.memory, config.threads).reader;
  const auto read = [&](size_t thread, size_t split) -> arrow::Status {
    TokenLines* lines = threads[thread].get();
    const auto hand_on = [&] {
      const auto bytes = static_cast<int64_t>(lines->lines.size());
      return results.Add(split, std::exchange(lines->lines, {}), bytes);
    };
    ARROW_RETURN_NOT_OK(ReadTexts(
        splits[split], reader,
        [&](std::string_view text) {
          lines->Add(text);
          return lines->lines.size() >= kBlock ? hand_on() : arrow::Status::OK();
        },
        [lines](const QuarantinedRecord& record) {
          lines->result.quarantined.Add(record.reason);
          return arrow::Status::OK();
        },
        &lines->result.cuts));
    return hand_on();
  };
  ARROW_RETURN_NOT_OK(OrderedFor(config.threads, splits, &results, on_progress, read));
  for (const auto& lines : threads) {
    result->documents += lines->result.documents;
    result->paragraphs += lines->result.paragraphs;
    result->tokens += lines->result.tokens;
    result->cuts += lines->result.cuts;
    result->quarantined.Add(lines->result.quarantined);
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<TrainLmResult> TrainLm(const TrainLmConfig& config, const std::function<void(double)>& on_progress) {
  ARROW_ASSIGN_OR_RAISE(const auto splits, FindTextSplits(config.inputs, config.reader));
  ARROW_ASSIGN_OR_RAISE(const auto dictionary, SudachiDictionary::Open(config.sudachi));
  TextForms forms;
  ARROW_RETURN_NOT_OK(CheckDatasets(config.inputs, config.allow_incomplete, config.threads, &forms));
  ARROW_ASSIGN_OR_RAISE(const fs::path output, AbsolutePath(config.output));
  ARROW_RETURN_NOT_OK(MakeFolder(output.parent_path()));
  const std::string name = "." + output.filename().string();
  ARROW_ASSIGN_OR_RAISE(const auto tmp, TemporaryFolder::MakeAfterKilled(fs::path(config.tmp) / name));
  ARROW_ASSIGN_OR_RAISE(const auto beside, TemporaryFolder::MakeAfterKilled(output.parent_path() / name));
  const std::string arpa = tmp->path() / "arpa";
  const fs::path binary = beside->path() / "binary";
  const fs::path messages = tmp->path() / "messages";
  std::signal(SIGPIPE, SIG_IGN);
  const RememberedChildren remembered;

  TrainLmResult result;
  {
    Tool lmplz("lmplz", messages);
    std::vector<std::string> arguments = {"-o",
                                          std::to_string(config.order),
                                          "-T",
                                          config.tmp,
                                          "-S",
                                          std::to_string(PlanTrain(config.memory, config.threads).lmplz >> 20) + "M",
                                          "--skip_symbols",
                                          "--discount_fallback",
                                          "--arpa",
                                          arpa};
    if (!config.prune.empty()) arguments.emplace_back("--prune");
    for (const int least : config.prune) arguments.push_back(std::to_string(least));
    ARROW_RETURN_NOT_OK(lmplz.Start(arguments));
    ARROW_RETURN_NOT_OK(WriteTokens(config, splits, dictionary, &lmplz, &result, on_progress));
    ARROW_RETURN_NOT_OK(lmplz.Wait());
  }
  Tool build_binary("build_binary", messages);
  ARROW_RETURN_NOT_OK(build_binary.Start({"-T", config.tmp + "/", config.type, arpa, binary.string()}));
  ARROW_RETURN_NOT_OK(build_binary.Wait());
  std::error_code error;
  result.bytes = static_cast<int64_t>(fs::file_size(binary, error));
  if (error) return arrow::Status::IOError("cannot look at ", binary.string(), ": ", error.message());
  ARROW_RETURN_NOT_OK(CheckUnchanged(config.inputs));
  ARROW_RETURN_NOT_OK(PutInPlace(binary, output, config.overwrite));
  return result;
}

}  // namespace uzushio
