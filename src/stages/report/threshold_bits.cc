#include "stages/report/threshold_bits.h"

#include <cmath>
#include <limits>

namespace uzushio {
namespace {

constexpr size_t kBits = 64;

// `as` is what a metric is compared as, with `bound`.
template <typename Number, typename As, typename Bound>
void AddBeyond(Removes removes, Bound bound, const Number* metrics, size_t begin, size_t end, uint64_t* bits, As as) {
  const auto add = [&](auto is) {
    for (size_t word = begin; word < end; ++word) bits[word] |= BitsWhere(metrics + word * kBits, is);
  };
  switch (removes) {
    case Removes::kBelow:
      return add([=](Number metric) { return as(metric) < bound; });
    case Removes::kFrom:
      return add([=](Number metric) { return as(metric) >= bound; });
    case Removes::kAbove:
      return add([=](Number metric) { return as(metric) > bound; });
  }
}

// The bound as it is compared.
double BoundOf(const Threshold& threshold, double number) {
  return std::holds_alternative<float>(threshold.value) ? static_cast<float>(number) : number;
}

}  // namespace

float SingleBound(Removes removes, double bound) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kMost = std::numeric_limits<float>::max();
  const bool is_above = removes == Removes::kAbove;  // else the least that is not below the bound is wanted
  if (std::isinf(bound)) return static_cast<float>(bound);
  if (bound > kMost) return is_above ? kMost : kInfinity;
  if (bound < -kMost) return is_above ? -kInfinity : -kMost;
  const auto near = static_cast<float>(bound);
  if (is_above) return near > bound ? std::nextafter(near, -kInfinity) : near;
  return near < bound ? std::nextafter(near, kInfinity) : near;
}

void AddBits(const Threshold& threshold, double number, const float* metrics, size_t begin, size_t end,
             uint64_t* bits) {
  const float bound = SingleBound(threshold.removes, BoundOf(threshold, number));
  AddBeyond(threshold.removes, bound, metrics, begin, end, bits, [](float metric) { return metric; });
}

void AddBits(const Threshold& threshold, double number, const double* metrics, size_t begin, size_t end,
             uint64_t* bits) {
  const double bound = BoundOf(threshold, number);
  if (threshold.is_single) {
    AddBeyond(threshold.removes, SingleBound(threshold.removes, bound), metrics, begin, end, bits,
              [](double metric) { return static_cast<float>(metric); });
  } else {
    AddBeyond(threshold.removes, bound, metrics, begin, end, bits,
              [margin = threshold.margin](double metric) { return metric + margin; });
  }
}

void AddBits(double expected, const double* metrics, const double* random, size_t begin, size_t end, uint64_t* bits) {
  for (size_t word = begin; word < end; ++word) {
    const double* const of_word = random + word * kBits;
    const double* const first = metrics + word * kBits;
    std::array<double, kBits> shares;  // NOLINT(cppcoreguidelines-pro-type-member-init): all are set
    for (size_t i = 0; i < kBits; ++i)
      shares[i] = first[i] > 0 ? expected / first[i] : 1;  // no random number is above 1
    uint64_t removed = 0;
    for (size_t i = 0; i < kBits; ++i) removed |= uint64_t{of_word[i] > shares[i]} << i;
    bits[word] |= removed;
  }
}

}  // namespace uzushio
