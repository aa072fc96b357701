#include "stages/overlap/value_reader.h"

#include <arrow/array.h>

#include <utility>

#include "base/utf8.h"
#include "datasets/columns.h"
#include "document/markup.h"
#include "document/paragraph_hash.h"
#include "document/paragraph_writer.h"

namespace uzushio {
namespace {

constexpr std::string_view kBetween = "\n\n";  // paragraphs

ValueHash HashOf(const XXH128_hash_t& hash) { return {hash.high64, hash.low64}; }

}  // namespace

void ReadValues::Add(const ReadValues& other) {
  documents += other.documents;
  without_text += other.without_text;
  without_url += other.without_url;
  paragraphs += other.paragraphs;
}

ValueReader::ValueReader(std::string text_column, std::string url_column, UseValue use)
    : text_column_(std::move(text_column)),
      url_column_(std::move(url_column)),
      use_(std::move(use)),
      state_(NewXxh3State()) {}

arrow::Status ValueReader::Take(const arrow::RecordBatch& batch, const std::function<arrow::Status(int64_t row)>& bad) {
  ARROW_ASSIGN_OR_RAISE(const auto texts, TextColumn(batch, text_column_));
  std::shared_ptr<arrow::StringArray> urls;
  if (!url_column_.empty()) {
    ARROW_ASSIGN_OR_RAISE(urls, TextColumn(batch, url_column_));
  }
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    const std::string_view text = texts->IsNull(row) ? std::string_view() : texts->GetView(row);
    if (!IsValidUtf8(text)) {
      ARROW_RETURN_NOT_OK(bad(row));
      continue;
    }
    ++read_.documents;
    ARROW_RETURN_NOT_OK(TakeText(text));
    if (urls == nullptr) continue;
    ARROW_RETURN_NOT_OK(TakeUrl(urls->IsNull(row) ? std::string_view() : urls->GetView(row)));
  }
  return arrow::Status::OK();
}

arrow::Status ValueReader::TakeStatistics(const arrow::RecordBatch& batch) {
  ARROW_ASSIGN_OR_RAISE(const auto hashes, IntegerColumn(batch, "hash"));
  for (int64_t row = 0; row < batch.num_rows(); ++row) ARROW_RETURN_NOT_OK(TakeParagraph(hashes->Value(row)));
  return arrow::Status::OK();
}

// A document is its paragraphs' plain texts: marks and paths make no difference.
arrow::Status ValueReader::TakeText(std::string_view document) {
  XXH3_128bits_reset(state_.get());
  bool is_empty = true;
  ParagraphReader reader(document);
  while (const auto paragraph = reader.Next()) {
    const std::string_view text = PlainParagraph(*paragraph, &buffer_);
    if (text.empty()) continue;
    is_empty = false;
    ARROW_RETURN_NOT_OK(TakeParagraph(ParagraphHash(text)));
    XXH3_128bits_update(state_.get(), text.data(), text.size());
    XXH3_128bits_update(state_.get(), kBetween.data(), kBetween.size());
  }
  read_.without_text += is_empty ? 1 : 0;
  if (is_empty) return arrow::Status::OK();
  return use_(ValueKind::kDocument, HashOf(XXH3_128bits_digest(state_.get())));
}

arrow::Status ValueReader::TakeUrl(std::string_view url) {
  read_.without_url += url.empty() ? 1 : 0;
  if (url.empty()) return arrow::Status::OK();
  return use_(ValueKind::kUrl, HashOf(XXH3_128bits(url.data(), url.size())));
}

arrow::Status ValueReader::TakeParagraph(int64_t hash) {
  ++read_.paragraphs;
  return use_(ValueKind::kParagraph, {static_cast<uint64_t>(hash), 0});
}

}  // namespace uzushio
