// The values of documents by which datasets are compared: URLs, texts of documents, paragraphs.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/status.h>
#include <xxhash.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/hash_state.h"
#include "stages/overlap/shared_values.h"

namespace uzushio {

// What was read of a dataset.
struct ReadValues {
  int64_t documents = 0;
  int64_t without_text = 0;
  int64_t without_url = 0;
  int64_t paragraphs = 0;

  void Add(const ReadValues& other);
};

// One thread's. Not for several datasets at once.
class ValueReader {
 public:
  using UseValue = std::function<arrow::Status(ValueKind kind, const ValueHash& hash)>;

  // Without `url_column`, no URLs are read.
  ValueReader(std::string text_column, std::string url_column, UseValue use);

  // Hands the values of documents on, and calls `bad` with rows whose text is not UTF-8.
  arrow::Status Take(const arrow::RecordBatch& batch, const std::function<arrow::Status(int64_t row)>& bad);
  // Those of statistics, by their column `hash`.
  arrow::Status TakeStatistics(const arrow::RecordBatch& batch);

  const ReadValues& read() const { return read_; }

 private:
  arrow::Status TakeText(std::string_view document);
  arrow::Status TakeUrl(std::string_view url);
  arrow::Status TakeParagraph(int64_t hash);

  std::string text_column_;
  std::string url_column_;
  UseValue use_;
  ReadValues read_;
  Xxh3State state_;
  std::string buffer_;
};

}  // namespace uzushio
