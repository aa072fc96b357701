#include "filters/chain_rules.h"

#include <algorithm>
#include <cmath>

#include "filters/chain.h"
#include "filters/declaration.h"
#include "filters/filter.h"

namespace uzushio {
namespace {

nlohmann::json Finite(double value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(); }

nlohmann::json ThresholdJson(const Threshold& threshold, const FilterChain::Step& step) {
  nlohmann::json json = {{"parameter", threshold.parameter},
                         {"column", step.column + threshold.metric},
                         {"removes", SignOf(threshold.removes)},
                         {"value", threshold.number()},
                         {"least", nullptr},
                         {"most", nullptr},
                         {"integer", std::holds_alternative<int64_t>(threshold.value)},
                         {"float", std::holds_alternative<float>(threshold.value)},
                         {"single", threshold.is_single},
                         {"margin", threshold.margin}};
  const auto& parameters = step.declaration->parameters;
  const auto found = std::ranges::find(parameters, threshold.parameter, &FilterParameter::name);
  if (found == parameters.end()) return json;
  json["value"] = step.parameters[threshold.parameter];  // as it was given: 0.1, which no float is
  json["least"] = Finite(found->least);
  json["most"] = Finite(found->most);
  return json;
}

nlohmann::json StepRuleJson(const FilterChain::Step& step) {
  const RemovalRule rule = step.filter->Rule();
  nlohmann::json json = {
      {"class", step.name()},
      {"kind", step.declaration->kind},
      {"parameters", step.parameters.is_null() ? nlohmann::json::object() : nlohmann::json(step.parameters)},
      {"thresholds", nlohmann::json::array()},
      {"random", nullptr},
      {"normal", nullptr}};
  for (const Threshold& threshold : rule.thresholds) json["thresholds"].push_back(ThresholdJson(threshold, step));
  if (rule.sampling) {
    json["random"] = {{"parameter", rule.sampling->parameter},
                      {"column", step.column + rule.sampling->metric},
                      {"value", rule.sampling->value}};
  }
  if (rule.normal) {
    json["normal"] = {{"column", step.column + rule.normal->metric},
                      {"mean", rule.normal->mean},
                      {"deviation", rule.normal->deviation}};
  }
  return json;
}

// Reads one object; what is not as it should be throws nlohmann's exceptions.
class RuleReader {
 public:
  explicit RuleReader(size_t columns) : columns_(columns) {}

  StepRule Read(const nlohmann::json& json) const {
    StepRule step = {json.at("class"), json.at("kind"), json.at("parameters"), {}};
    for (const nlohmann::json& one : json.at("thresholds")) step.rule.thresholds.push_back(ReadThreshold(one));
    if (const nlohmann::json& one = json.at("random"); !one.is_null()) {
      step.rule.sampling = Sampling{one.at("parameter"), ReadColumn(one), one.at("value")};
    }
    if (const nlohmann::json& one = json.at("normal"); !one.is_null()) {
      step.rule.normal = NormalBound{ReadColumn(one), one.at("mean"), one.at("deviation")};
    }
    return step;
  }

 private:
  size_t ReadColumn(const nlohmann::json& json) const {
    const auto column = json.at("column").get<size_t>();
    if (column >= columns_) throw std::out_of_range("a rule looks at column " + std::to_string(column));
    return column;
  }

  Threshold ReadThreshold(const nlohmann::json& json) const {
    Threshold threshold;
    threshold.parameter = json.at("parameter");
    threshold.metric = ReadColumn(json);
    const std::string sign = json.at("removes");
    threshold.removes = sign == "<" ? Removes::kBelow : sign == ">=" ? Removes::kFrom : Removes::kAbove;
    if (sign != SignOf(threshold.removes)) throw std::out_of_range("'" + sign + "' is no comparison");
    const nlohmann::json& value = json.at("value");
    threshold.value = value.get<double>();
    if (json.at("float").get<bool>()) threshold.value = value.get<float>();
    if (json.at("integer").get<bool>()) threshold.value = value.get<int64_t>();
    threshold.is_single = json.at("single");
    threshold.margin = json.at("margin");
    return threshold;
  }

  size_t columns_;
};

}  // namespace

nlohmann::json RulesOf(const FilterChain& chain) {
  nlohmann::json json = nlohmann::json::array();
  for (const FilterChain::Step& step : chain.steps()) json.push_back(StepRuleJson(step));
  return json;
}

arrow::Result<std::vector<StepRule>> ReadRules(const nlohmann::json& json, size_t columns) {
  if (!json.is_array()) return arrow::Status::Invalid("rules: is no list");
  std::vector<StepRule> rules;
  try {
    const RuleReader reader(columns);
    for (const nlohmann::json& step : json) rules.push_back(reader.Read(step));
  } catch (const std::exception& error) {
    return arrow::Status::Invalid("rules[", rules.size(), "]: ", error.what());
  }
  return rules;
}

}  // namespace uzushio
