#include "filters/metric_names.h"

#include <algorithm>
#include <set>

#include "filters/list.h"

namespace uzushio {

std::vector<std::string> FilterAndMetricNames() {
  std::set<std::string> names;
  for (const FilterDeclaration& filter : FilterDeclarations()) {
    names.insert(filter.name);
    for (const DeclaredMetric& metric : filter.metrics) names.insert(metric.name);
  }
  return {names.begin(), names.end()};
}

std::string FilterOfMetric(const std::string& name) {
  const auto& all = FilterDeclarations();
  if (std::ranges::find(all, name, &FilterDeclaration::name) != all.end()) return name;
  const auto of = std::ranges::find(all, name, &FilterDeclaration::metric);
  if (of != all.end()) return of->name;
  for (const FilterDeclaration& filter : all) {
    if (std::ranges::find(filter.metrics, name, &DeclaredMetric::name) != filter.metrics.end()) return filter.name;
  }
  return name;
}

std::string HelpOfMetric(const std::string& column) {
  const std::string name = column.substr(0, column.find_first_of("(#"));
  for (const FilterDeclaration& filter : FilterDeclarations()) {
    for (const DeclaredMetric& metric : filter.metrics) {
      if (metric.name == name) return metric.help;
    }
  }
  return {};
}

}  // namespace uzushio
