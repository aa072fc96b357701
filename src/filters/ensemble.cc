#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "filters/list.h"

namespace uzushio {
namespace {

constexpr double kMostCombined = 1e15;
constexpr int64_t kMostBuckets = 1000;

// The numbers of a text that are separated by commas.
arrow::Result<std::vector<double>> ReadNumbers(const std::string& text) {
  std::vector<double> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    double number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || !std::isfinite(number) || (next != end && *next != ',')) {
      return arrow::Status::Invalid("edges: '", text, "' is no list of numbers");
    }
    numbers.push_back(number);
    if (next == end) return numbers;
    at = next + 1;
  }
}

class Ensemble final : public BoundedFilter {
 public:
  Ensemble() { high = static_cast<float>(kMostCombined); }
  arrow::Status Prepare() {
    for (const std::string& name : metrics) {
      if (std::ranges::count(metrics, name) > 1) return arrow::Status::Invalid("metrics: '", name, "' is there twice");
    }
    if (buckets == 1) return arrow::Status::Invalid("buckets: one bucket has all documents; give 2 or more, or 0");
    if (buckets == 0 && by != kByDocuments) return arrow::Status::Invalid("by: is of `buckets`, which is 0");
    if (buckets == 0 && !edges.empty()) return arrow::Status::Invalid("edges: are of `buckets`, which is 0");
    if (edges.empty()) return arrow::Status::OK();
    if (edges.size() != metrics.size()) return arrow::Status::Invalid("edges: one list for each metric is wanted");
    for (const std::string& text : edges) {
      ARROW_ASSIGN_OR_RAISE(std::vector<double> numbers, ReadNumbers(text));
      if (static_cast<int64_t>(numbers.size()) != buckets - 1 || !std::ranges::is_sorted(numbers)) {
        return arrow::Status::Invalid("edges: '", text, "' is not ", buckets - 1, " numbers in ascending order");
      }
      of_metrics_.push_back(std::move(numbers));
    }
    return arrow::Status::OK();
  }

  // Of a document in a chain, the metric comes from those of others.
  double Measure(const FilterDocument& /*document*/, FilterScratch* /*scratch*/) const override { return 0; }
  std::vector<std::string> Sources() const override { return metrics; }
  void Combine(std::span<const double> sources, std::span<double> combined) const override {
    double sum = 0;
    double most = -std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < sources.size(); ++i) {
      const double score = buckets == 0 ? sources[i] : BucketOf(i, sources[i]);
      sum += score;
      most = std::max(most, score);
    }
    combined[0] = method == "mean" ? sum / static_cast<double>(sources.size()) : most;
  }
  std::string MetricKey() const override {
    std::string key = method + "," + fmt::format("{}", fmt::join(metrics, "+"));
    if (buckets > 0) key += fmt::format(",{} buckets by {},{}", buckets, by, fmt::join(edges, ";"));
    return key;
  }

  // Without edges there are no buckets yet.
  bool shares_column() const override { return wanted_edges().has_value(); }
  RemovalRule Rule() const override { return wanted_edges() ? RemovalRule() : BoundedFilter::Rule(); }
  std::optional<WantedEdges> wanted_edges() const override {
    if (buckets == 0 || !edges.empty()) return std::nullopt;
    WantedEdges wanted = {by, {}};
    // Rounded up: the document that a share of i / buckets ends with is not more than it.
    for (int64_t i = 1; i < buckets; ++i) wanted.shares.push_back((i * kWholeShare + buckets - 1) / buckets);
    return wanted;
  }
  nlohmann::json WithEdges(const std::vector<std::vector<double>>& values) const override {
    std::vector<std::string> texts;
    texts.reserve(values.size());
    for (const std::vector<double>& of_metric : values) texts.push_back(fmt::format("{}", fmt::join(of_metric, ",")));
    return {{"edges", texts}};
  }

  std::vector<std::string> metrics;
  std::string method = "mean";
  int64_t buckets = 0;
  std::string by = kByDocuments;
  std::vector<std::string> edges;

 protected:
  std::string ReasonName() const override { return "Ensemble(" + method + ")"; }

 private:
  double BucketOf(size_t metric, double score) const {
    const std::vector<double>& numbers = of_metrics_[metric];
    return static_cast<double>(std::ranges::upper_bound(numbers, score) - numbers.begin());
  }

  std::vector<std::vector<double>> of_metrics_;  // where each bucket but the first begins
};

}  // namespace

FilterDeclaration DeclareEnsemble() {
  return Declare<Ensemble>(
             "Ensemble", "documents",
             "Removes documents by several metrics of earlier filters, such as scores of classifiers: by their mean or "
             "maximum, or that of the numbers of their buckets, for scores that cannot be compared otherwise. The "
             "values "
             "at which buckets begin come from a table of metrics (`filter --metrics`).")
      .Metric("Ensemble",
              "mean or maximum of `metrics`, or of their buckets, which are numbered from 0 by rising values")
      .Texts("metrics", &Ensemble::metrics, "metrics of earlier filters of the chain, as `uzushio metrics` names them")
      .Text("method", &Ensemble::method, "what is taken of them", {"mean", "maximum"})
      .Int("buckets", &Ensemble::buckets, 0, kMostBuckets,
           "equal shares of all documents that each metric is divided into, as exactly as equal values permit; 0: the "
           "metrics themselves are taken")
      .Text("by", &Ensemble::by, "what shares are of: documents, characters of their texts, or tokens by Tokens",
            {kByDocuments, kByCharacters, kByTokens})
      .OptionalTexts(
          "edges", &Ensemble::edges,
          "values at which the buckets of each metric begin, but for the first, separated by commas, as a run "
          "has found them. Values that are given are not looked up")
      .Bounds(0.0, kMostCombined)
      .Done();
}

}  // namespace uzushio
