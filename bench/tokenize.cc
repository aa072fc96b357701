// Sudachi alone, one thread, over the paragraphs that the filters see:
//   bench_tokenize DICTIONARY DOCUMENTS.parquet...
// prints seconds, bytes of text and tokens. The dictionary's mapping is not counted.
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "datasets/dataset.h"
#include "datasets/text_reader.h"
#include "filters/filter_document.h"
#include "lm/tokenizer.h"

namespace uzushio {
namespace {

arrow::Status Run(const std::string& path, const std::vector<std::string>& names) {
  ARROW_ASSIGN_OR_RAISE(const auto dictionary, SudachiDictionary::Open(path));
  ARROW_ASSIGN_OR_RAISE(const auto inputs, ResolveInputs(names, kTextSuffixes));
  const TextReaderOptions options;
  ARROW_ASSIGN_OR_RAISE(const auto splits, FindTextSplits(inputs, options));
  Tokenizer tokenizer(dictionary);
  double seconds = 0;
  size_t bytes = 0;
  size_t tokens = 0;
  int64_t cuts = 0;
  FilterDocument document;
  for (const Split& split : splits) {
    ARROW_RETURN_NOT_OK(ReadTexts(
        split, options,
        [&](std::string_view text) {
          document.Parse("", text);
          const auto start = std::chrono::steady_clock::now();
          for (const FilterParagraph& paragraph : document.paragraphs()) {
            bytes += paragraph.plain.size();
            tokenizer.ForEachToken(paragraph.plain, [&tokens](std::string_view) { ++tokens; });
          }
          seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
          return arrow::Status::OK();
        },
        [](const QuarantinedRecord&) { return arrow::Status::OK(); }, &cuts));
  }
  std::printf("%.4f %zu %zu\n", seconds, bytes, tokens);
  return arrow::Status::OK();
}

}  // namespace
}  // namespace uzushio

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_tokenize DICTIONARY DOCUMENTS.parquet...\n");
    return 2;
  }
  const arrow::Status status = uzushio::Run(argv[1], {argv + 2, argv + argc});
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
