// bench_fasttext MODEL FILE: scores texts that '\0' ends by a model of fastText, and writes the probabilities of its
// labels, in the order of the model, a line for each text. bench_fasttext MODEL FILE ROUNDS: writes the processor's
// seconds of each round instead, and the bytes.
#include <arrow/util/logging.h>
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "lm/fasttext.h"
#include "texts.h"

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto model = uzushio::FastTextModel::Open(argv[1]).ValueOrDie();
  const std::string all = uzushio::ReadTexts(argv[2]);
  const std::vector<std::string_view> texts = uzushio::SplitTexts(all);
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
