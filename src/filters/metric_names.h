// What names of metrics stand for.
#pragma once

#include <string>
#include <vector>

namespace uzushio {

// The names that FilterOfMetric knows: of filters and metrics, sorted.
std::vector<std::string> FilterAndMetricNames();

// The filter that computes a metric, which is its name, its metric's or one of its metrics'; `name` itself where there
// is none.
std::string FilterOfMetric(const std::string& name);

// What a column of metrics means, by its name in a chain; empty where no filter has it.
std::string HelpOfMetric(const std::string& column);

}  // namespace uzushio
