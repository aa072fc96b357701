// A filter of many metrics that removes a document when one of them is below or above its bound.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "filters/filter.h"

namespace uzushio {

// What counts are never above.
inline constexpr double kMostCount = 1e15;

// Whether the bound on a side, `min` or `max`, is the least that passes.
constexpr bool IsLeast(std::string_view side) { return side == "min"; }

// A rule on a metric. Its bound is the member `min_NAME` or `max_NAME` of Bounds, which are parameters, too.
template <typename Bounds>
struct MetricRule {
  const char* name;
  size_t metric;
  bool is_least;  // documents below the bound are removed; else those above
  double Bounds::* bound;
};

template <typename Bounds>
class MetricRulesFilter : public Filter, public Bounds {
 public:
  std::optional<size_t> DecideAll(std::span<const double> metrics, const FilterDocument& /*document*/) const override {
    for (size_t i = 0; i < rules().size(); ++i) {
      const double metric = metrics[rules()[i].metric];
      if (rules()[i].is_least ? metric < BoundOf(i) : metric > BoundOf(i)) return i;
    }
    return std::nullopt;
  }
  size_t MetricOf(size_t reason) const override { return rules()[reason].metric; }
  std::vector<std::string> Reasons() const override {
    std::vector<std::string> reasons;
    reasons.reserve(rules().size());
    for (size_t i = 0; i < rules().size(); ++i) {
      reasons.push_back(fmt::format("{}({}).{}({})", ReasonName(), rules()[i].name,
                                    rules()[i].is_least ? "Low" : "High", JavaNumber(BoundOf(i))));
    }
    return reasons;
  }
  RemovalRule Rule() const override {
    RemovalRule rule;
    for (size_t i = 0; i < rules().size(); ++i) {
      rule.thresholds.push_back({.parameter = std::string(rules()[i].is_least ? "min_" : "max_") + rules()[i].name,
                                 .metric = rules()[i].metric,
                                 .removes = rules()[i].is_least ? Removes::kBelow : Removes::kAbove,
                                 .value = BoundOf(i)});
    }
    return rule;
  }

 protected:
  // In the order in which they are applied.
  virtual std::span<const MetricRule<Bounds>> rules() const = 0;
  virtual const char* ReasonName() const = 0;

 private:
  double BoundOf(size_t rule) const { return this->*rules()[rule].bound; }
};

}  // namespace uzushio
