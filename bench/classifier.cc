// bench_classifier FOLDER FILE ROUNDS: scores texts that '\0' ends by the static vectors and the trees of a folder
// (model.safetensors, tokenizer.json, trees.txt), and writes the processor's seconds of each round, and the bytes.
#include <arrow/util/logging.h>
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "lm/classifier_head.h"
#include "lm/static_vectors.h"
#include "texts.h"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string folder = argv[1];
  uzushio::StaticVectorsOptions options;
  options.vectors = folder + "/model.safetensors";
  options.tokenizer = folder + "/tokenizer.json";
  const auto vectors = uzushio::StaticVectors::Open(options).ValueOrDie();
  const auto head = uzushio::ClassifierHead::Open(folder + "/trees.txt").ValueOrDie();
  const std::string all = uzushio::ReadTexts(argv[2]);
  const std::vector<std::string_view> texts = uzushio::SplitTexts(all);
  for (int round = std::atoi(argv[3]); round > 0; --round) {
    const std::clock_t start = std::clock();
    for (const std::string_view text : texts) {
      uzushio::StaticVectorsBuffers buffers;
      std::vector<double> mean;
      std::vector<double> outputs;
      ARROW_CHECK_OK(vectors->MeanOf(text, &buffers, &mean));
      head->Score(mean, &outputs);
    }
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    fmt::print("{} {}\n", seconds, all.size() - texts.size());
  }
}
