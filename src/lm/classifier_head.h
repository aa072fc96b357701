// What makes scores of a vector: boosted trees, or a linear layer.
#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace uzushio {

// Shared by threads.
class ClassifierHead {
 public:
  // A file: text of LightGBM's `Booster.save_model`; or safetensors of a linear layer, with an array that is called
  // `weight` or ends in `.weight`, of a row for each output (or the one vector of one), and, if there is one, `bias`.
  // Errors: it is neither.
  static arrow::Result<std::shared_ptr<const ClassifierHead>> Open(const std::string& path);
  virtual ~ClassifierHead() = default;

  virtual size_t inputs() const = 0;
  virtual size_t outputs() const = 0;
  // Sets the outputs: what LightGBM predicts; of a linear layer, probabilities, by the logistic function of its one
  // output, or by the softmax of several.
  virtual void Score(std::span<const double> vector, std::vector<double>* outputs) const = 0;
  // Bytes of memory that it takes.
  virtual int64_t memory() const = 0;
  // The XXH64 of the file's bytes, in hex.
  const std::string& contents() const { return contents_; }

 private:
  std::string contents_;
};

}  // namespace uzushio
