// What the filters by language model share.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <string_view>

#include "filters/filter.h"
#include "lm/language_model.h"

namespace uzushio {

// A dictionary, a model and a share of outliers: the parameters `sudachi`, `kenlm` and `outliers`.
struct PerplexityModel {
  std::string sudachi;
  std::string kenlm;
  float outliers = 0;

  arrow::Status Open() {
    ARROW_ASSIGN_OR_RAISE(dictionary_, SudachiDictionary::Open(sudachi));
    ARROW_ASSIGN_OR_RAISE(model_, LanguageModel::Open(kenlm));
    return arrow::Status::OK();
  }
  // 10 to the power of the mean negative log10 probability of the text's tokens and its end.
  double Perplexity(std::string_view text, FilterScratch* scratch) const {
    return std::pow(10, -MeanScore(scratch->lm.Scores(text, dictionary_, model_), outliers));
  }
  std::string Key() const { return sudachi + "," + kenlm + "," + JavaNumber(outliers); }

 private:
  std::shared_ptr<const SudachiDictionary> dictionary_;
  std::shared_ptr<const LanguageModel> model_;
};

}  // namespace uzushio
