#include "stages/count_paragraphs.h"

#include <arrow/array.h>

#include <algorithm>
#include <vector>

#include "document/paragraph_writer.h"

namespace uzushio {
namespace {

// A column of a batch as 64-bit numbers.
arrow::Result<std::vector<int64_t>> Numbers(const arrow::RecordBatch& batch, const std::string& name) {
  const auto column = batch.GetColumnByName(name);
  std::vector<int64_t> numbers(static_cast<size_t>(column->length()));
  if (column->null_count() > 0) return arrow::Status::Invalid("column '", name, "' has nulls");
  if (column->type_id() == arrow::Type::INT64) {
    const auto& values = static_cast<const arrow::Int64Array&>(*column);
    std::copy_n(values.raw_values(), numbers.size(), numbers.begin());
  } else if (column->type_id() == arrow::Type::INT32) {
    const auto& values = static_cast<const arrow::Int32Array&>(*column);
    std::copy_n(values.raw_values(), numbers.size(), numbers.begin());
  } else {
    return arrow::Status::Invalid("column '", name, "' is of type ", column->type()->ToString(),
                                  ", not int32 or int64");
  }
  return numbers;
}

}  // namespace

void CountedDocuments::Add(const CountedDocuments& other) {
  documents += other.documents;
  left_out += other.left_out;
  paragraphs += other.paragraphs;
  text_bytes += other.text_bytes;
  cuts += other.cuts;
  quarantined.Add(other.quarantined);
}

arrow::Status DocumentCounter::Add(std::string_view document) {
  ++counts_.documents;
  if (IsLeftOut(document)) {
    ++counts_.left_out;
    return arrow::Status::OK();
  }
  ParagraphReader reader(document);
  while (const auto paragraph = reader.Next()) {
    const std::string_view text = PlainParagraph(paragraph->text, &buffer_);
    if (text.empty()) continue;
    ++counts_.paragraphs;
    counts_.text_bytes += static_cast<int64_t>(text.size());
    ARROW_RETURN_NOT_OK(counter_.Add(text));
  }
  return arrow::Status::OK();
}

bool DocumentCounter::IsLeftOut(std::string_view document) const {
  if (limits_.max_bytes > 0 && static_cast<int64_t>(document.size()) > limits_.max_bytes) return true;
  if (limits_.max_paragraphs == 0) return false;
  int64_t paragraphs = 0;
  ParagraphReader reader(document);
  while (reader.Next()) ++paragraphs;
  return paragraphs > limits_.max_paragraphs;
}

arrow::Status CountStatistics(const arrow::RecordBatch& batch, ParagraphCounter* counter) {
  const bool intermediate = batch.schema()->GetFieldIndex("givenReprHash") >= 0;
  ARROW_ASSIGN_OR_RAISE(const auto hashes, Numbers(batch, "hash"));
  ARROW_ASSIGN_OR_RAISE(const auto given, Numbers(batch, intermediate ? "givenReprHash" : "reprHash"));
  ARROW_ASSIGN_OR_RAISE(const auto counts, Numbers(batch, "exactFreq"));
  // Statistics say how often near-duplicates occur; intermediate ones do for what came to them without a text.
  const std::string near_name = intermediate ? "givenNearFreq" : "nearFreq";
  std::vector<int64_t> near(counts);
  if (batch.schema()->GetFieldIndex(near_name) >= 0) {
    ARROW_ASSIGN_OR_RAISE(near, Numbers(batch, near_name));
  }
  std::shared_ptr<arrow::Array> texts;
  if (intermediate) {
    texts = batch.GetColumnByName("text");
    if (texts->type_id() != arrow::Type::STRING) return arrow::Status::Invalid("column 'text' holds no texts");
  }
  for (size_t i = 0; i < hashes.size(); ++i) {
    if (counts[i] < 0) return arrow::Status::Invalid("column 'exactFreq' has a negative number");
    const std::string_view text =
        intermediate ? static_cast<const arrow::StringArray&>(*texts).GetView(static_cast<int64_t>(i)) : "";
    CountedHeader header;
    header.hash = hashes[i];
    header.given_repr = std::min(given[i], hashes[i]);
    header.count = static_cast<uint32_t>(std::min<int64_t>(counts[i], UINT32_MAX));
    header.given_near = static_cast<uint32_t>(std::clamp<int64_t>(near[i] - counts[i], 0, UINT32_MAX));
    ARROW_RETURN_NOT_OK(counter->Add(header, text));
  }
  return arrow::Status::OK();
}

}  // namespace uzushio
