#include "stages/train_language/fit.h"

#include <memory>

namespace uzushio {

std::vector<double> FitWeights(std::vector<LearntText>* texts, size_t size, double cost) {
  constexpr double kTolerance = 0.001;
  std::vector<double> labels;
  std::vector<feature_node*> rows;
  for (LearntText& text : *texts) {
    labels.push_back(text.japanese ? 1 : -1);
    rows.push_back(text.features.data());
  }
  problem given{};
  given.l = static_cast<int>(rows.size());
  given.n = static_cast<int>(size);
  given.y = labels.data();
  given.x = rows.data();
  given.bias = -1;  // none
  parameter how{};
  how.solver_type = L2R_LR;  // draws no random numbers
  how.eps = kTolerance;
  how.C = cost;
  how.regularize_bias = 1;
  set_print_string_function([](const char* /*progress*/) {});
  const auto free_model = [](model* trained) { free_and_destroy_model(&trained); };
  const std::unique_ptr<model, decltype(free_model)> trained(train(&given, &how), free_model);
  // LIBLINEAR's weights are those of the label that it puts first.
  const double sign = trained->label[0] == 1 ? 1 : -1;
  std::vector<double> weights(trained->w, trained->w + size);
  for (double& weight : weights) weight *= sign;
  return weights;
}

}  // namespace uzushio
