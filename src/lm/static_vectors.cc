#include "lm/static_vectors.h"

#include <arrow/io/file.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "lm/file_hash.h"
#include "lm/normal_form.h"

namespace uzushio {
namespace {

constexpr const char* kVectorsHelp = "models of model2vec and StaticEmbedding have theirs as model.safetensors";
constexpr size_t kPrefetched = 4;                  // rows ahead, which lie anywhere in a large file
constexpr int64_t kMostTokens = int64_t{1} << 24;  // that may have weights and rows of their own

// The one of the names that there is.
std::optional<Tensor> FindTensor(const std::map<std::string, Tensor>& tensors,
                                 std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    if (const auto found = tensors.find(name); found != tensors.end()) return found->second;
  }
  return std::nullopt;
}

}  // namespace

arrow::Result<std::shared_ptr<const StaticVectors>> StaticVectors::Open(const StaticVectorsOptions& options) {
  std::shared_ptr<StaticVectors> opened(new StaticVectors());
  opened->options_ = options;
  ARROW_ASSIGN_OR_RAISE(opened->tokenizer_, TokenCounter::Open(options.tokenizer));
  opened->vocabulary_ = opened->tokenizer_->Vocabulary();
  const std::string& path = options.vectors;
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) {
    return arrow::Status::Invalid("there are no vectors '", path, "'; ", kVectorsHelp);
  }
  ARROW_ASSIGN_OR_RAISE(const auto mapped, arrow::io::MemoryMappedFile::Open(path, arrow::io::FileMode::READ));
  ARROW_ASSIGN_OR_RAISE(const int64_t size, mapped->GetSize());
  ARROW_ASSIGN_OR_RAISE(opened->file_, mapped->ReadAt(0, size));
  const arrow::Status taken = opened->TakeTensors();
  if (!taken.ok()) {
    return arrow::Status::Invalid("'", path, "' can not be used as vectors (", taken.message(), "); ", kVectorsHelp);
  }
  ARROW_RETURN_NOT_OK(opened->CheckRows());
  ARROW_ASSIGN_OR_RAISE(opened->contents_, HashOfFile(path));
  return opened;
}

arrow::Status StaticVectors::TakeTensors() {
  ARROW_ASSIGN_OR_RAISE(const auto tensors, ReadSafetensors(static_cast<std::string_view>(*file_)));
  const auto vectors = FindTensor(tensors, {"embeddings", "embedding.weight"});
  if (!vectors) return arrow::Status::Invalid("it has no array `embeddings` or `embedding.weight`");
  vectors_ = *vectors;
  static const std::map<std::string, Type> kNumberTypes = {
      {"F32", Type::kF32}, {"F64", Type::kF64}, {"F16", Type::kF16}, {"I8", Type::kI8}};
  const auto type = kNumberTypes.find(vectors_.type);
  if (type == kNumberTypes.end()) return arrow::Status::Invalid("its vectors are of type ", vectors_.type);
  type_ = type->second;
  if (vectors_.shape.size() != 2 || vectors_.shape[0] < 1 || vectors_.shape[1] < 1) {
    return arrow::Status::Invalid("its vectors are no matrix");
  }
  width_ = static_cast<size_t>(vectors_.shape[1]);
  columns_ = options_.dimensions == 0 ? width_ : static_cast<size_t>(options_.dimensions);
  if (columns_ > width_) {
    return arrow::Status::Invalid("its vectors have ", width_, " numbers, fewer than `dimensions: ", columns_, "`");
  }
  const auto tokens = static_cast<int64_t>(vocabulary_.size);
  if (tokens > kMostTokens && (tensors.contains("weights") || tensors.contains("mapping"))) {
    return arrow::Status::Invalid("`weights` and `mapping` are read of ", kMostTokens, " tokens, and there are ",
                                  tokens);
  }
  if (const auto weights = FindTensor(tensors, {"weights"})) {
    if (weights->type != "F32" || weights->size() < tokens) {
      return arrow::Status::Invalid("its `weights` are no numbers of 32 bits, one for each token");
    }
    for (int64_t i = 0; i < tokens; ++i) weights_.push_back(static_cast<float>(weights->At(static_cast<size_t>(i))));
  }
  if (const auto rows = FindTensor(tensors, {"mapping"})) {
    if ((rows->type != "I64" && rows->type != "I32") || rows->size() < tokens) {
      return arrow::Status::Invalid("its `mapping` has no rows, one for each token");
    }
    for (int64_t i = 0; i < tokens; ++i) {
      const double row = rows->At(static_cast<size_t>(i));
      if (row < 0 || row >= static_cast<double>(std::min(vectors_.shape[0], int64_t{UINT32_MAX}))) {
        return arrow::Status::Invalid("its `mapping` names a row that there is not");
      }
      rows_.push_back(static_cast<uint32_t>(row));
    }
  }
  return arrow::Status::OK();
}

int64_t StaticVectors::memory() const {
  return tokenizer_->memory() +
         static_cast<int64_t>(weights_.capacity() * sizeof(float) + rows_.capacity() * sizeof(uint32_t));
}

arrow::Status StaticVectors::CheckRows() const {
  if (!rows_.empty() || static_cast<uint64_t>(vectors_.shape[0]) >= vocabulary_.size) return arrow::Status::OK();
  return arrow::Status::Invalid("'", options_.vectors, "' has ", vectors_.shape[0], " vectors, and '",
                                options_.tokenizer, "' ", vocabulary_.size, " tokens; they are of different models");
}

template <typename Sum, typename Number, typename Widen>
void StaticVectors::AddRowsOf(const std::vector<uint32_t>& tokens, Widen widen, std::vector<Sum>* sum) const {
  const auto row_at = [&](uint32_t token) {
    const size_t row = rows_.empty() ? token : rows_[token];
    return vectors_.bytes.data() + row * width_ * sizeof(Number);
  };
  Sum* const to = sum->data();
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (i + kPrefetched < tokens.size()) __builtin_prefetch(row_at(tokens[i + kPrefetched]));
    const char* const row = row_at(tokens[i]);
    const Sum weight = weights_.empty() ? Sum{1} : static_cast<Sum>(weights_[tokens[i]]);
    for (size_t k = 0; k < columns_; ++k) {
      Number number;
      std::memcpy(&number, row + k * sizeof number, sizeof number);
      to[k] += static_cast<Sum>(widen(number)) * weight;
    }
  }
}

template <typename Sum>
void StaticVectors::AddRows(const std::vector<uint32_t>& tokens, std::vector<Sum>* sum) const {
  const auto as_it_is = [](auto number) { return number; };
  switch (type_) {
    case Type::kF32:
      return AddRowsOf<Sum, float>(tokens, as_it_is, sum);
    case Type::kF64:
      return AddRowsOf<Sum, double>(tokens, as_it_is, sum);
    case Type::kF16:
      return AddRowsOf<Sum, uint16_t>(tokens, FromHalf, sum);
    case Type::kI8:
      return AddRowsOf<Sum, int8_t>(tokens, as_it_is, sum);
  }
}

// Part by part, so that the tokens of a long text need not be kept.
template <typename Sum>
arrow::Status StaticVectors::AddTokens(std::string_view text, std::vector<uint32_t>* tokens, std::vector<Sum>* sum,
                                       uint64_t* count) const {
  sum->assign(columns_, 0);
  const auto most = static_cast<uint64_t>(options_.max_tokens);
  if (most > 0) text = FirstCharacters(text, static_cast<int64_t>(most * vocabulary_.median_length));
  uint64_t left = most > 0 ? most : UINT64_MAX;
  while (!text.empty() && left > 0) {
    const std::string_view part = text.substr(0, CountedPart(text));
    text.remove_prefix(part.size());
    ARROW_RETURN_NOT_OK(tokenizer_->Ids(part, tokens));
    if (tokens->size() > left) tokens->resize(static_cast<size_t>(left));
    left -= tokens->size();
    if (options_.drop_unknown && vocabulary_.unknown) std::erase(*tokens, *vocabulary_.unknown);
    if (!std::ranges::all_of(*tokens, [this](uint32_t token) { return token < vocabulary_.size; })) {
      return arrow::Status::Invalid("'", options_.tokenizer, "' makes a token that is not in its vocabulary");
    }
    AddRows(*tokens, sum);
    *count += tokens->size();
  }
  return arrow::Status::OK();
}

arrow::Status StaticVectors::MeanOf(std::string_view text, StaticVectorsBuffers* buffers,
                                    std::vector<double>* mean) const {
  mean->assign(columns_, 0);
  uint64_t count = 0;
  // numpy adds integers in 64 bits, but for those that were weighed.
  if (type_ == Type::kF64 || (type_ == Type::kI8 && weights_.empty())) {
    ARROW_RETURN_NOT_OK(AddTokens(text, &buffers->tokens, &buffers->sum64, &count));
    if (count == 0) return arrow::Status::OK();
    for (size_t k = 0; k < columns_; ++k) (*mean)[k] = buffers->sum64[k] / static_cast<double>(count);
  } else {
    ARROW_RETURN_NOT_OK(AddTokens(text, &buffers->tokens, &buffers->sum, &count));
    if (count == 0) return arrow::Status::OK();
    for (size_t k = 0; k < columns_; ++k) {
      (*mean)[k] = static_cast<double>(buffers->sum[k] / static_cast<float>(count));
    }
  }
  // Trees would take what is no number for a missing one.
  if (!std::ranges::all_of(*mean, [](double number) { return std::isfinite(number); })) {
    return arrow::Status::Invalid("the vectors of '", options_.vectors,
                                  "' make no mean: something in them is no number, or too large a one");
  }
  const auto stored = [this](double number) {
    if (type_ == Type::kF64) return number;
    const auto single = static_cast<float>(number);
    return static_cast<double>(type_ == Type::kF16 ? RoundedToHalf(single) : single);
  };
  for (double& number : *mean) number = stored(number);
  if (!options_.unit_length) return arrow::Status::OK();
  double squares = 0;
  for (const double number : *mean) squares += number * number;
  const double length = std::sqrt(squares);
  for (double& number : *mean) number = length == 0 ? 0 : stored(number / length);
  return arrow::Status::OK();
}

}  // namespace uzushio
