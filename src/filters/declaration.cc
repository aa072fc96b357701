#include "filters/declaration.h"

#include <utility>

namespace uzushio {

DeclarationBuilder::DeclarationBuilder(std::string_view name, std::string_view kind, std::string_view summary) {
  declaration_.name = name;
  declaration_.kind = kind;
  declaration_.summary = summary;
}

DeclarationBuilder::~DeclarationBuilder() = default;

void DeclarationBuilder::SetMetric(std::string_view name, std::string_view help) {
  declaration_.metrics = {{std::string(name), std::string(help)}};
  declaration_.metric = name;
  declaration_.metric_help = help;
}

void DeclarationBuilder::SetMetrics(std::vector<DeclaredMetric> metrics) { declaration_.metrics = std::move(metrics); }

void DeclarationBuilder::SetBounded() { declaration_.bounded = true; }

FilterParameter& DeclarationBuilder::Add(std::string_view name, FilterParameter::Type type, std::string_view help,
                                         Setter<const ParameterValue&> set) {
  FilterParameter& parameter = declaration_.parameters.emplace_back();
  parameter.name = name;
  parameter.type = type;
  parameter.help = help;
  setters_.push_back(std::move(set));
  return parameter;
}

void DeclarationBuilder::AddInt(std::string_view name, int64_t default_value, int64_t least, int64_t most,
                                std::string_view help, Setter<int64_t> set) {
  FilterParameter& parameter = Add(
      name, FilterParameter::Type::kInt, help,
      [set = std::move(set)](Filter* filter, const ParameterValue& value) { set(filter, std::get<int64_t>(value)); });
  parameter.default_value = default_value;
  parameter.least = static_cast<double>(least);
  parameter.most = static_cast<double>(most);
}

void DeclarationBuilder::AddFloat(std::string_view name, double default_value, double least, double most,
                                  std::string_view help, Setter<double> set) {
  FilterParameter& parameter = Add(
      name, FilterParameter::Type::kFloat, help,
      [set = std::move(set)](Filter* filter, const ParameterValue& value) { set(filter, std::get<double>(value)); });
  parameter.default_value = default_value;
  parameter.least = least;
  parameter.most = most;
}

void DeclarationBuilder::AddText(std::string_view name, const std::string* default_value, std::string_view help,
                                 Texts choices, Setter<const std::string&> set) {
  FilterParameter& parameter = Add(name, FilterParameter::Type::kText, help,
                                   [set = std::move(set)](Filter* filter, const ParameterValue& value) {
                                     set(filter, std::get<std::string>(value));
                                   });
  if (default_value != nullptr) parameter.default_value = *default_value;
  parameter.choices = std::move(choices);
}

void DeclarationBuilder::AddTexts(std::string_view name, const Texts* default_value, std::string_view help,
                                  Setter<const Texts&> set) {
  FilterParameter& parameter =
      Add(name, FilterParameter::Type::kTexts, help,
          [set = std::move(set)](Filter* filter, const ParameterValue& value) { set(filter, std::get<Texts>(value)); });
  if (default_value != nullptr) parameter.default_value = *default_value;
}

void DeclarationBuilder::AddFlag(std::string_view name, bool default_value, std::string_view help, Setter<bool> set) {
  const std::string text = default_value ? "true" : "false";
  AddText(name, &text, help, {"false", "true"},
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
