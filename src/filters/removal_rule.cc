#include "filters/removal_rule.h"

#include <algorithm>

#include "filters/filter.h"

namespace uzushio {
namespace {

bool IsRemoved(Removes removes, double metric, double bound) {
  switch (removes) {
    case Removes::kBelow:
      return metric < bound;
    case Removes::kFrom:
      return metric >= bound;
    case Removes::kAbove:
      return metric > bound;
  }
  return false;
}

}  // namespace

const char* SignOf(Removes removes) {
  if (removes == Removes::kBelow) return "<";
  return removes == Removes::kFrom ? ">=" : ">";
}

double Threshold::number() const {
  return std::visit([](auto number) { return static_cast<double>(number); }, value);
}

bool Threshold::RemovesAt(double metric, double bound) const {
  const bool is_float = std::holds_alternative<float>(value);
  return IsRemoved(removes, is_single ? static_cast<float>(metric) : metric + margin,
                   is_float ? static_cast<float>(bound) : bound);
}

std::string Threshold::Text() const {
  const std::string shown = std::visit(
      [](auto number) {
        if constexpr (std::is_integral_v<decltype(number)>)
          return std::to_string(number);
        else
          return JavaNumber(number);
      },
      value);
  return std::string(SignOf(removes)) + " " + shown;
}

bool RemovalRule::is_fixed() const {
  return normal || std::ranges::any_of(thresholds, [](const Threshold& one) { return one.parameter.empty(); });
}

bool RemovalRule::RemovesFixed(std::span<const double> metrics, double gaussian) const {
  if (normal && normal->RemovesOne(metrics[normal->metric], gaussian)) return true;
  return std::ranges::any_of(thresholds, [&metrics](const Threshold& one) {
    return one.parameter.empty() && one.RemovesOne(metrics[one.metric]);
  });
}

bool RemovalRule::RemovesOne(std::span<const double> metrics, double random, double gaussian) const {
  if (RemovesFixed(metrics, gaussian)) return true;
  if (sampling && sampling->RemovesAt(metrics[sampling->metric], random, sampling->value)) return true;
  return std::ranges::any_of(thresholds,
                             [&metrics](const Threshold& one) { return one.RemovesOne(metrics[one.metric]); });
}

}  // namespace uzushio
