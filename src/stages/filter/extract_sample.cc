#include "stages/filter/extract_sample.h"

#include <arrow/array.h>
#include <arrow/type.h>

#include <utility>

#include "base/utf8.h"
#include "datasets/columns.h"

namespace uzushio {
namespace {

constexpr const char* kTitleColumn = "title";

// What is taken of a document, at most: of all paragraphs' texts; paragraphs; of a URL.
constexpr size_t kMostExtract = 2048;
constexpr size_t kMostParagraphs = 64;
constexpr size_t kMostUrl = 1024;

// Empty where it is no UTF-8.
std::string Beginning(std::string_view text, size_t most) {
  return IsValidUtf8(text) ? std::string(Utf8Prefix(text, most)) : "";
}

void TakeParagraphs(const FilterDocument& document, Extract* extract) {
  size_t left = kMostExtract;
  for (const FilterParagraph& paragraph : document.paragraphs()) {
    const std::string_view text = Utf8Prefix(paragraph.plain, left);
    extract->cut = text.size() < paragraph.plain.size() || extract->paragraphs.size() == kMostParagraphs;
    if (extract->cut && (text.empty() || extract->paragraphs.size() == kMostParagraphs)) return;
    Extract::Paragraph& taken = extract->paragraphs.emplace_back();
    taken.path = Beginning(paragraph.path, kMostExtractName);
    taken.text = text;
    if (!paragraph.alive()) taken.removed_by = paragraph.removed_by;
    if (extract->cut) return;
    left -= text.size();
  }
}

// A column of texts, or null where there is none.
arrow::Result<std::shared_ptr<arrow::StringArray>> OptionalTexts(const arrow::RecordBatch& batch,
                                                                 const std::string& name) {
  const auto field = batch.schema()->GetFieldByName(name);
  if (field == nullptr || !IsTextual(*field->type())) return nullptr;
  return TextColumn(batch, name);
}

}  // namespace

arrow::Status ExtractSample::Add(const arrow::RecordBatch& batch, size_t piece, int64_t row, const FilterKernel& kernel,
                                 const MeasuredDocuments& measured) {
  std::shared_ptr<arrow::StringArray> urls;
  std::shared_ptr<arrow::StringArray> titles;
  bool has_columns = false;
  for (size_t i = 0; i < measured.ids.size(); ++i) {
    Taken taken = {SampleHash(measured.ids[i]), piece, row + static_cast<int64_t>(i), {}};
    if (!taken_.Wants(taken)) continue;
    if (!std::exchange(has_columns, true)) {
      ARROW_ASSIGN_OR_RAISE(urls, OptionalTexts(batch, kernel.options().url_column));
      ARROW_ASSIGN_OR_RAISE(titles, OptionalTexts(batch, kTitleColumn));
    }
    const auto at = static_cast<int64_t>(i);
    taken.extract.doc_id = Beginning(measured.ids[i], kMostExtractName);
    if (urls != nullptr && urls->IsValid(at)) taken.extract.url = Beginning(urls->GetView(at), kMostUrl);
    if (titles != nullptr && titles->IsValid(at))
      taken.extract.title = Beginning(titles->GetView(at), kMostExtractName);
    TakeParagraphs(kernel.documents()[i], &taken.extract);
    taken_.Add(std::move(taken));
  }
  return arrow::Status::OK();
}

std::vector<Extract> ExtractSample::Merge(std::vector<ExtractSample> samples) {
  BottomK<Taken> all(kMostExtracts);
  for (ExtractSample& sample : samples) {
    for (Taken& taken : sample.taken_.Take()) all.Add(std::move(taken));
  }
  std::vector<Extract> extracts;
  for (Taken& taken : all.Take()) extracts.push_back(std::move(taken.extract));
  return extracts;
}

}  // namespace uzushio
