#include <algorithm>

#include "filters/list.h"
#include "lm/token_counter.h"

namespace uzushio {
namespace {

// Names of metrics, which are places, too.
enum TokenMetric : size_t { kTokens, kTokensPerByte };

class Tokens final : public Filter {
 public:
  arrow::Status Prepare() {
    ARROW_ASSIGN_OR_RAISE(counter_, TokenCounter::Open(tokenizer));
    return arrow::Status::OK();
  }
  void MeasureAll(const FilterDocument& document, FilterScratch* scratch, std::span<double> metrics) const override {
    std::string& text = scratch->text;
    text.clear();
    document.ForEachAlive([&text](const FilterParagraph& paragraph) {
      if (!text.empty()) text += "\n\n";
      text += paragraph.plain;
    });
    const arrow::Result<int64_t> tokens = counter_->Count(text);
    if (!tokens.ok()) scratch->failure = tokens.status();
    metrics[kTokens] = static_cast<double>(tokens.ValueOr(0));
    metrics[kTokensPerByte] = Ratio(metrics[kTokens], static_cast<double>(text.size()));
  }
  std::string MetricKey() const override { return tokenizer; }
  std::string Contents() const override { return counter_->contents(); }
  FixedMemory memory() const override { return {counter_->memory(), kCountingMemory}; }
  std::vector<std::string> Reasons() const override {
    return {"Tokens.Low(" + std::to_string(low) + ")", "Tokens.High(" + std::to_string(high) + ")"};
  }
  std::optional<size_t> DecideAll(std::span<const double> metrics, const FilterDocument& /*document*/) const override {
    if (metrics[kTokens] < static_cast<double>(low)) return 0;
    if (metrics[kTokens] > static_cast<double>(high)) return 1;
    return std::nullopt;
  }
  RemovalRule Rule() const override {
    RemovalRule rule;
    rule.thresholds = {{.parameter = "low", .metric = kTokens, .removes = Removes::kBelow, .value = low},
                       {.parameter = "high", .metric = kTokens, .removes = Removes::kAbove, .value = high}};
    return rule;
  }

  std::string tokenizer;
  int64_t low = 0;
  int64_t high = INT32_MAX;

 private:
  std::shared_ptr<const TokenCounter> counter_;
};

}  // namespace

FilterDeclaration DeclareTokens() {
  return Declare<Tokens>("Tokens", "documents",
                         "Removes documents with too few or too many tokens of a language model. Paragraphs are joined "
                         "by an empty line. Texts above 64 KiB are tokenized in parts, divided at line breaks.")
      .Metric("Tokens", "tokens of the text, and tokens per byte")
      .Metrics({{"Tokens", "tokens of the text, without special tokens added by the tokenizer"},
                {"TokensPerByte", "tokens / bytes of the text"}})
      .File("tokenizer", &Tokens::tokenizer, "tokenizer.json of a model, in the format of Hugging Face's `tokenizers`")
      .Bounds(int64_t{0}, INT64_MAX)
      .Done();
}

}  // namespace uzushio
