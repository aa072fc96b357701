// Static embeddings: the mean of the vectors of a text's tokens, as model2vec (github.com/MinishLab/model2vec) and the
// StaticEmbedding of sentence-transformers have it.
#pragma once

#include <arrow/buffer.h>
#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lm/safetensors.h"
#include "lm/token_counter.h"

namespace uzushio {

struct StaticVectorsOptions {
  std::string vectors;       // model.safetensors
  std::string tokenizer;     // tokenizer.json
  bool drop_unknown = true;  // the token for what is unknown does not count
  int64_t max_tokens = 0;    // of a text, from its beginning; 0: all
  int64_t dimensions = 0;    // numbers of each vector, from its beginning; 0: all
  bool unit_length = false;  // the mean is made one of length 1
};

// Buffers of a thread.
struct StaticVectorsBuffers {
  std::vector<uint32_t> tokens;
  std::vector<float> sum;
  std::vector<double> sum64;
};

// A matrix, mapped into memory, and a tokenizer; shared by threads.
class StaticVectors {
 public:
  // Errors: a file is missing, or none of its kind, or the two do not fit.
  static arrow::Result<std::shared_ptr<const StaticVectors>> Open(const StaticVectorsOptions& options);

  size_t dimensions() const { return columns_; }

  // Sets `mean` to the mean of the vectors of the text's tokens, which is 0 where there are none; computed in 32 bits,
  // in the order of the tokens, where the vectors have so many or fewer, and as numpy does it. The text is valid UTF-8.
  // Errors: the tokenizer cannot cut the text; a vector has something else than numbers.
  arrow::Status MeanOf(std::string_view text, StaticVectorsBuffers* buffers, std::vector<double>* mean) const;

  // The XXH64 of the files' bytes, in hex.
  std::string contents() const { return contents_ + tokenizer_->contents(); }
  // Bytes of memory that it takes, without what is mapped.
  int64_t memory() const;

 private:
  enum class Type : uint8_t { kF32, kF64, kF16, kI8 };

  StaticVectors() = default;
  arrow::Status TakeTensors();
  arrow::Status CheckRows() const;
  template <typename Sum>
  arrow::Status AddTokens(std::string_view text, std::vector<uint32_t>* tokens, std::vector<Sum>* sum,
                          uint64_t* count) const;
  template <typename Sum>
  void AddRows(const std::vector<uint32_t>& tokens, std::vector<Sum>* sum) const;
  template <typename Sum, typename Number, typename Widen>
  void AddRowsOf(const std::vector<uint32_t>& tokens, Widen widen, std::vector<Sum>* sum) const;

  StaticVectorsOptions options_;
  std::shared_ptr<const TokenCounter> tokenizer_;
  TokenVocabulary vocabulary_;
  std::shared_ptr<arrow::Buffer> file_;
  Tensor vectors_;
  Type type_ = Type::kF32;
  size_t width_ = 0;            // numbers of a row
  size_t columns_ = 0;          // those that are used
  std::vector<float> weights_;  // of tokens; none: each 1
  std::vector<uint32_t> rows_;  // of tokens; none: their numbers
  std::string contents_;
};

}  // namespace uzushio
