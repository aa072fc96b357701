// How a filter removes documents, as data: what a report moves thresholds by, without the filter's files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace uzushio {

enum class Removes { kBelow, kFrom, kAbove };  // <, >=, >

// "<", ">=", ">".
const char* SignOf(Removes removes);

// Removes documents of which a metric lies on one side of a number. NaN is on neither.
struct Threshold {
  std::string parameter;  // whose value the number is; empty: it is the filter's own
  size_t metric = 0;      // of the filter's; of a chain's columns in a StepRule
  Removes removes = Removes::kBelow;
  std::variant<int64_t, float, double> value;
  bool is_single = false;  // the metric is rounded to 32 bits before
  double margin = 0;       // is added to the metric before

  double number() const;
  // Whether it would remove a document of this metric if the number were `bound`.
  // It is rounded to the type of `value`.
  bool RemovesAt(double metric, double bound) const;
  bool RemovesOne(double metric) const { return RemovesAt(metric, number()); }
  // For a reader: "< 0.1".
  std::string Text() const;
};

// Removes documents at random: those of metric m stay with the probability value / m.
struct Sampling {
  std::string parameter;
  size_t metric = 0;
  double value = 1;
  // `random` is the document's number in [0, 1).
  bool RemovesAt(double metric, double random, double bound) const { return metric > 0 && random > bound / metric; }
};

// Removes documents of a metric above 0 from a number on that is normally distributed, a function of the id.
struct NormalBound {
  size_t metric = 0;
  double mean = 0;
  double deviation = 1;
  // `gaussian` is the document's, of mean 0 and deviation 1.
  bool RemovesOne(double metric, double gaussian) const { return metric > 0 && metric >= mean + deviation * gaussian; }
};

// A document goes when any of these removes it.
struct RemovalRule {
  std::vector<Threshold> thresholds;  // in order of the reasons, one each, where there are any
  std::optional<Sampling> sampling;
  std::optional<NormalBound> normal;

  // Whether a part of it removes documents by what no parameter moves.
  bool is_fixed() const;
  // Whether such a part removes this one; and whether any part does.
  bool RemovesFixed(std::span<const double> metrics, double gaussian) const;
  bool RemovesOne(std::span<const double> metrics, double random, double gaussian) const;
};

}  // namespace uzushio
