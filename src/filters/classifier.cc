#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "filters/list.h"
#include "filters/unbounded.h"
#include "lm/classifier_head.h"
#include "lm/normal_form.h"
#include "lm/static_vectors.h"

namespace uzushio {
namespace {

class Classifier final : public BoundedFilter {
 public:
  Classifier() {
    low = -kUnbounded;
    high = kUnbounded;
  }
  arrow::Status Prepare() {
    ARROW_ASSIGN_OR_RAISE(head_, ClassifierHead::Open(head));
    ARROW_RETURN_NOT_OK(CheckOutputs());
    StaticVectorsOptions options;
    options.vectors = vectors;
    options.tokenizer = tokenizer;
    options.drop_unknown = unknown == "drop";
    options.max_tokens = max_tokens;
    options.dimensions = dimensions;
    options.unit_length = unit_length;
    ARROW_ASSIGN_OR_RAISE(vectors_, StaticVectors::Open(options));
    if (vectors_->dimensions() == head_->inputs()) return arrow::Status::OK();
    return arrow::Status::Invalid("'", head, "' takes vectors of ", head_->inputs(), " numbers, and those of '",
                                  vectors, "' have ", vectors_->dimensions(),
                                  "; `dimensions` takes the first ones of each");
  }
  double Measure(const FilterDocument& document, FilterScratch* scratch) const override {
    if (unit == "paragraph") {
      return MeanByLength(document, [&](const FilterParagraph& paragraph, double length) {
        return length == 0 ? 0 : length * Score(paragraph.plain, scratch);
      });
    }
    std::string& text = scratch->text;
    document.JoinAlive(&text);
    return text.empty() ? 0 : Score(text, scratch);
  }
  std::string MetricKey() const override {
    std::string key = vectors + "," + head + "," + (expectation ? "expectation" : std::to_string(output)) + "," +
                      normalize + (lowercase ? "+lowercase" : "") + "," + unit + "," + std::to_string(max_characters);
    key += "," + unknown + "," + std::to_string(max_tokens) + "," + std::to_string(dimensions);
    return key + (unit_length ? ",unit" : "") + "," + tokenizer;
  }
  std::string Contents() const override { return vectors_->contents() + head_->contents(); }
  FixedMemory memory() const override { return {vectors_->memory() + head_->memory(), kCountingMemory}; }

  std::string vectors;
  std::string tokenizer;
  std::string head;
  int64_t output = -1;
  bool expectation = false;
  std::string normalize = "none";
  bool lowercase = false;
  std::string unit = "document";
  int64_t max_characters = INT32_MAX;
  std::string unknown = "drop";
  int64_t max_tokens = 0;
  int64_t dimensions = 0;
  bool unit_length = false;

 protected:
  std::string ReasonName() const override {
    if (expectation) return "Classifier(expectation)";
    return output < 0 ? "Classifier" : "Classifier(" + std::to_string(output) + ")";
  }

 private:
  arrow::Status CheckOutputs() const {
    const size_t outputs = head_->outputs();
    if (output >= static_cast<int64_t>(outputs)) {
      const std::string there = outputs == 1 ? "one output, 0" : "the outputs 0 to " + std::to_string(outputs - 1);
      return arrow::Status::Invalid("output: '", head, "' has ", there, ", not ", output);
    }
    if (expectation ? output < 0 && outputs > 1 : output >= 0 || outputs == 1) return arrow::Status::OK();
    if (expectation) {
      return arrow::Status::Invalid("expectation: needs a head of several outputs, and no `output`; '", head, "' has ",
                                    outputs);
    }
    return arrow::Status::Invalid("Classifier needs either `output` or `expectation: true`; '", head,
                                  "' has the outputs 0 to ", outputs - 1);
  }

  double Score(std::string_view text, FilterScratch* scratch) const {
    std::string normal;
    std::string lower;
    text = FirstCharacters(text, max_characters);
    if (normalize == "nfkc") {
      NormalizeNfkc(text, &normal);
      text = normal;
    }
    if (lowercase) {
      LowerCase(text, &lower);
      text = lower;
    }
    StaticVectorsBuffers buffers;
    std::vector<double> vector;
    std::vector<double> outputs;
    if (const arrow::Status status = vectors_->MeanOf(text, &buffers, &vector); !status.ok()) {
      scratch->failure = status;
      return 0;
    }
    head_->Score(vector, &outputs);
    double score = 0;
    if (expectation) {
      for (size_t i = 0; i < outputs.size(); ++i) score += static_cast<double>(i) * outputs[i];
    } else {
      score = outputs[static_cast<size_t>(std::max<int64_t>(output, 0))];
    }
    if (std::isfinite(score)) return std::clamp<double>(score, -kUnbounded, kUnbounded);
    scratch->failure = arrow::Status::Invalid("'", head, "' makes no number of the vectors of '", vectors, "'");
    return 0;
  }

  std::shared_ptr<const StaticVectors> vectors_;
  std::shared_ptr<const ClassifierHead> head_;
};

}  // namespace

FilterDeclaration DeclareClassifier() {
  constexpr int64_t kMostOutputs = 1000;
  return Declare<Classifier>("Classifier", "documents",
                             "Removes documents by the score of a classifier of static embeddings: the mean of the "
                             "vectors of the text's tokens, and boosted trees or a linear layer on it.")
      .Metric("Classifier", "output of the head, or sum of number × probability over all outputs; 0 without text")
      .File("vectors", &Classifier::vectors, "file of vectors: model.safetensors of model2vec, or of a StaticEmbedding")
      .File("tokenizer", &Classifier::tokenizer, "its tokenizer.json")
      .File("head", &Classifier::head,
            "file of trees, as LightGBM's `Booster.save_model` writes them, or of a linear layer for probabilities, "
            "safetensors with `weight` and `bias`")
      .Int("output", &Classifier::output, -1, kMostOutputs,
           "class, from 0, whose output is the score; -1 for a head of one output")
      .Flag("expectation", &Classifier::expectation,
            "instead of `output`: classes are grades from 0, and the score is their mean by probability")
      .Text("normalize", &Classifier::normalize, "normal form of the text before it is scored", {"none", "nfkc"})
      .Flag("lowercase", &Classifier::lowercase, "score the text in lower case, after `normalize`")
      .Text(
          "unit", &Classifier::unit,
          "what is scored: the document, its paragraphs joined by line breaks, or each paragraph, whose mean by length "
          "is the score",
          {"document", "paragraph"})
      .Int("max_characters", &Classifier::max_characters, 1, INT32_MAX,
           "code points that are scored of the text, or of each paragraph, from its beginning")
      .Text("unknown", &Classifier::unknown,
            "what becomes of tokens that stand for what is unknown: model2vec drops, StaticEmbedding keeps them",
            {"drop", "keep"})
      .Int("max_tokens", &Classifier::max_tokens, 0, INT32_MAX,
           "tokens that are scored, from the beginning, as model2vec's `max_length`; 0: all")
      .Int("dimensions", &Classifier::dimensions, 0, 1 << 20,
           "numbers of each vector that are used, from its beginning; 0: all")
      .Flag("unit_length", &Classifier::unit_length, "scale the mean to length 1, as model2vec's `normalize`")
      .Bounds(-kUnbounded, kUnbounded)
      .Done();
}

}  // namespace uzushio
