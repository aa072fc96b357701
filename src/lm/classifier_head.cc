#include "lm/classifier_head.h"

#include <arrow/buffer.h>
#include <arrow/io/file.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "lm/file_hash.h"
#include "lm/lightgbm.h"
#include "lm/safetensors.h"

namespace uzushio {
namespace {

constexpr int64_t kMostHeadBytes = int64_t{512} << 20;
constexpr int64_t kMostWeights = int64_t{1} << 24;
constexpr const char* kHeadHelp =
    "give text that LightGBM's `Booster.save_model` writes, or safetensors with `weight` and `bias` of a linear layer";

class TreesHead final : public ClassifierHead {
 public:
  explicit TreesHead(LightGbmModel model) : model_(std::move(model)) {}
  size_t inputs() const override { return model_.features(); }
  size_t outputs() const override { return model_.outputs(); }
  void Score(std::span<const double> vector, std::vector<double>* outputs) const override {
    model_.Predict(vector, outputs);
  }
  int64_t memory() const override { return model_.memory(); }

 private:
  LightGbmModel model_;
};

class LinearHead final : public ClassifierHead {
 public:
  static arrow::Result<std::unique_ptr<LinearHead>> Parse(std::string_view bytes) {
    ARROW_ASSIGN_OR_RAISE(const auto tensors, ReadSafetensors(bytes));
    const auto find = [&tensors](const std::string& name) -> arrow::Result<std::optional<Tensor>> {
      std::optional<Tensor> found;
      for (const auto& [key, tensor] : tensors) {
        if (key != name && !key.ends_with("." + name)) continue;
        if (found) return arrow::Status::Invalid("it has several arrays `", name, "`: a linear layer has one");
        found = tensor;
      }
      return found;
    };
    ARROW_ASSIGN_OR_RAISE(const auto weight, find("weight"));
    ARROW_ASSIGN_OR_RAISE(const auto bias, find("bias"));
    if (!weight) return arrow::Status::Invalid("it has no array `weight`");
    if (!weight->is_readable() || weight->shape.empty() || weight->shape.size() > 2 || weight->size() < 1) {
      return arrow::Status::Invalid("its `weight` is no matrix of numbers");
    }
    if (weight->size() > kMostWeights) {
      return arrow::Status::Invalid("its `weight` has more than ", kMostWeights, " numbers");
    }
    auto head = std::make_unique<LinearHead>();
    head->inputs_ = static_cast<size_t>(weight->shape.back());
    const auto outputs = static_cast<size_t>(weight->size()) / head->inputs_;
    if (bias && (!bias->is_readable() || bias->size() != static_cast<int64_t>(outputs))) {
      return arrow::Status::Invalid("its `bias` does not fit its `weight`");
    }
    head->weight_ = NumbersOf(*weight);
    head->bias_ = bias ? NumbersOf(*bias) : std::vector<double>(outputs);
    const auto is_finite = [](double number) { return std::isfinite(number); };
    if (std::ranges::all_of(head->weight_, is_finite) && std::ranges::all_of(head->bias_, is_finite)) return head;
    return arrow::Status::Invalid("a weight is no number");
  }

  size_t inputs() const override { return inputs_; }
  size_t outputs() const override { return bias_.size(); }
  void Score(std::span<const double> vector, std::vector<double>* outputs) const override {
    *outputs = bias_;
    for (size_t i = 0; i < outputs->size(); ++i) {
      const double* const row = weight_.data() + i * inputs_;
      for (size_t k = 0; k < inputs_; ++k) (*outputs)[i] += row[k] * vector[k];
    }
    if (outputs->size() == 1) {
      outputs->front() = 1 / (1 + std::exp(-outputs->front()));
      return;
    }
    const double most = *std::ranges::max_element(*outputs);
    double sum = 0;
    for (double& output : *outputs) {
      output = std::exp(output - most);
      sum += output;
    }
    for (double& output : *outputs) output /= sum;
  }
  int64_t memory() const override {
    return static_cast<int64_t>((weight_.capacity() + bias_.capacity()) * sizeof(double));
  }

 private:
  static std::vector<double> NumbersOf(const Tensor& tensor) {
    std::vector<double> numbers(static_cast<size_t>(tensor.size()));
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = tensor.At(i);
    return numbers;
  }

  size_t inputs_ = 0;
  std::vector<double> weight_;
  std::vector<double> bias_;
};

// The kind is told by how the file begins.
arrow::Result<std::unique_ptr<ClassifierHead>> ParseHead(std::string_view bytes) {
  if (!bytes.starts_with("tree")) return LinearHead::Parse(bytes);
  ARROW_ASSIGN_OR_RAISE(auto trees, LightGbmModel::Parse(bytes));
  return std::make_unique<TreesHead>(std::move(trees));
}

}  // namespace

arrow::Result<std::shared_ptr<const ClassifierHead>> ClassifierHead::Open(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) {
    return arrow::Status::Invalid("there is no head '", path, "'; ", kHeadHelp);
  }
  ARROW_ASSIGN_OR_RAISE(const auto file, arrow::io::ReadableFile::Open(path));
  ARROW_ASSIGN_OR_RAISE(const int64_t size, file->GetSize());
  if (size > kMostHeadBytes) {
    return arrow::Status::Invalid("'", path, "' is no head: it is larger than ", kMostHeadBytes >> 20, " MiB");
  }
  ARROW_ASSIGN_OR_RAISE(const auto bytes, file->ReadAt(0, size));
  auto head = ParseHead(static_cast<std::string_view>(*bytes));
  if (!head.ok()) {
    return arrow::Status::Invalid("'", path, "' can not be used as a head (", head.status().message(), "); ",
                                  kHeadHelp);
  }
  ARROW_ASSIGN_OR_RAISE((*head)->contents_, HashOfFile(path));
  return std::shared_ptr<const ClassifierHead>(*std::move(head));
}

}  // namespace uzushio
