#include "html/main_content/main_content.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/buffer.h"
#include "html/main_content/boosted_trees.h"
#include "html/main_content/enclosed.h"
#include "html/main_content/features.h"
#include "html/main_content/model.h"
#include "html/main_content/scattered.h"

namespace uzushio {
namespace {

// Bins of probabilities. What is less probable than the first that may be kept, about .2, is no content: menus alone,
// lists of links.
constexpr size_t kBins = 64;
constexpr size_t kLeastBin = 13;

// Paragraphs of a page whose bins are kept for the second pass, some hundred bytes each; of larger pages they are made
// again.
constexpr size_t kMostKept = 8192;

// The sum of F where so many words are kept, over all that may be content, each as probable as the others.
double SumOfF(const std::array<double, kBins + 1>& from, double kept) {
  double sum = 0;
  for (size_t bin = 0; bin < kBins; ++bin) {
    const double content = (from[bin] + from[bin + 1]) / 2;
    sum += std::min(content, kept) / (kept + content);
  }
  return sum;
}

// The probability from which on paragraphs are kept: that with the highest F to be expected, where paragraphs are
// content together or not at all, the more probable ones first. Those of a list are: if they counted as independent, a
// long one that is a little probable would have to be kept beside a short text. Where several thresholds keep the same,
// the middle one.
double BestThreshold(std::span<const double> probabilities, const std::vector<bool>& menus,
                     std::span<const int32_t> words) {
  std::array<double, kBins + 1> from{};  // words of paragraphs in a bin; then in it and above
  for (size_t i = 0; i < probabilities.size(); ++i) {
    if (!menus[i]) from[std::min(static_cast<size_t>(probabilities[i] * kBins), kBins - 1)] += words[i];
  }
  for (size_t bin = kBins; bin-- > 0;) from[bin] += from[bin + 1];
  double best = 0;
  size_t first = kLeastBin;
  size_t last = kLeastBin;
  double sum = 0;
  for (size_t kept = kLeastBin; kept < kBins && from[kept] > 0; ++kept) {
    if (kept == kLeastBin || from[kept] != from[kept - 1]) sum = SumOfF(from, from[kept]);  // many are equal
    if (sum < best) continue;
    if (sum > best || from[kept] != from[first]) first = kept;
    best = sum;
    last = kept;
  }
  const size_t middle = (first + last) / 2;
  return static_cast<double>(middle) / kBins;
}

}  // namespace

void MarkByLogOdds(std::span<const float> log_odds, const std::vector<bool>& menus, std::span<const int32_t> words,
                   std::vector<ContentMark>* marks) {
  std::vector<double> probabilities(log_odds.size());
  std::ranges::transform(log_odds, probabilities.begin(), Probability);
  const double threshold = BestThreshold(probabilities, menus, words);
  marks->clear();
  for (size_t i = 0; i < probabilities.size(); ++i) {
    const double p = probabilities[i];
    const bool content = p >= threshold && !menus[i];
    const double score = content ? 0.5 + 0.5 * (p - threshold) / (1 - threshold) : 0.5 * std::min(p / threshold, 1.0);
    const auto rounded = static_cast<float>(score);
    marks->push_back({content ? rounded : std::min(rounded, kMostOfRest), content});
  }
}

void DecideMarks(const PageFeatures& features, std::span<const float> log_odds, std::vector<ContentMark>* marks) {
  MarkByLogOdds(log_odds, features.menus(), features.words(), marks);
  LeaveOutScattered(features.shapes(), features.words(), marks);
  std::vector<bool> plain(log_odds.size());
  for (size_t i = 0; i < plain.size(); ++i) plain[i] = !features.HasLinks(i) && !features.menus()[i];
  KeepEnclosed(features.shapes(), features.words(), plain, marks);
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
  DecideMarks(*features_, log_odds_, marks);
  features_->Trim();
  TrimBuffer(&log_odds_);
}

}  // namespace uzushio
