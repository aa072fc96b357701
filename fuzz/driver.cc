// Runs a fuzz target without libFuzzer, which only Clang has: on files, and, for some seconds, on what mutations make
// of them, blindly. Sees what aborts, or what the sanitizers of the build see; reached code does not guide it.
//
// Usage: TARGET [-max_total_time=SECONDS] [-max_len=BYTES] [-artifact_prefix=PREFIX] FILE|FOLDER…  Other options of
// libFuzzer are not looked at. The input that ends the process is written to PREFIXfinding.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed)
    __attribute__((weak));

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostMutations = 4;

struct Options {
  long seconds = 0;
  size_t max_size = 65536;
  std::string prefix;
};

std::minstd_rand random_bytes(1);

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// What is run, for the handler of signals.
std::string_view current;
std::string finding_path;

void WriteFinding(int number) {
  const int file = ::open(finding_path.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
  if (file >= 0) (void)!::write(file, current.data(), current.size());
  ::signal(number, SIG_DFL);
  ::raise(number);
}

void Run(const std::string& input) {
  current = input;
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

std::string Mutate(std::string input, size_t max_size) {
  const size_t size = std::min(input.size(), max_size);
  input.resize(max_size);
  auto* data = reinterpret_cast<uint8_t*>(input.data());
  const size_t mutated = LLVMFuzzerCustomMutator != nullptr
                             ? LLVMFuzzerCustomMutator(data, size, max_size, static_cast<unsigned>(random_bytes()))
                             : LLVMFuzzerMutate(data, size, max_size);
  input.resize(mutated);
  return input;
}

}  // namespace

// Changes, doubles, takes away and puts in bytes.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  for (size_t times = 1 + random_bytes() % kMostMutations; times > 0; --times) {
    const size_t at = random_bytes() % (bytes.size() + 1);
    const size_t length = 1 + random_bytes() % 16;
    switch (random_bytes() % 5) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ 1 << random_bytes() % 8);
        break;
      case 1:
        if (at < bytes.size()) bytes[at] = static_cast<char>(random_bytes() >> 8);
        break;
      case 2:
        bytes.erase(at, length);
        break;
      case 3:
        bytes.insert(at, bytes.substr(random_bytes() % (bytes.size() + 1), length));
        break;
      default:
        bytes.insert(at, 1, static_cast<char>(random_bytes() >> 8));
    }
  }
  return uzushio_fuzz::Put(bytes, data, max_size);
}

int main(int argc, char** argv) {
  Options options;
  std::vector<std::string> inputs;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::string value(argument.substr(std::min(argument.find('=') + 1, argument.size())));
    if (argument.starts_with("-max_total_time=")) options.seconds = std::atol(value.c_str());
    if (argument.starts_with("-max_len=")) options.max_size = static_cast<size_t>(std::atol(value.c_str()));
    if (argument.starts_with("-artifact_prefix=")) options.prefix = value;
    if (argument.starts_with("-")) continue;
    if (!fs::is_directory(argument)) {
      inputs.push_back(ReadFile(argument));
      continue;
    }
    for (const auto& entry : fs::directory_iterator(argument)) inputs.push_back(ReadFile(entry.path()));
  }
  if (inputs.empty()) inputs.emplace_back();
  finding_path = options.prefix + "finding";
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM}) ::signal(number, WriteFinding);
  size_t runs = 0;
  for (const std::string& input : inputs) {
    Run(input);
    ++runs;
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(options.seconds);
  while (std::chrono::steady_clock::now() < end) {
    // Some of what was made is mutated further.
    std::string& input = inputs[random_bytes() % inputs.size()];
    std::string mutated = Mutate(input, options.max_size);
    Run(mutated);
    ++runs;
    if (random_bytes() % 16 != 0) continue;
    if (inputs.size() < 1000) {
      inputs.push_back(std::move(mutated));
    } else {
      inputs[inputs.size() / 2 + random_bytes() % (inputs.size() / 2)] = std::move(mutated);
    }
  }
  std::fprintf(stderr, "stat::number_of_executed_units: %zu\n", runs);
  return 0;
}
