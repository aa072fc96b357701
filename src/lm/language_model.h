// n-gram language models, by KenLM (Heafield 2011).
#pragma once

#include <arrow/result.h>

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lm/tokenizer.h"

namespace lm::base {
class Model;
}

namespace uzushio {

// A model in KenLM's binary format (mapped into memory) or ARPA, shared by threads.
class LanguageModel {
 public:
  // The error says how to get a model. Models are opened once.
  static arrow::Result<std::shared_ptr<const LanguageModel>> Open(const std::string& path);
  ~LanguageModel();
  const lm::base::Model& model() const { return *model_; }

 private:
  explicit LanguageModel(std::unique_ptr<lm::base::Model> model);
  std::unique_ptr<lm::base::Model> model_;
};

// Scores texts with one dictionary and one model; of one thread.
class LmScorer {
 public:
  LmScorer(std::shared_ptr<const SudachiDictionary> dictionary, std::shared_ptr<const LanguageModel> model)
      : tokenizer_(std::move(dictionary)), model_(std::move(model)) {}

  // log10 of the probability of each token and of the end, the text being one sequence from <s> to </s>.
  void Score(std::string_view text, std::vector<float>* scores);

 private:
  Tokenizer tokenizer_;
  std::shared_ptr<const LanguageModel> model_;
};

// The mean of scores, of which the least likely share is left out (rounded down, never all).
double MeanScore(const std::vector<float>& scores, double outliers);

// The scorers of one thread, and the scores of the document at hand: one pass a text for all filters.
class LmScratch {
 public:
  // Forgets the scores; before the next document.
  void Clear() { scores_.clear(); }
  // The scores of a text, which stays where it is until Clear.
  const std::vector<float>& Scores(std::string_view text, const std::shared_ptr<const SudachiDictionary>& dictionary,
                                   const std::shared_ptr<const LanguageModel>& model);

 private:
  struct Key {
    const void* text;
    const void* dictionary;
    const void* model;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      return std::hash<const void*>()(key.text) * 31 + std::hash<const void*>()(key.model);
    }
  };
  std::vector<std::pair<Key, std::unique_ptr<LmScorer>>> scorers_;  // few
  std::unordered_map<Key, std::vector<float>, Hash> scores_;
};

}  // namespace uzushio
