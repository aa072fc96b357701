#include <algorithm>
#include <nlohmann/json.hpp>

#include "filters/list.h"

namespace uzushio {
namespace {

constexpr double kNoEdge = 1e30;  // what `low` and `high` are, with its sign, where they are no bounds

class Percentile final : public MetricFilter {
 public:
  Percentile() = default;
  arrow::Status Prepare() {
    if (metric.empty()) return arrow::Status::Invalid("metric: is empty");
    const bool has_ends = begin != 0 || end != 1;
    if ((keep > 0) == has_ends) {
      return arrow::Status::Invalid("give either `keep`, or `begin` and `end`: the share of documents that stay");
    }
    begin_ = keep > 0 ? kWholeShare - ShareOf(keep) : ShareOf(begin);
    end_ = ShareOf(end);
    if (begin_ >= end_) {
      return arrow::Status::Invalid(keep > 0 ? "keep: is below 10^-9, the least share"
                                             : "begin: is not below `end`: every document would be removed");
    }
    if (low > -kNoEdge && begin_ == 0) {
      return arrow::Status::Invalid("low: is where the share begins, which begins with the lowest value");
    }
    if (high < kNoEdge && end_ == kWholeShare) {
      return arrow::Status::Invalid("high: is where the share ends, which ends with the highest value");
    }
    if (low > high) return arrow::Status::Invalid("low: is above `high`");
    if (begin_ > 0) ends_.push_back({.is_low = true, .share = begin_});
    if (end_ < kWholeShare) ends_.push_back({.is_low = false, .share = end_});
    return arrow::Status::OK();
  }

  // Of a document in a chain, the metric comes from the chain.
  double Measure(const FilterDocument& /*document*/, FilterScratch* /*scratch*/) const override { return 0; }
  std::vector<std::string> Sources() const override { return {metric}; }
  bool shares_column() const override { return true; }

  std::optional<WantedEdges> wanted_edges() const override {
    WantedEdges wanted = {by, {}};
    bool wants = false;
    for (const End& one : ends_) {
      wanted.shares.push_back(one.share);
      wants = wants || !IsKnown(one);
    }
    if (!wants) return std::nullopt;
    return wanted;
  }
  nlohmann::json WithEdges(const std::vector<std::vector<double>>& edges) const override {
    nlohmann::json parameters = nlohmann::json::object();
    for (size_t i = 0; i < ends_.size(); ++i) {
      if (!IsKnown(ends_[i])) parameters[ends_[i].is_low ? "low" : "high"] = edges[0][i];
    }
    return parameters;
  }

  std::vector<std::string> Reasons() const override {
    std::vector<std::string> reasons;
    reasons.reserve(ends_.size());
    for (const End& one : ends_) {
      reasons.push_back("Percentile(" + metric.substr(0, metric.find('(')) + "," + Share(one) + ")." +
                        (one.is_low ? "Low" : "High") + (IsKnown(one) ? "(" + JavaNumber(EdgeOf(one)) + ")" : ""));
    }
    return reasons;
  }
  std::optional<size_t> Decide(double value, const FilterDocument& /*document*/) const override {
    for (size_t i = 0; i < ends_.size(); ++i) {
      if (ends_[i].is_low ? value < low : value >= high) return i;
    }
    return std::nullopt;
  }
  RemovalRule Rule() const override {
    RemovalRule rule;
    if (wanted_edges()) return rule;
    for (const End& one : ends_) {
      rule.thresholds.push_back({.parameter = one.is_low ? "low" : "high",
                                 .removes = one.is_low ? Removes::kBelow : Removes::kFrom,
                                 .value = EdgeOf(one)});
    }
    return rule;
  }
  std::string Detail(size_t reason, const FilterDocument& /*document*/) const override {
    const std::string share = Share(ends_[reason]) + " of all " + by;
    return ends_[reason].is_low ? "at most " + share + " are below" : "more than " + share + " are there or below";
  }

  std::string metric;
  double keep = 0;
  double begin = 0;
  double end = 1;
  std::string by = kByDocuments;
  double low = -kNoEdge;
  double high = kNoEdge;

 private:
  struct End {
    bool is_low;
    int64_t share;  // in billionths
  };
  double EdgeOf(const End& one) const { return one.is_low ? low : high; }
  bool IsKnown(const End& one) const { return one.is_low ? low > -kNoEdge : high < kNoEdge; }
  static std::string Share(const End& one) {
    return JavaNumber(static_cast<double>(one.share) / static_cast<double>(kWholeShare));
  }

  int64_t begin_ = 0;
  int64_t end_ = kWholeShare;
  std::vector<End> ends_;  // those that remove documents, in order of the reasons
};

}  // namespace

FilterDeclaration DeclarePercentile() {
  return Declare<Percentile>(
             "Percentile", "documents",
             "Keeps a share of all documents: the best by a metric of an earlier filter, or those between two shares. "
             "The values at which the shares end come from a table of metrics (`filter --metrics`). Documents of equal "
             "values are all kept or all removed.")
      .Metric("Percentile", "that of the earlier filter; no column of its own")
      .Text("metric", &Percentile::metric, "metric of an earlier filter of the chain, as `uzushio metrics` names it")
      .Float("keep", &Percentile::keep, 0, 1,
             "share of highest values that is kept, at least: all documents of its least value stay; 0: by `begin` and "
             "`end`")
      .Float("begin", &Percentile::begin, 0, 1, "instead of `keep`: share of lowest values that is removed")
      .Float("end", &Percentile::end, 0, 1, "share of lowest values above which documents are removed")
      .Text("by", &Percentile::by, "what shares are of: documents, characters of their texts, or tokens by Tokens",
            {kByDocuments, kByCharacters, kByTokens})
      .Float("low", &Percentile::low, -kNoEdge, kNoEdge,
             "value at which the share begins, as a run has found it: documents below are removed. A value that is "
             "given is not looked up")
      .Float("high", &Percentile::high, -kNoEdge, kNoEdge, "value at which it ends: documents from it on are removed")
      .Done();
}

}  // namespace uzushio
