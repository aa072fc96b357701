#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "filters/list.h"
#include "filters/unbounded.h"
#include "lm/normal_form.h"
#include "lm/onnx_model.h"

namespace uzushio {
namespace {

// Texts of a document that are handed over at once, from which batches are made; each is 64 KiB at most.
constexpr size_t kOnnxTexts = 64;

class Onnx final : public BoundedFilter {
 public:
  Onnx() {
    low = -kUnbounded;
    high = kUnbounded;
  }
  arrow::Status Prepare() {
    OnnxOptions options;
    options.model = model;
    options.tokenizer = tokenizer;
    options.max_tokens = max_tokens;
    options.library = library;
    ARROW_ASSIGN_OR_RAISE(model_, OnnxModel::Open(options));
    return CheckOutputs();
  }
  double Measure(const FilterDocument& document, FilterScratch* scratch) const override {
    if (unit == "paragraph") return MeanOfParagraphs(document, scratch);
    std::string& text = scratch->text;
    document.JoinAlive(&text);
    if (text.empty()) return 0;
    const std::string prepared = Prepared(text);
    std::vector<double> scores;
    return ScoreAll({prepared}, &scores, scratch) ? scores.front() : 0;
  }
  std::string MetricKey() const override {
    return model + "," + tokenizer + "," + (expectation ? "expectation" : std::to_string(output)) + "," + activation +
           "," + normalize + (lowercase ? "+lowercase" : "") + "," + unit + "," + std::to_string(max_characters) + "," +
           std::to_string(max_tokens) + "," + library;
  }
  std::string Contents() const override { return model_->contents(); }
  FixedMemory memory() const override { return model_->memory(); }

  std::string model;
  std::string tokenizer;
  int64_t output = -1;
  bool expectation = false;
  std::string activation = "softmax";
  std::string normalize = "none";
  bool lowercase = false;
  std::string unit = "document";
  int64_t max_characters = INT32_MAX;
  int64_t max_tokens = 512;
  std::string library;

 protected:
  std::string ReasonName() const override {
    if (expectation) return "Onnx(expectation)";
    return output < 0 ? "Onnx" : "Onnx(" + std::to_string(output) + ")";
  }

 private:
  arrow::Status CheckOutputs() const {
    const size_t outputs = model_->outputs();
    if (output >= static_cast<int64_t>(outputs)) {
      return arrow::Status::Invalid("output: '", model, "' has the outputs 0 to ", outputs - 1, ", not ", output);
    }
    if (outputs == 1 && activation == "softmax") {
      return arrow::Status::Invalid("activation: '", model, "' has one output, whose softmax is always 1; give ",
                                    "`activation: sigmoid` for a probability, or none for the output as it is");
    }
    if (!expectation) {
      if (output >= 0 || outputs == 1) return arrow::Status::OK();
      return arrow::Status::Invalid("Onnx needs either `output` or `expectation: true`; '", model,
                                    "' has the outputs 0 to ", outputs - 1);
    }
    if (output >= 0 || outputs == 1) {
      return arrow::Status::Invalid("expectation: needs a model of several outputs, and no `output`; '", model,
                                    "' has ", outputs);
    }
    if (activation == "softmax") return arrow::Status::OK();
    return arrow::Status::Invalid("expectation: needs probabilities that sum to 1, `activation: softmax`");
  }

  std::string Prepared(std::string_view text) const {
    std::string normal(FirstCharacters(text, max_characters));
    std::string other;
    if (normalize == "nfkc") {
      NormalizeNfkc(normal, &other);
      normal.swap(other);
    }
    if (lowercase) {
      LowerCase(normal, &other);
      normal.swap(other);
    }
    return normal;
  }

  double MeanOfParagraphs(const FilterDocument& document, FilterScratch* scratch) const {
    std::vector<std::string> texts;
    std::vector<double> lengths;
    std::vector<double> scores;
    double sum = 0;
    double length = 0;
    const auto score = [&] {
      if (scratch->failure.ok() && ScoreAll({texts.begin(), texts.end()}, &scores, scratch)) {
        for (size_t i = 0; i < texts.size(); ++i) sum += lengths[i] * scores[i];
      }
      texts.clear();
      lengths.clear();
    };
    document.ForEachAlive([&](const FilterParagraph& paragraph) {
      const auto points = static_cast<double>(CodePoints(paragraph.plain));
      if (points == 0) return;
      length += points;
      lengths.push_back(points);
      texts.push_back(Prepared(paragraph.plain));
      if (texts.size() == kOnnxTexts) score();
    });
    if (!texts.empty()) score();
    return Ratio(sum, length);
  }

  // Whether texts could be scored; else the scratch has the error.
  bool ScoreAll(const std::vector<std::string_view>& texts, std::vector<double>* scores, FilterScratch* scratch) const {
    std::vector<double> outputs;
    if (const arrow::Status status = model_->Score(texts, &outputs); !status.ok()) {
      scratch->failure = status;
      return false;
    }
    scores->clear();
    for (size_t i = 0; i < texts.size(); ++i) {
      scores->push_back(ScoreOf(std::span(outputs).subspan(i * model_->outputs(), model_->outputs())));
    }
    if (std::ranges::all_of(*scores, [](double one) { return std::isfinite(one); })) return true;
    scratch->failure = arrow::Status::Invalid("'", model, "' makes no number of it");
    return false;
  }

  double ScoreOf(std::span<const double> outputs) const {
    const double own = outputs[static_cast<size_t>(std::max<int64_t>(output, 0))];
    if (activation == "none") return std::isfinite(own) ? std::clamp<double>(own, -kUnbounded, kUnbounded) : own;
    if (activation == "sigmoid") return 1 / (1 + std::exp(-own));
    const double most = *std::ranges::max_element(outputs);
    double all = 0;
    double weighed = 0;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const double power = std::exp(outputs[i] - most);
      all += power;
      weighed += static_cast<double>(i) * power;
    }
    return (expectation ? weighed : std::exp(own - most)) / all;
  }

  std::shared_ptr<const OnnxModel> model_;
};

}  // namespace

FilterDeclaration DeclareOnnx() {
  constexpr int64_t kMostOutputs = 1000;
  constexpr int64_t kMostTokens = 1 << 17;
  return Declare<Onnx>(
             "Onnx", "documents",
             "Removes documents by the score of a classifier in ONNX, such as a small transformer, which ONNX "
             "Runtime computes.")
      .Metric("Onnx", "output of the model, or sum of number × probability over all outputs; 0 without text")
      .File("model", &Onnx::model,
            "file of a model whose inputs are those of BERT, with its weights: model.onnx of optimum")
      .File("tokenizer", &Onnx::tokenizer, "its tokenizer.json")
      .Int("output", &Onnx::output, -1, kMostOutputs,
           "class, from 0, whose output is the score; -1 for a model of one output")
      .Flag("expectation", &Onnx::expectation,
            "instead of `output`: classes are grades from 0, and the score is their mean by probability")
      .Text(
          "activation", &Onnx::activation,
          "what is made of the outputs: probabilities of classes of which one is right, of each by itself, or nothing",
          {"softmax", "sigmoid", "none"})
      .Text("normalize", &Onnx::normalize, "normal form of the text before it is scored", {"none", "nfkc"})
      .Flag("lowercase", &Onnx::lowercase, "score the text in lower case, after `normalize`")
      .Text(
          "unit", &Onnx::unit,
          "what is scored: the document, its paragraphs joined by line breaks, or each paragraph, whose mean by length "
          "is the score",
          {"document", "paragraph"})
      .Int("max_characters", &Onnx::max_characters, 1, INT32_MAX,
           "code points that are scored of the text, or of each paragraph, from its beginning")
      .Int("max_tokens", &Onnx::max_tokens, 1, kMostTokens,
           "tokens that are scored of it, from its beginning, with those that the tokenizer puts around it")
      .OptionalFile("library", &Onnx::library,
                    "file libonnxruntime.so of ONNX Runtime; else that of Python's package, or that the system finds")
      .Bounds(-kUnbounded, kUnbounded)
      .Done();
}

}  // namespace uzushio
