#include "html/main_content/main_content.h"

#include <algorithm>
#include <cstring>

#include "base/buffer.h"
#include "html/main_content/boosted_trees.h"
#include "html/main_content/features.h"
#include "html/main_content/model.h"
#include "html/main_content/scattered.h"

namespace uzushio {
namespace {

// Pages of which so little is expected have no content: menus alone, lists of links.
constexpr double kLeastThreshold = 0.2;

// Of the highest F that is to be expected. Half of it is best where probabilities hold; those of pages of unseen sites
// are a little too high. By cross-validation, F of six collections is .0005 to .002 higher with .55 than with .5, of
// two less than .001 lower; beyond .575 more of them lose.
constexpr double kShareOfBest = 0.55;

// Paragraphs of a page whose bins are kept for the second pass, some hundred bytes each; of larger pages they are made
// again.
constexpr size_t kMostKept = 8192;

// The probability from which on paragraphs are kept.
double BestThreshold(std::span<const double> probabilities, std::span<const int32_t> words) {
  struct Paragraph {
    double probability;
    uint32_t number;
  };
  std::vector<Paragraph> order(probabilities.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = {probabilities[i], static_cast<uint32_t>(i)};
  std::ranges::sort(order, [](const Paragraph& a, const Paragraph& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.number < b.number;
  });
  double content = 0;  // words to be expected, of all paragraphs
  for (const auto& [probability, i] : order) content += probability * words[i];
  double best = 0;
  double kept = 0;
  double kept_content = 0;
  for (const auto& [probability, i] : order) {
    kept += words[i];
    kept_content += probability * words[i];
    if (kept > 0) best = std::max(best, 2 * kept_content / (kept + content));
  }
  return std::max(best * kShareOfBest, kLeastThreshold);
}

}  // namespace

void MarkByLogOdds(std::span<const float> log_odds, std::span<const int32_t> words, std::vector<ContentMark>* marks) {
  std::vector<double> probabilities(log_odds.size());
  std::ranges::transform(log_odds, probabilities.begin(), Probability);
  const double threshold = BestThreshold(probabilities, words);
  marks->clear();
  for (const double p : probabilities) {
    const bool content = p >= threshold;
    const double score = content ? 0.5 + 0.5 * (p - threshold) / (1 - threshold) : 0.5 * p / threshold;
    const auto rounded = static_cast<float>(score);
    marks->push_back({content ? rounded : std::min(rounded, kMostOfRest), content});
  }
}

MainContent::MainContent() : features_(std::make_unique<PageFeatures>()) {}
MainContent::~MainContent() = default;

void MainContent::Mark(const PageForContent& page, std::vector<ContentMark>* marks) {
  const MainContentModel& model = MainContentModel::Get();
  const size_t n = page.outline->paragraphs.size();
  const size_t block_bytes = model.bins.BlockBytes();
  const bool keeps_bins = n <= kMostKept;
  const size_t first_of_page = PageFeatures::OfPage().first;
  const size_t of_page = PageFeatures::OfPage().second;
  bins_.resize((keeps_bins ? (n + kTreeRows - 1) / kTreeRows : 1) * block_bytes);
  log_odds_.resize(n);
  const auto pass = [&](const BinnedTrees& trees, bool first_pass) {
    for (size_t first = 0; first < n; first += kTreeRows) {
      const size_t count = std::min(kTreeRows, n - first);
      int8_t* bins = bins_.data() + (keeps_bins ? first / kTreeRows * block_bytes : 0);
      const auto bin = [&](size_t feature, size_t features) {
        model.bins.Bin(feature, features, count, features_->columns(), features_->stride(), bins);
      };
      if (first_pass || !keeps_bins) {
        features_->Compute(first, count);
        bin(0, first_of_page);
        bin(first_of_page + of_page, model.features - first_of_page - of_page);
        if (first == 0) {
          bin(first_of_page, of_page);
        } else if (keeps_bins) {
          std::memcpy(bins + first_of_page * kTreeRows, bins_.data() + first_of_page * kTreeRows, of_page * kTreeRows);
        }
      }
      if (!first_pass) {
        features_->ComputeContext(first, count);
        bin(model.features, model.context_features);
      }
      trees.Sum(bins, std::span(log_odds_).subspan(first, count));
    }
  };
  features_->Measure(page, model.tokens);
  pass(model.first_binned, true);
  features_->MeasureContext(log_odds_);
  pass(model.second_binned, false);
  MarkByLogOdds(log_odds_, features_->words(), marks);
  LeaveOutScattered(features_->shapes(), features_->words(), marks);
  features_->Trim();
  TrimBuffer(&log_odds_);
}

}  // namespace uzushio
