#include "filters/filter.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace uzushio {
namespace {

constexpr int kTrial = std::numeric_limits<int>::max();

}  // namespace

std::string Filter::Bound(size_t reason) const {
  const std::vector<Threshold> thresholds = Rule().thresholds;
  return reason < thresholds.size() ? thresholds[reason].Text() : "";
}

nlohmann::json Filter::WithEdges(const std::vector<std::vector<double>>& /*edges*/) const {
  return nlohmann::json::object();
}

double ParagraphFilter::Measure(const FilterDocument& document, FilterScratch* scratch) const {
  FilterDocument trial;
  trial.Replace({document.paragraphs().begin(), document.paragraphs().end()});
  Change(&trial, kTrial, scratch);
  int64_t removed = 0;
  for (const FilterParagraph& paragraph : trial.paragraphs()) {
    if (paragraph.removed_by == kTrial) removed += CodePoints(paragraph.plain);
  }
  return Ratio(static_cast<double>(removed), static_cast<double>(document.AliveLength()));
}

std::vector<std::string> BoundedFilter::Reasons() const {
  return {ReasonName() + ".Low(" + JavaNumber(low) + ")", ReasonName() + ".High(" + JavaNumber(high) + ")"};
}

std::optional<size_t> BoundedFilter::Decide(double metric, const FilterDocument& /*document*/) const {
  if (static_cast<float>(metric) < low) return 0;
  if (static_cast<float>(metric) > high) return 1;
  return std::nullopt;
}

RemovalRule BoundedFilter::Rule() const {
  RemovalRule rule;
  rule.thresholds = {{.parameter = "low", .removes = Removes::kBelow, .value = low, .is_single = true},
                     {.parameter = "high", .removes = Removes::kAbove, .value = high, .is_single = true}};
  return rule;
}

std::optional<size_t> SampledFilter::Decide(double metric, const FilterDocument& document) const {
  if (metric <= 0 || document.random() <= expected / metric) return std::nullopt;
  return 0;
}

RemovalRule SampledFilter::Rule() const {
  return {.thresholds = {}, .sampling = Sampling{.parameter = "expected", .value = expected}, .normal = {}};
}

std::string SampledFilter::Bound(size_t /*reason*/) const { return "random > " + JavaNumber(expected) + " / it"; }

namespace {

template <typename Number>
std::string Java(Number value) {
  const Number size = std::abs(value);
  if (size != 0 && (size < Number(1e-3) || size >= Number(1e7))) {
    std::array<char, 32> digits{};  // the fewest that give the number back
    const auto end = std::to_chars(digits.begin(), digits.end(), value, std::chars_format::scientific).ptr;
    const std::string text(digits.begin(), end);
    std::string mantissa = text.substr(0, text.find('e'));
    if (mantissa.find('.') == std::string::npos) mantissa += ".0";
    return mantissa + "E" + std::to_string(std::stoi(text.substr(text.find('e') + 1)));
  }
  std::string text = fmt::format("{}", value);
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

}  // namespace

std::string JavaNumber(float value) { return Java(value); }
std::string JavaNumber(double value) { return Java(value); }

}  // namespace uzushio
