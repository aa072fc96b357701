// Classifiers in ONNX, such as transformers, by ONNX Runtime: the library of its Python package, loaded at run time.
#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_plan.h"
#include "lm/token_counter.h"

struct UzOnnxModel;

namespace uzushio {

struct OnnxOptions {
  std::string model;       // .onnx
  std::string tokenizer;   // tokenizer.json
  int64_t max_tokens = 0;  // of a text, from its beginning, with those that are put around it
  std::string library;     // libonnxruntime.so; empty: the one in Python's packages, or where the loader finds one
};

// Shared by threads, each of which computes its texts by itself.
class OnnxModel {
 public:
  // Errors: a file is missing, or none of its kind; there is no library, and what to install; the model has other
  // inputs than input_ids, attention_mask and token_type_ids, no row of numbers for each text, or takes no text of so
  // many tokens, which is tried. What has the same options is opened once.
  static arrow::Result<std::shared_ptr<const OnnxModel>> Open(const OnnxOptions& options);
  ~OnnxModel();
  OnnxModel(const OnnxModel&) = delete;
  OnnxModel& operator=(const OnnxModel&) = delete;

  size_t outputs() const { return outputs_; }

  // Sets `outputs` to those of each text, valid UTF-8, one after the other, as the model has them; zeros for texts of
  // no tokens. Texts of about the same length are computed together, filled up to the same, as many as have no more
  // than `max_tokens` tokens together; one at a time where the model's outputs would differ by more than 1e-5 then,
  // which is tried when it is opened. Of a text, CountedPart() is read. Errors: the tokenizer or the model cannot.
  arrow::Status Score(std::span<const std::string_view> texts, std::vector<double>* outputs) const;

  // The XXH64 of the files' bytes, in hex, and the version of the library.
  const std::string& contents() const { return contents_; }
  // What it takes: weights; and for each thread the outputs of its layers, for the longest text.
  const FixedMemory& memory() const { return memory_; }

 private:
  OnnxModel() = default;
  static arrow::Result<std::shared_ptr<const OnnxModel>> Read(const OnnxOptions& options);

  std::shared_ptr<const TokenCounter> tokenizer_;
  UzOnnxModel* native_ = nullptr;
  std::string path_;
  std::string contents_;
  size_t outputs_ = 0;
  FixedMemory memory_;
};

}  // namespace uzushio
