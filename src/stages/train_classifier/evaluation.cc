#include "stages/train_classifier/evaluation.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace uzushio {
namespace {

std::optional<double> ShareOrNone(int64_t part, int64_t all) {
  if (all == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(all);
}

void AddToBins(float probability, bool right, std::array<CalibrationBin, kCalibrationBins>* bins) {
  const double place = std::floor(static_cast<double>(probability) * kCalibrationBins);
  CalibrationBin& bin = (*bins)[static_cast<size_t>(std::clamp<double>(place, 0, kCalibrationBins - 1))];
  ++bin.texts;
  bin.right += right ? 1 : 0;
  bin.probability += static_cast<double>(probability);
}

std::optional<double> CalibrationError(const std::array<CalibrationBin, kCalibrationBins>& bins, int64_t texts) {
  if (texts == 0) return std::nullopt;
  double sum = 0;
  for (const CalibrationBin& bin : bins) sum += std::abs(static_cast<double>(bin.right) - bin.probability);
  return sum / static_cast<double>(texts);
}

struct ScoredText {
  float score = 0;
  bool has_label = false;
};

// Sets what goes by the order of scores: from the highest down, equal scores at once.
void GoThroughScores(std::vector<ScoredText>* scored, LabelEvaluation* evaluation) {
  std::ranges::sort(*scored, [](const ScoredText& a, const ScoredText& b) { return a.score > b.score; });
  const auto all = static_cast<int64_t>(scored->size());
  const int64_t others = all - evaluation->texts;
  int64_t above = 0;        // texts of the label with a score so far
  int64_t other_above = 0;  // of other labels
  double pairs = 0;
  for (size_t i = 0; i < scored->size();) {
    const float score = (*scored)[i].score;
    int64_t here = 0;
    int64_t other_here = 0;
    for (; i < scored->size() && (*scored)[i].score == score; ++i) ++((*scored)[i].has_label ? here : other_here);
    above += here;
    other_above += other_here;
    pairs +=
        static_cast<double>(here) * (static_cast<double>(others - other_above) + static_cast<double>(other_here) / 2);
    const double f1 = 2 * static_cast<double>(above) / static_cast<double>(above + other_above + evaluation->texts);
    if (f1 <= evaluation->threshold_f1) continue;
    evaluation->threshold_f1 = f1;
    evaluation->threshold = static_cast<double>(score);
  }
  if (evaluation->texts > 0 && others > 0) {
    evaluation->auc = pairs / (static_cast<double>(evaluation->texts) * static_cast<double>(others));
  }
}

template <typename Value>
nlohmann::ordered_json OrNull(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

nlohmann::ordered_json BinsJson(const std::array<CalibrationBin, kCalibrationBins>& bins) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const CalibrationBin& bin : bins) {
    nlohmann::ordered_json one = {{"texts", bin.texts}};
    one["probability"] = bin.texts == 0 ? nlohmann::ordered_json()
                                        : nlohmann::ordered_json(bin.probability / static_cast<double>(bin.texts));
    one["share"] = OrNull(ShareOrNone(bin.right, bin.texts));
    json.push_back(std::move(one));
  }
  return json;
}

}  // namespace

ClassifierEvaluation Evaluate(const std::vector<std::string>& labels, std::span<const int32_t> truth,
                              std::span<const float> probabilities) {
  ClassifierEvaluation all;
  all.texts = static_cast<int64_t>(truth.size());
  for (const std::string& label : labels) all.labels.emplace_back().label = label;
  for (size_t i = 0; i < truth.size(); ++i) {
    const auto own = probabilities.subspan(i * labels.size(), labels.size());
    const auto label = static_cast<size_t>(truth[i]);
    const auto predicted = static_cast<size_t>(std::ranges::max_element(own) - own.begin());
    const bool right = predicted == label;
    all.right += right ? 1 : 0;
    AddToBins(own[predicted], right, &all.bins);
    ++all.labels[label].texts;
    ++all.labels[predicted].predicted;
    all.labels[predicted].right += right ? 1 : 0;
  }
  all.calibration_error = CalibrationError(all.bins, all.texts);
  std::vector<ScoredText> scored(truth.size());
  for (size_t label = 0; label < labels.size(); ++label) {
    LabelEvaluation& one = all.labels[label];
    for (size_t i = 0; i < truth.size(); ++i) {
      scored[i] = {probabilities[i * labels.size() + label], static_cast<size_t>(truth[i]) == label};
      AddToBins(scored[i].score, scored[i].has_label, &one.bins);
    }
    one.precision = ShareOrNone(one.right, one.predicted);
    one.recall = ShareOrNone(one.right, one.texts);
    one.f1 = ShareOrNone(2 * one.right, one.texts + one.predicted);
    one.calibration_error = CalibrationError(one.bins, all.texts);
    GoThroughScores(&scored, &one);
  }
  return all;
}

int64_t EvaluationMemory(int64_t texts, int64_t labels) {
  return texts * (labels * int64_t{sizeof(float)} + int64_t{sizeof(int32_t)} + int64_t{sizeof(ScoredText)});
}

nlohmann::ordered_json ToJson(const ClassifierEvaluation& evaluation) {
  nlohmann::ordered_json labels = nlohmann::ordered_json::array();
  for (const LabelEvaluation& one : evaluation.labels) {
    nlohmann::ordered_json json = {
        {"label", one.label},
        {"texts", one.texts},
        {"predicted", one.predicted},
        {"right", one.right},
        {"precision", OrNull(one.precision)},
        {"recall", OrNull(one.recall)},
        {"f1", OrNull(one.f1)},
        {"auc", OrNull(one.auc)},
        {"threshold", OrNull(one.threshold)},
        {"threshold_f1", one.threshold ? nlohmann::ordered_json(one.threshold_f1) : nlohmann::ordered_json()},
        {"calibration_error", OrNull(one.calibration_error)},
        {"calibration", BinsJson(one.bins)}};
    labels.push_back(std::move(json));
  }
  return {{"texts", evaluation.texts},
          {"right", evaluation.right},
          {"accuracy", OrNull(evaluation.accuracy())},
          {"calibration_error", OrNull(evaluation.calibration_error)},
          {"calibration", BinsJson(evaluation.bins)},
          {"labels", std::move(labels)}};
}

}  // namespace uzushio
