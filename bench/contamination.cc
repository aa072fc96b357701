// bench_contamination BENCHMARKS DOCUMENTS ROUNDS: searches documents for items of benchmarks, as the filter does.
//
// BENCHMARKS is a file of lines of JSON with question, choices and answer, DOCUMENTS a file of texts that '\0' ends, of
// paragraphs that an empty line separates. Prints the bytes of the index, the bytes that the process has more with it,
// and the most that it had more while it was made; then for each round the processor's seconds of searching, those of
// folding alone, and the bytes of the texts.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/machine.h"
#include "base/memory.h"
#include "contamination/benchmark_items.h"
#include "contamination/document_search.h"

namespace uzushio {
namespace {

std::vector<std::string_view> Split(std::string_view text, std::string_view between) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(between, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + between.size();
  }
  return parts;
}

// The most bytes of memory that the process had. (getrusage says what the process had that started it, if that is
// more.)
int64_t MostMemory() {
  std::ifstream file("/proc/self/status");
  std::string word;
  int64_t kibibytes = 0;
  while (file >> word) {
    if (word == "VmHWM:") file >> kibibytes;
  }
  return kibibytes * 1024;
}

double SecondsSince(std::clock_t start) { return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; }

int Run(const char* benchmarks, const char* documents, int rounds) {
  const int64_t before = ResidentMemory();
  const auto loaded = BenchmarkItems::Load({benchmarks}, {}, {});
  if (!loaded.ok()) {
    fmt::print(stderr, "bench_contamination: {}\n", loaded.status().ToString());
    return 1;
  }
  const BenchmarkItems& items = **loaded;
  ReturnFreedMemory();
  fmt::print("{} {} {}\n", items.bytes(), ResidentMemory() - before, MostMemory() - before);

  std::ifstream file(documents, std::ios::binary);  // not before: the most memory is that of the items
  std::ostringstream bytes;
  bytes << file.rdbuf();
  const std::string all = std::move(bytes).str();
  std::vector<std::vector<std::string_view>> texts;
  for (const std::string_view text : Split(all, std::string_view("\0", 1))) {
    texts.push_back(Split(text, DocumentSearch::kBetween));
  }
  DocumentSearch search;
  std::string codes;
  size_t found = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::clock_t start = std::clock();
    for (const auto& text : texts) {
      search.Begin(&items, false);
      for (const std::string_view paragraph : text) search.Add(paragraph);
      found += search.Find() ? 1 : 0;
    }
    const double searching = SecondsSince(start);
    const std::clock_t middle = std::clock();
    for (const auto& text : texts) {
      codes.clear();
      for (const std::string_view paragraph : text) items.folding().Append(paragraph, &codes);
      found += codes.empty() ? 1 : 0;
    }
    fmt::print("{} {} {}\n", searching, SecondsSince(middle), all.size() - texts.size());
  }
  return found > texts.size() * static_cast<size_t>(rounds) * 2 ? 1 : 0;  // what is measured is not left out
}

}  // namespace
}  // namespace uzushio

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  return uzushio::Run(argv[1], argv[2], static_cast<int>(std::strtol(argv[3], nullptr, 10)));
}
