#include "lm/language_model.h"

#include <algorithm>
#include <numeric>

namespace uzushio {

double MeanScore(const std::vector<float>& scores, double outliers) {
  if (scores.empty()) return 0;
  const auto wanted = static_cast<size_t>(outliers * static_cast<double>(scores.size()));
  const size_t left_out = std::min(wanted, scores.size() - 1);
  if (left_out == 0) return std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
  std::vector<float> sorted = scores;
  const auto first = sorted.begin() + static_cast<std::ptrdiff_t>(left_out);
  std::nth_element(sorted.begin(), first, sorted.end());
  std::sort(first, sorted.end());  // so that the sum does not depend on the order
  return std::accumulate(first, sorted.end(), 0.0) / static_cast<double>(sorted.end() - first);
}

const std::vector<float>& LmScratch::Scores(std::string_view text,
                                            const std::shared_ptr<const SudachiDictionary>& dictionary,
                                            const std::shared_ptr<const LanguageModel>& model) {
  const Key key = {text.data(), dictionary.get(), model.get()};
  const auto [found, is_new] = scores_.try_emplace(key);
  if (!is_new) return found->second;
  const Key pair = {nullptr, dictionary.get(), model.get()};
  auto scorer = std::ranges::find(scorers_, pair, [](const auto& item) { return item.first; });
  if (scorer == scorers_.end()) {
    scorers_.emplace_back(pair, std::make_unique<LmScorer>(dictionary, model));
    scorer = scorers_.end() - 1;
  }
  scorer->second->Score(text, &found->second);
  return found->second;
}

}  // namespace uzushio
