// L2-regularised logistic regression, by LIBLINEAR (Fan et al. 2008).
#pragma once

#include <linear.h>

#include <vector>

namespace uzushio {

// A text as LIBLINEAR takes it: its features, from 1 on, increasing, and one of -1 that ends them.
struct LearntText {
  std::vector<feature_node> features;
  bool japanese = false;
};

// The weights of features 1 to `size` that minimise |w|^2 / 2 + `cost` * the sum of log(1 + exp(-y w x)) over the
// texts, among which there are both kinds; there is no constant term. The same for the same texts in the same order.
std::vector<double> FitWeights(std::vector<LearntText>* texts, size_t size, double cost);

}  // namespace uzushio
