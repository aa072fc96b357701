// Filters that give their reasons numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "filters/filter.h"

namespace uzushio {

// Removes documents of which a metric is the number of a reason, from 1; 0: none applies.
class NumberedFilter : public Filter {
 public:
  std::vector<std::string> Reasons() const final { return reasons_; }
  size_t MetricOf(size_t /*reason*/) const final { return metric_; }
  std::optional<size_t> DecideAll(std::span<const double> metrics, const FilterDocument& /*document*/) const final {
    const double number = metrics[metric_];
    // What metrics of another run say may be none of these.
    if (!(number >= 1 && number <= static_cast<double>(reasons_.size()))) return std::nullopt;
    return static_cast<size_t>(number) - 1;
  }
  RemovalRule Rule() const final {
    RemovalRule rule;
    rule.thresholds = {{.parameter = "", .metric = metric_, .removes = Removes::kFrom, .value = int64_t{1}}};
    return rule;
  }
  std::string Bound(size_t reason) const final { return "= " + std::to_string(reason + 1); }

 protected:
  explicit NumberedFilter(size_t metric) : metric_(metric) {}

  std::vector<std::string> reasons_;

 private:
  const size_t metric_;
};

}  // namespace uzushio
