#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/nearest.h"
#include "filters/list.h"
#include "lm/fasttext.h"
#include "lm/fasttext_words.h"

namespace uzushio {
namespace {

constexpr double kMostScore = 1e6;

// The number that a label is, without its prefix: 0 or above.
std::optional<double> NumberOfLabel(std::string_view label) {
  label = WithoutFastTextLabel(label);
  double number = 0;
  const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), number);
  if (error != std::errc() || end != label.data() + label.size()) return std::nullopt;
  if (!(number >= 0 && number <= kMostScore)) return std::nullopt;
  return number;
}

class FastText final : public BoundedFilter, public FastTextForm {
 public:
  FastText() { high = kMostScore; }
  arrow::Status Prepare() {
    ARROW_ASSIGN_OR_RAISE(model_, FastTextModel::Open(model));
    ARROW_RETURN_NOT_OK(CheckSudachi(*this, "sudachi", "tokens:"));
    ARROW_ASSIGN_OR_RAISE(words_, FastTextWords::Open(*this));
    if (label.empty() == !expectation) {
      return arrow::Status::Invalid("FastText needs either `label` or `expectation: true`; '", model, "' has ",
                                    Labels());
    }
    return expectation ? TakeNumbers() : TakeLabel();
  }
  double Measure(const FilterDocument& document, FilterScratch* scratch) const override {
    if (unit == "paragraph") {
      return MeanByLength(document, [&](const FilterParagraph& paragraph, double length) {
        return length == 0 ? 0 : length * Score(paragraph.plain, scratch);
      });
    }
    std::string& text = scratch->text;
    text.clear();
    document.ForEachAlive([&text](const FilterParagraph& paragraph) {
      if (!text.empty()) text += '\n';
      text += paragraph.plain;
    });
    return text.empty() ? 0 : Score(text, scratch);
  }
  std::string MetricKey() const override {
    return model + "," + Name() + "," + normalize + (lowercase ? "+lowercase" : "") + "," + unit + "," +
           std::to_string(max_characters) + (tokens == "spaces" ? "" : "," + tokens + "," + sudachi);
  }
  std::string Contents() const override {
    return words_.contents().empty() ? model_->contents() : model_->contents() + " " + words_.contents();
  }
  FixedMemory memory() const override { return {model_->memory(), kFastTextMemory}; }

  std::string model;
  std::string label;
  bool expectation = false;
  std::string unit = "document";

 protected:
  std::string ReasonName() const override { return "FastText(" + Name() + ")"; }

 private:
  std::string Name() const { return expectation ? "expectation" : label; }

  std::string Labels() const {
    constexpr size_t kMostShown = 10;
    const std::vector<std::string>& all = model_->labels();
    std::string text = "the labels ";
    for (size_t i = 0; i < std::min(kMostShown, all.size()); ++i) text += (i == 0 ? "" : ", ") + all[i];
    return text + (all.size() > kMostShown ? " and others" : "");
  }
  arrow::Status TakeLabel() {
    const std::optional<size_t> found = model_->FindLabel(label);
    if (!found) {
      return arrow::Status::Invalid("label: '", model, "' has no label '", label, "', but ", Labels(),
                                    DidYouMean(label, model_->labels()));
    }
    weights_.assign(model_->labels().size(), 0);
    weights_[*found] = 1;
    return arrow::Status::OK();
  }
  arrow::Status TakeNumbers() {
    for (const std::string& one : model_->labels()) {
      const std::optional<double> number = NumberOfLabel(one);
      if (!number) {
        return arrow::Status::Invalid("expectation: the label '", one, "' of '", model, "' is no number from 0 to ",
                                      static_cast<int64_t>(kMostScore), "; name one of its labels by `label`");
      }
      weights_.push_back(*number);
    }
    return arrow::Status::OK();
  }

  double Score(std::string_view text, FilterScratch* scratch) const {
    FastTextBuffers buffers;
    std::vector<float> probabilities;
    const std::string_view line = words_.LineOf(text, &buffers, &scratch->tokenizers);
    if (const arrow::Status status = model_->Score(line, &probabilities); !status.ok()) {
      scratch->failure = status;
      return 0;
    }
    double sum = 0;
    for (size_t i = 0; i < weights_.size(); ++i) {
      if (weights_[i] != 0) sum += weights_[i] * static_cast<double>(probabilities[i]);
    }
    return sum;
  }

  std::shared_ptr<const FastTextModel> model_;
  FastTextWords words_;
  std::vector<double> weights_;  // of labels
};

}  // namespace

FilterDeclaration DeclareFastText() {
  return Declare<FastText>("FastText", "documents",
                           "Removes documents by the score of a classifier of fastText: the probability of a label, or "
                           "the expectation of labels that are numbers.")
      .Metric("FastText", "probability of `label`, or sum of number × probability over all labels; 0 without text")
      .File("model", &FastText::model, "classifier of fastText, .bin or .ftz")
      .OptionalText("label", &FastText::label, "label whose probability is the score, with or without `__label__`")
      .Flag("expectation", &FastText::expectation,
            "instead of `label`: labels are numbers (`__label__0` …), and the score is their mean by probability")
      .Text("normalize", &FastText::normalize, "normal form of the text before it is scored", {"none", "nfkc"})
      .Flag("lowercase", &FastText::lowercase, "score the text in lower case, after `normalize`")
      .Text("unit", &FastText::unit,
            "what is scored: the document, paragraphs and lines joined by spaces, or each paragraph, whose mean by "
            "length "
            "is the score",
            {"document", "paragraph"})
      .Int("max_characters", &FastText::max_characters, 1, INT32_MAX,
           "code points that are scored of the text, or of each paragraph, from its beginning")
      .Text("tokens", &FastText::tokens,
            "what the classifier takes for words, after `lowercase`: what spaces separate, characters, or Sudachi's "
            "tokens in mode A, B or C; as it was in training",
            {"spaces", "characters", "sudachi-A", "sudachi-B", "sudachi-C"})
      .OptionalFile("sudachi", &FastText::sudachi,
                    "Sudachi's system dictionary, for `tokens`; else the one in Python's packages")
      .Bounds(0.0, kMostScore)
      .Done();
}

}  // namespace uzushio
