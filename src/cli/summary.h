// What a run did, as text: of the same JSON that --summary writes, so that every engine that runs a stage says the
// same.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace uzushio {

// Of `extract`, `stats`, `merge`, `filter` or `metrics`, which `summary["stage"]` names. What an engine does not know
// is left out: time, peak memory, bytes spilled, files, the times of filters, quantiles.
std::string SummaryText(const nlohmann::ordered_json& summary);

// What is to be warned of in it, or nothing: a chain that removed everything.
std::string SummaryWarning(const nlohmann::ordered_json& summary);

// What a pipeline does without, a line each: of `run` and of its plan.
std::string LeftOutText(const nlohmann::ordered_json& summary);

}  // namespace uzushio
