// How well a classifier tells the labels of texts that it was not trained on.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace uzushio {

inline constexpr size_t kCalibrationBins = 10;

// The texts whose probability is in one tenth of 0 to 1; the last has those of 1 and above, too.
struct CalibrationBin {
  int64_t texts = 0;
  int64_t right = 0;       // that have the label
  double probability = 0;  // the sum
};

// Of one label against all others. What is divided by nothing is missing.
struct LabelEvaluation {
  std::string label;
  int64_t texts = 0;      // that have it
  int64_t predicted = 0;  // whose most probable label it is
  int64_t right = 0;      // of these
  std::optional<double> precision;
  std::optional<double> recall;
  std::optional<double> f1;  // 2 * right / (texts + predicted)
  // The probability that a text of the label has a higher score than one of another; equal scores count half.
  std::optional<double> auc;
  // The score from which on texts are taken so that F1 is highest, the highest of such; and that F1.
  std::optional<double> threshold;
  double threshold_f1 = 0;
  std::array<CalibrationBin, kCalibrationBins> bins;
  // The mean over texts of |share of the label - mean probability| of their bin (Guo et al. 2017).
  std::optional<double> calibration_error;
};

struct ClassifierEvaluation {
  int64_t texts = 0;
  int64_t right = 0;                                  // whose most probable label is theirs
  std::array<CalibrationBin, kCalibrationBins> bins;  // of the most probable label
  std::optional<double> calibration_error;
  std::vector<LabelEvaluation> labels;

  std::optional<double> accuracy() const {
    if (texts == 0) return std::nullopt;
    return static_cast<double>(right) / static_cast<double>(texts);
  }
};

// `truth` has the places in `labels` of the texts' own, `probabilities` those of all labels, text by text. Of equally
// probable labels, the first is predicted.
ClassifierEvaluation Evaluate(const std::vector<std::string>& labels, std::span<const int32_t> truth,
                              std::span<const float> probabilities);

// Bytes of memory that this takes for so many texts, with what it is given.
int64_t EvaluationMemory(int64_t texts, int64_t labels);

nlohmann::ordered_json ToJson(const ClassifierEvaluation& evaluation);

}  // namespace uzushio
