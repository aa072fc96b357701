#include "cli/spark_driver.h"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/options.h"
#include "base/stop.h"
#include "base/utf8.h"
#include "storage/local_files.h"

namespace uzushio {
namespace {

constexpr const char* kAdvice = "; --python names the interpreter of the environment that has uzushio and PySpark";

// The wheel's `uzushio` names the interpreter that it was started by.
std::string PythonOf(const SparkSettings& settings) {
  if (!settings.python.empty()) return settings.python;
  const char* own = std::getenv("UZUSHIO_PYTHON");
  return own == nullptr ? "python3" : own;
}

arrow::Result<std::vector<std::string>> ArgumentsOf(const PreparedStep& step, const OptionTexts& given) {
  std::vector<std::string> arguments = {step.command->name};
  for (const auto& [name, text] : given) {
    const auto option = std::ranges::find(step.command->options, name, &OptionDeclaration::name);
    const std::string flag = option->flag();
    if (option->type == OptionType::kFlag) {
      arguments.push_back(flag);
    } else if (flag.starts_with("--")) {
      arguments.push_back(fmt::format("{}={}", flag, text));
    } else {
      arguments.insert(arguments.end(), {flag, text});
    }
  }
  arguments.push_back("--");
  arguments.insert(arguments.end(), step.inputs.begin(), step.inputs.end());
  for (const std::string& argument : arguments) {
    if (!IsValidUtf8(argument)) return arrow::Status::Invalid(argument, ": is no UTF-8, and Spark has no other names");
  }
  return arguments;
}

}  // namespace

std::string WhyNotOnSpark(const PreparedStep& step) {
  const auto& options = step.command->options;
  const auto is_there = [](const OptionDeclaration& option) { return (option.frontends & kOnSpark) != 0; };
  if (std::ranges::none_of(options, is_there)) return step.command->name + " is not on Spark";
  for (const auto& [name, text] : step.given) {
    const auto option = std::ranges::find(options, name, &OptionDeclaration::name);
    if (!is_there(*option)) return step.command->name + " has no " + option->flag() + " on Spark";
  }
  return "";
}

arrow::Result<std::unique_ptr<SparkDriver>> SparkDriver::Start(const SparkSettings& settings) {
  std::unique_ptr<SparkDriver> driver(new SparkDriver());
  driver->python_ = PythonOf(settings);
  driver->patience_ = settings.patience;
  std::vector<std::string> words = {driver->python_, "-m", "uzushio.spark._driver"};
  if (!settings.master.empty()) words.push_back("--master=" + settings.master);
  for (const std::string& setting : settings.conf) words.push_back("--conf=" + setting);
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return arrow::Status::IOError("cannot make a socket: ", std::strerror(errno));
  }
  driver->socket_ = ends[0];
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const int failed = ::posix_spawnp(&driver->process_, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (failed != 0) {
    driver->process_ = -1;
    return arrow::Status::Invalid("--on spark: cannot start ", driver->python_, ": ", std::strerror(failed), kAdvice);
  }
  ARROW_RETURN_NOT_OK(driver->Answer({}));  // it is there
  return driver;
}

SparkDriver::~SparkDriver() {
  if (socket_ >= 0) ::close(socket_);  // which ends it
  for (const int signal : {SIGTERM, SIGKILL}) {
    if (HasEnded()) return;
    ::kill(process_, signal);
  }
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

// Waits for it, as long as there is patience.
bool SparkDriver::HasEnded() {
  constexpr int kMilliseconds = 20;  // between looks
  const auto until = std::chrono::steady_clock::now() + patience_;
  while (process_ > 0) {
    const pid_t ended = ::waitpid(process_, nullptr, WNOHANG);
    if (ended == process_ || (ended < 0 && errno != EINTR)) process_ = -1;
    if (ended == 0 && std::chrono::steady_clock::now() >= until) return false;
    if (ended == 0) ::poll(nullptr, 0, kMilliseconds);
  }
  return true;
}

arrow::Status SparkDriver::Check(const PreparedStep& step, const OptionTexts& given) {
  ARROW_ASSIGN_OR_RAISE(const auto arguments, ArgumentsOf(step, given));
  return Ask({{"do", "check"}, {"arguments", arguments}}, {}).status();
}

arrow::Result<nlohmann::ordered_json> SparkDriver::Run(const PreparedStep& step, const OptionTexts& given,
                                                       const std::function<void(const std::string& note)>& tell) {
  ARROW_ASSIGN_OR_RAISE(const auto arguments, ArgumentsOf(step, given));
  ARROW_ASSIGN_OR_RAISE(const auto answer, Ask({{"do", "run"}, {"arguments", arguments}}, tell));
  const auto summary = answer.find("summary");
  if (summary == answer.end() || !summary->is_object()) return NoSuchAnswer();
  return *summary;
}

arrow::Result<nlohmann::ordered_json> SparkDriver::Ask(const nlohmann::json& question,
                                                       const std::function<void(const std::string& note)>& tell) {
  const std::string text = JsonText(question) + "\n";
  for (std::string_view left = text; !left.empty();) {
    const ssize_t sent = ::send(socket_, left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) break;  // it has ended: so will its answers
    if (sent > 0) left.remove_prefix(static_cast<size_t>(sent));
  }
  return Answer(tell);
}

arrow::Result<nlohmann::ordered_json> SparkDriver::Answer(const std::function<void(const std::string& note)>& tell) {
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const std::string line, ReadLine());
    auto answer = nlohmann::ordered_json::parse(line, nullptr, false);
    if (!answer.is_object()) return NoSuchAnswer();
    const auto note = answer.find("note");
    const auto error = answer.find("error");
    const auto said = note != answer.end() ? note : error;
    if (said == answer.end()) return answer;
    if (!said->is_string()) return NoSuchAnswer();
    const auto text = said->get<std::string>();
    if (said == error) {
      const bool is_usage = answer.contains("is_usage") && answer["is_usage"] == true;
      return is_usage ? arrow::Status::Invalid(text) : arrow::Status::IOError(text);
    }
    if (tell) tell(text);
  }
}

arrow::Status SparkDriver::NoSuchAnswer() const {
  return arrow::Status::IOError("--on spark: ", python_, " does not answer as it should");
}

arrow::Result<std::string> SparkDriver::ReadLine() {
  constexpr int kMilliseconds = 100;  // between looks at whether the answer is still wanted
  std::string block(size_t{64} << 10, '\0');
  size_t end = 0;
  while ((end = read_.find('\n')) == std::string::npos) {
    ARROW_RETURN_NOT_OK(CheckStop());
    pollfd ready = {.fd = socket_, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, kMilliseconds) <= 0) continue;
    const ssize_t length = ::read(socket_, block.data(), block.size());
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return arrow::Status::IOError("--on spark: ", python_, " has ended", kAdvice);
    read_.append(block, 0, static_cast<size_t>(length));
  }
  std::string line = read_.substr(0, end);
  read_.erase(0, end + 1);
  return line;
}

}  // namespace uzushio
