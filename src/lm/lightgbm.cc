// The format and the decisions are those of LightGBM 2 to 4: Tree::ToString, Tree::NumericalDecision,
// GBDT::SaveModelToString, ObjectiveFunction::ConvertOutput.
#include "lm/lightgbm.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

namespace uzushio {
namespace {

constexpr double kAlmostZero = static_cast<double>(1e-35F);  // LightGBM takes what is no larger for zero
constexpr size_t kMostFeatures = 1'000'000;
constexpr size_t kMostOutputs = 1000;
constexpr size_t kMostLeaves = 131072;  // of a tree: LightGBM makes no larger ones
// What is read of the header and of trees; other lines are not kept.
constexpr std::array<std::string_view, 14> kKeys = {
    "average_output",  "decision_type", "is_linear",     "leaf_value", "left_child",
    "max_feature_idx", "num_cat",       "num_class",     "num_leaves", "num_tree_per_iteration",
    "objective",       "right_child",   "split_feature", "threshold"};
constexpr uint8_t kCategorical = 1;
constexpr uint8_t kDefaultLeft = 2;
enum class Missing : uint8_t { kNone, kZero, kNan };

arrow::Status NoTrees(const std::string& what) {
  return arrow::Status::Invalid("it is no model of LightGBM in text, or cut off or changed: ", what);
}

// A text from its beginning, line by line.
class TreeLines {
 public:
  explicit TreeLines(std::string_view text) : rest_(text) {}
  bool Next(std::string_view* line) {
    if (rest_.empty()) return false;
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    *line = rest_.substr(0, end);
    if (line->ends_with('\r')) line->remove_suffix(1);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return true;
  }

 private:
  std::string_view rest_;
};

template <typename Number>
bool ReadNumber(std::string_view text, Number* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

// Calls `use` with each part between spaces; false where it does.
template <typename Use>
bool ForEachPart(std::string_view text, Use use) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0 && !use(text.substr(0, end))) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

// As many numbers as there have to be.
template <typename Number>
arrow::Status ReadNumbers(const std::map<std::string_view, std::string_view>& values, std::string_view key,
                          size_t count, std::vector<Number>* numbers) {
  numbers->clear();
  const auto found = values.find(key);
  const bool all = found != values.end() && ForEachPart(found->second, [numbers, count](std::string_view part) {
                     Number number = 0;
                     if (numbers->size() == count || !ReadNumber(part, &number)) return false;
                     numbers->push_back(number);
                     return true;
                   });
  if (all && numbers->size() == count) return arrow::Status::OK();
  return NoTrees("a tree has no " + std::string(key) + ", or another number of them");
}

double Sigmoid(double number) { return 1 / (1 + std::exp(-number)); }

}  // namespace

class LightGbmModel::Parser {
 public:
  explicit Parser(std::string_view text) : lines_(text) {}

  arrow::Result<LightGbmModel> Parse() {
    std::string_view line;
    if (!lines_.Next(&line) || line != "tree") return NoTrees("it does not begin with `tree`");
    bool more = false;
    ARROW_RETURN_NOT_OK(ReadHeader(&more));
    while (more) ARROW_RETURN_NOT_OK(ReadTree(&more));
    if (model_.trees_.empty() || model_.trees_.size() % model_.outputs_ != 0) return NoTrees("trees are missing");
    model_.nodes_.shrink_to_fit();
    model_.leaves_.shrink_to_fit();
    return std::move(model_);
  }

 private:
  // The lines to the next tree, or to the end of all. Other errors are those of who wants a value.
  arrow::Status ReadValues(bool* more) {
    values_.clear();
    std::string_view line;
    while (lines_.Next(&line)) {
      if (line.starts_with("Tree=")) {
        *more = true;
        return arrow::Status::OK();
      }
      if (line == "end of trees") {
        *more = false;
        return arrow::Status::OK();
      }
      const size_t equals = std::min(line.find('='), line.size());
      const std::string_view key = line.substr(0, equals);
      if (std::ranges::find(kKeys, key) == kKeys.end()) continue;
      values_[key] = line.substr(std::min(equals + 1, line.size()));
    }
    return NoTrees("the end is missing");
  }

  arrow::Status ReadHeader(bool* more) {
    ARROW_RETURN_NOT_OK(ReadValues(more));
    size_t classes = 0;
    size_t last_feature = 0;
    const auto number = [this](std::string_view key, size_t most, size_t* to) {
      return ReadNumber(values_[key], to) && *to <= most;
    };
    if (!number("num_tree_per_iteration", kMostOutputs, &model_.outputs_) || model_.outputs_ < 1 ||
        !number("num_class", kMostOutputs, &classes) || !number("max_feature_idx", kMostFeatures - 1, &last_feature)) {
      return NoTrees("its header has no numbers of classes, trees and features");
    }
    model_.features_ = last_feature + 1;
    model_.average_ = values_.contains("average_output");
    return ReadObjective(values_["objective"]);
  }

  arrow::Status ReadObjective(std::string_view text) {
    static const std::map<std::string_view, Conversion> kObjectives = {{"", Conversion::kNone},
                                                                       {"custom", Conversion::kNone},
                                                                       {"binary", Conversion::kSigmoid},
                                                                       {"cross_entropy", Conversion::kSigmoid},
                                                                       {"cross_entropy_lambda", Conversion::kLogExp},
                                                                       {"multiclass", Conversion::kSoftmax},
                                                                       {"multiclassova", Conversion::kSigmoid},
                                                                       {"regression", Conversion::kNone},
                                                                       {"regression_l1", Conversion::kNone},
                                                                       {"huber", Conversion::kNone},
                                                                       {"fair", Conversion::kNone},
                                                                       {"quantile", Conversion::kNone},
                                                                       {"mape", Conversion::kNone},
                                                                       {"poisson", Conversion::kExp},
                                                                       {"gamma", Conversion::kExp},
                                                                       {"tweedie", Conversion::kExp},
                                                                       {"lambdarank", Conversion::kNone},
                                                                       {"rank_xendcg", Conversion::kNone}};
    const std::string_view name = text.substr(0, text.find(' '));
    const auto found = kObjectives.find(name);
    if (found == kObjectives.end()) {
      return arrow::Status::Invalid("its objective '", name, "' is none that is known here");
    }
    model_.conversion_ = found->second;
    constexpr std::string_view kSigmoidIs = "sigmoid:";
    const bool all = ForEachPart(text.substr(name.size()), [this, kSigmoidIs](std::string_view part) {
      if (part == "sqrt") model_.conversion_ = Conversion::kSquare;
      if (!part.starts_with(kSigmoidIs)) return true;
      return ReadNumber(part.substr(kSigmoidIs.size()), &model_.sigmoid_) && model_.sigmoid_ > 0 &&
             std::isfinite(model_.sigmoid_);
    });
    return all ? arrow::Status::OK() : NoTrees("the sigmoid of its objective is no number");
  }

  arrow::Status ReadTree(bool* more) {
    ARROW_RETURN_NOT_OK(ReadValues(more));
    size_t leaves = 0;
    if (!ReadNumber(values_["num_leaves"], &leaves) || leaves < 1 || leaves > kMostLeaves) {
      return NoTrees("a tree has no leaves, or more than " + std::to_string(kMostLeaves));
    }
    if (values_.contains("is_linear") && values_["is_linear"] != "0") {
      return arrow::Status::Invalid("it has linear trees (linear_tree), which are not read");
    }
    if (values_.contains("num_cat") && values_["num_cat"] != "0") {
      return arrow::Status::Invalid("it splits by categories, and static vectors are numbers");
    }
    Tree tree;
    tree.nodes = model_.nodes_.size();
    tree.leaves = model_.leaves_.size();
    tree.is_leaf = leaves == 1;
    ARROW_RETURN_NOT_OK(ReadNumbers(values_, "leaf_value", leaves, &doubles_));
    if (!std::ranges::all_of(doubles_, [](double value) { return std::isfinite(value); })) {
      return NoTrees("a leaf is no number");
    }
    model_.leaves_.insert(model_.leaves_.end(), doubles_.begin(), doubles_.end());
    if (leaves > 1) ARROW_RETURN_NOT_OK(ReadNodes(leaves - 1));
    model_.trees_.push_back(tree);
    return arrow::Status::OK();
  }

  arrow::Status ReadNodes(size_t count) {
    const size_t first = model_.nodes_.size();
    ARROW_RETURN_NOT_OK(ReadNumbers(values_, "threshold", count, &doubles_));
    model_.nodes_.resize(first + count);  // there are as many numbers in the text
    const auto nodes = std::span(model_.nodes_).subspan(first);
    for (size_t i = 0; i < count; ++i) nodes[i].threshold = doubles_[i];
    ARROW_RETURN_NOT_OK(ReadNumbers(values_, "split_feature", count, &numbers_));
    for (size_t i = 0; i < count; ++i) {
      if (numbers_[i] < 0 || static_cast<size_t>(numbers_[i]) >= model_.features_) {
        return NoTrees("a tree splits by a feature that there is not");
      }
      nodes[i].feature = static_cast<uint32_t>(numbers_[i]);
    }
    ARROW_RETURN_NOT_OK(ReadNumbers(values_, "decision_type", count, &numbers_));
    for (size_t i = 0; i < count; ++i) {
      constexpr int64_t kMostDecision = 11;
      if (numbers_[i] < 0 || numbers_[i] > kMostDecision || (numbers_[i] & kCategorical) != 0 ||
          std::isnan(nodes[i].threshold)) {
        return NoTrees("a split is of no known kind");
      }
      nodes[i].decision = static_cast<uint8_t>(numbers_[i]);
    }
    ARROW_RETURN_NOT_OK(ReadChildren("left_child", nodes, &Node::left));
    return ReadChildren("right_child", nodes, &Node::right);
  }

  // Nodes come behind those that lead to them, as LightGBM makes them: there is a way out of every tree.
  arrow::Status ReadChildren(std::string_view key, std::span<Node> nodes, int32_t Node::* child) {
    ARROW_RETURN_NOT_OK(ReadNumbers(values_, key, nodes.size(), &numbers_));
    const auto count = static_cast<int64_t>(nodes.size());
    for (int64_t i = 0; i < count; ++i) {
      const int64_t to = numbers_[static_cast<size_t>(i)];
      const bool fits = to >= 0 ? to > i && to < count : to >= -count - 1;
      if (!fits) return NoTrees("a tree leads nowhere, or back");
      nodes[static_cast<size_t>(i)].*child = static_cast<int32_t>(to);
    }
    return arrow::Status::OK();
  }

  TreeLines lines_;
  LightGbmModel model_;
  std::map<std::string_view, std::string_view> values_;
  std::vector<double> doubles_;
  std::vector<int64_t> numbers_;
};

arrow::Result<LightGbmModel> LightGbmModel::Parse(std::string_view text) { return Parser(text).Parse(); }

int64_t LightGbmModel::memory() const {
  return static_cast<int64_t>(trees_.capacity() * sizeof(Tree) + nodes_.capacity() * sizeof(Node) +
                              leaves_.capacity() * sizeof(double));
}

double LightGbmModel::Leaf(const Tree& tree, std::span<const double> features) const {
  if (tree.is_leaf) return leaves_[tree.leaves];
  int32_t at = 0;
  while (at >= 0) {
    const Node& node = nodes_[tree.nodes + static_cast<size_t>(at)];
    const auto missing = static_cast<Missing>(node.decision >> 2 & 3);
    double value = features[node.feature];
    if (std::abs(value) <= kAlmostZero || (std::isnan(value) && missing != Missing::kNan)) value = 0;
    const bool is_missing = missing == Missing::kZero ? value == 0 : missing == Missing::kNan && std::isnan(value);
    const bool left = is_missing ? (node.decision & kDefaultLeft) != 0 : value <= node.threshold;
    at = left ? node.left : node.right;
  }
  return leaves_[tree.leaves + static_cast<size_t>(~at)];
}

void LightGbmModel::Predict(std::span<const double> features, std::vector<double>* outputs) const {
  outputs->assign(outputs_, 0);
  for (size_t i = 0; i < trees_.size(); ++i) (*outputs)[i % outputs_] += Leaf(trees_[i], features);
  if (average_) {
    const size_t rounds = trees_.size() / outputs_;
    for (double& output : *outputs) output /= static_cast<double>(rounds);
  }
  Convert(outputs);
}

void LightGbmModel::Convert(std::vector<double>* outputs) const {
  if (conversion_ == Conversion::kSoftmax) {
    const double most = *std::ranges::max_element(*outputs);
    double sum = 0;
    for (double& output : *outputs) sum += output = std::exp(output - most);
    for (double& output : *outputs) output /= sum;
    return;
  }
  for (double& output : *outputs) {
    switch (conversion_) {
      case Conversion::kSigmoid:
        output = Sigmoid(sigmoid_ * output);
        break;
      case Conversion::kExp:
        output = std::exp(output);
        break;
      case Conversion::kSquare:
        output = std::copysign(output * output, output);
        break;
      case Conversion::kLogExp:
        output = std::log1p(std::exp(output));
        break;
      default:
        break;
    }
  }
}

}  // namespace uzushio
