// bench_fasttext MODEL FILE: scores texts that '\0' ends by a model of fastText, and writes the probabilities of its
// labels, in the order of the model, a line for each text. bench_fasttext MODEL FILE ROUNDS: writes the processor's
// seconds of each round instead, and the bytes.
#include <arrow/util/logging.h>
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "lm/fasttext.h"

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto model = uzushio::FastTextModel::Open(argv[1]).ValueOrDie();
  std::ifstream file(argv[2], std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  const std::string all = std::move(bytes).str();
  std::vector<std::string_view> texts;
  for (size_t begin = 0; begin < all.size();) {
    const size_t end = std::min(all.find('\0', begin), all.size());
    texts.emplace_back(all.data() + begin, end - begin);
    begin = end + 1;
  }
  std::vector<float> probabilities;
  for (int round = argc > 3 ? std::atoi(argv[3]) : 0; round > 0; --round) {
    const std::clock_t start = std::clock();
    for (const std::string_view text : texts) ARROW_CHECK_OK(model->Score(text, &probabilities));
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    fmt::print("{} {}\n", seconds, all.size() - texts.size());
  }
  if (argc > 3) return 0;
  for (const std::string& label : model->labels()) fmt::print("{} ", label);
  fmt::print("\n");
  for (const std::string_view text : texts) {
    ARROW_CHECK_OK(model->Score(text, &probabilities));
    for (const float probability : probabilities) fmt::print("{} ", probability);
    fmt::print("\n");
  }
}
