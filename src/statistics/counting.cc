#include "statistics/counting.h"

#include <arrow/array.h>

#include <algorithm>

#include "datasets/columns.h"
#include "document/markup.h"
#include "document/paragraph_writer.h"
#include "statistics/folder.h"

namespace uzushio {
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
    const std::string_view text = PlainParagraph(*paragraph, &buffer_);
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
  const bool intermediate = IsIntermediate(*batch.schema());
  ARROW_ASSIGN_OR_RAISE(const auto hashes, IntegerColumn(batch, "hash"));
  ARROW_ASSIGN_OR_RAISE(const auto given, IntegerColumn(batch, intermediate ? "givenReprHash" : "reprHash"));
  ARROW_ASSIGN_OR_RAISE(const auto counts, IntegerColumn(batch, "exactFreq"));
  // Statistics say how often near-duplicates occur; intermediate ones do for what came to them without a text.
  auto near = counts;
  if (!intermediate || batch.schema()->GetFieldIndex(kGivenNearFreq) >= 0) {
    ARROW_ASSIGN_OR_RAISE(near, IntegerColumn(batch, intermediate ? kGivenNearFreq : "nearFreq"));
  }
  std::shared_ptr<arrow::StringArray> texts;
  if (intermediate) {
    ARROW_ASSIGN_OR_RAISE(texts, TextColumn(batch, "text"));
    if (texts->null_count() > 0) return arrow::Status::Invalid("column 'text' has nulls");
  }
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    const int64_t count = counts->Value(row);
    if (count < 0) return arrow::Status::Invalid("column 'exactFreq' has a negative number");
    CountedHeader header;
    header.hash = hashes->Value(row);
    header.given_pivot = std::min(given->Value(row), header.hash);
    header.count = static_cast<uint32_t>(std::min<int64_t>(count, UINT32_MAX));
    header.given_near =
        static_cast<uint32_t>(std::clamp<int64_t>(std::max(near->Value(row), count) - count, 0, UINT32_MAX));
    ARROW_RETURN_NOT_OK(counter->Add(header, intermediate ? texts->GetView(row) : std::string_view()));
  }
  return arrow::Status::OK();
}

}  // namespace uzushio
