#include "filters/declaration.h"

#include <utility>

namespace uzushio {

DeclarationBuilder::DeclarationBuilder(std::string_view name, std::string_view kind, std::string_view summary) {
  declaration_.name = name;
  declaration_.kind = kind;
  declaration_.summary = summary;
}

DeclarationBuilder::~DeclarationBuilder() = default;

void DeclarationBuilder::SetMetric(std::string_view name, std::string_view meaning) {
  declaration_.metrics = {{std::string(name), std::string(meaning)}};
  declaration_.metric = name;
  declaration_.metric_meaning = meaning;
}

void DeclarationBuilder::SetMetrics(std::vector<DeclaredMetric> metrics) { declaration_.metrics = std::move(metrics); }

void DeclarationBuilder::SetBounded() { declaration_.bounded = true; }

FilterParameter& DeclarationBuilder::Add(std::string_view name, FilterParameter::Type type, std::string_view meaning,
                                         Setter<const ParameterValue&> set) {
  FilterParameter& parameter = declaration_.parameters.emplace_back();
  parameter.name = name;
  parameter.type = type;
  parameter.meaning = meaning;
  setters_.push_back(std::move(set));
  return parameter;
}

void DeclarationBuilder::AddInt(std::string_view name, int64_t standard, int64_t least, int64_t most,
                                std::string_view meaning, Setter<int64_t> set) {
  FilterParameter& parameter = Add(
      name, FilterParameter::Type::kInt, meaning,
      [set = std::move(set)](Filter* filter, const ParameterValue& value) { set(filter, std::get<int64_t>(value)); });
  parameter.default_value = standard;
  parameter.least = static_cast<double>(least);
  parameter.most = static_cast<double>(most);
}

void DeclarationBuilder::AddFloat(std::string_view name, double standard, double least, double most,
                                  std::string_view meaning, Setter<double> set) {
  FilterParameter& parameter = Add(
      name, FilterParameter::Type::kFloat, meaning,
      [set = std::move(set)](Filter* filter, const ParameterValue& value) { set(filter, std::get<double>(value)); });
  parameter.default_value = standard;
  parameter.least = least;
  parameter.most = most;
}

void DeclarationBuilder::AddText(std::string_view name, const std::string* standard, std::string_view meaning,
                                 Texts choices, Setter<const std::string&> set) {
  FilterParameter& parameter = Add(name, FilterParameter::Type::kText, meaning,
                                   [set = std::move(set)](Filter* filter, const ParameterValue& value) {
                                     set(filter, std::get<std::string>(value));
                                   });
  if (standard != nullptr) parameter.default_value = *standard;
  parameter.choices = std::move(choices);
}

void DeclarationBuilder::AddTexts(std::string_view name, const Texts* standard, std::string_view meaning,
                                  Setter<const Texts&> set) {
  FilterParameter& parameter =
      Add(name, FilterParameter::Type::kTexts, meaning,
          [set = std::move(set)](Filter* filter, const ParameterValue& value) { set(filter, std::get<Texts>(value)); });
  if (standard != nullptr) parameter.default_value = *standard;
}

void DeclarationBuilder::AddFlag(std::string_view name, bool standard, std::string_view meaning, Setter<bool> set) {
  const std::string text = standard ? "true" : "false";
  AddText(name, &text, meaning, {"false", "true"},
          [set = std::move(set)](Filter* filter, const std::string& value) { set(filter, value == "true"); });
}

void DeclarationBuilder::LetLastBeEmpty() { declaration_.parameters.back().may_be_empty = true; }

FilterDeclaration DeclarationBuilder::Finish(std::unique_ptr<Filter> (*make)(), arrow::Status (*prepare)(Filter*)) {
  declaration_.make = [make, prepare, setters = setters_](
                          const std::vector<ParameterValue>& values) -> arrow::Result<std::unique_ptr<Filter>> {
    std::unique_ptr<Filter> filter = make();
    for (size_t i = 0; i < setters.size(); ++i) setters[i](filter.get(), values[i]);
    ARROW_RETURN_NOT_OK(prepare(filter.get()));
    return filter;
  };
  return std::move(declaration_);
}

}  // namespace uzushio
