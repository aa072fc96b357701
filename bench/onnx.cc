// bench_onnx LIBRARY FOLDER FILE UNIT ROUNDS: scores texts that '\0' ends, or ("paragraph") each line of them, as the
// filter Onnx does, by the model and the tokenizer of a folder (model.onnx, tokenizer.json); writes the processor's
// seconds of each round, and the bytes.
#include <arrow/util/logging.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "lm/onnx_model.h"
#include "texts.h"

namespace {

constexpr size_t kTogether = 64;  // as many as the filter hands over at once

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  uzushio::OnnxOptions options;
  options.library = argv[1];
  options.model = std::string(argv[2]) + "/model.onnx";
  options.tokenizer = std::string(argv[2]) + "/tokenizer.json";
  options.max_tokens = 512;
  const auto model = uzushio::OnnxModel::Open(options).ValueOrDie();
  const std::string all = uzushio::ReadTexts(argv[3]);
  const std::vector<std::string_view> texts = uzushio::SplitTexts(all);
  const bool by_paragraph = std::string_view(argv[4]) == "paragraph";
  std::vector<double> outputs;
  for (int round = std::atoi(argv[5]); round > 0; --round) {
    const std::clock_t start = std::clock();
    for (const std::string_view text : texts) {
      const std::vector<std::string_view> parts = by_paragraph ? LinesOf(text) : std::vector<std::string_view>{text};
      for (size_t i = 0; i < parts.size(); i += kTogether) {
        const size_t count = std::min(kTogether, parts.size() - i);
        ARROW_CHECK_OK(model->Score(std::span(parts).subspan(i, count), &outputs));
      }
    }
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    fmt::print("{} {}\n", seconds, all.size() - texts.size());
  }
}
