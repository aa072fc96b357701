#include "stages/minhash/kernel.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compute/api_vector.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/buffer.h"
#include "base/utf8.h"
#include "datasets/columns.h"
#include "document/markup.h"
#include "document/paragraph_hash.h"
#include "document/provenance.h"

namespace uzushio {
namespace {

constexpr int64_t kSecondsOfDay = 86400;

bool IsDate(const arrow::DataType& type) {
  return IsTextual(type) || type.id() == arrow::Type::TIMESTAMP || type.id() == arrow::Type::DATE32 ||
         type.id() == arrow::Type::DATE64 || type.id() == arrow::Type::NA;
}

int64_t UnitsOfSecond(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return 1;
    case arrow::TimeUnit::MILLI:
      return 1000;
    case arrow::TimeUnit::MICRO:
      return 1'000'000;
    case arrow::TimeUnit::NANO:
      return 1'000'000'000;
  }
  return 1;
}

int64_t FloorDivide(int64_t value, int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

void AppendPlain(std::string_view text, std::string* out) {
  while (!text.empty()) {
    const size_t end = std::min(static_cast<size_t>(std::ranges::find_if(text, IsMark) - text.begin()), text.size());
    out->append(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void PlainDocument(std::string_view document, std::string* text) {
  text->clear();
  ParagraphReader reader(document);
  while (const auto paragraph = reader.Next()) {
    const size_t before = text->size();
    if (before > 0) *text += '\n';
    const size_t begin = text->size();
    AppendPlain(paragraph->text, text);
    if (text->size() == begin) text->resize(before);  // nothing but link marks
  }
}

SplitMode ModeOf(Tokens tokens) {
  return tokens == Tokens::kSudachiA ? SplitMode::kA : tokens == Tokens::kSudachiB ? SplitMode::kB : SplitMode::kC;
}

}  // namespace

int64_t SignedDocuments::bytes() const {
  int64_t ids = 0;
  for (const SignedDocument& document : documents) ids += static_cast<int64_t>(document.id.size());
  return static_cast<int64_t>(documents.size() * sizeof(SignedDocument) + buckets.size() * sizeof(uint64_t) +
                              text_ends.size() * sizeof(size_t) + sketches.size() + texts.size() +
                              passages.size() * sizeof(uint64_t) + passage_ends.size() * sizeof(size_t)) +
         ids;
}

MinhashKernel::MinhashKernel(const MinhashOptions& options) : options_(options), signer_(options.signature) {
  if (options.contained) sampler_.emplace(options.signature.form);
}

arrow::Result<std::unique_ptr<MinhashKernel>> MinhashKernel::Make(const MinhashOptions& options) {
  std::unique_ptr<MinhashKernel> kernel(new MinhashKernel(options));
  if (options.tokens == Tokens::kCharacters) return kernel;
  ARROW_ASSIGN_OR_RAISE(auto dictionary, SudachiDictionary::Open(options.sudachi));
  kernel->tokenizer_ = std::make_unique<Tokenizer>(std::move(dictionary), ModeOf(options.tokens));
  return kernel;
}

// What a text is compared as. Valid until the next call.
std::string_view MinhashKernel::TokensOf(std::string_view text) {
  if (tokenizer_ == nullptr) return text;
  tokens_.clear();
  tokenizer_->ForEachSurface(
      text, [this](std::string_view surface) { AppendToken(static_cast<uint64_t>(ParagraphHash(surface)), &tokens_); });
  return tokens_;
}

arrow::Status MinhashKernel::Check(const arrow::Schema& schema, const MinhashOptions& options) {
  if (options.url) {
    const arrow::Status has_urls = CheckTextColumn(schema, options.url_column);
    if (!has_urls.ok()) {
      return has_urls.WithMessage(has_urls.message(), "; --url looks at it: name the URLs' column by --url-column");
    }
  }
  if (options.max_loss && schema.GetFieldIndex(options.url_column) >= 0) {
    ARROW_RETURN_NOT_OK(CheckTextColumn(schema, options.url_column));
  }
  if (options.keep != KeepRule::kNewest && !options.url) return arrow::Status::OK();
  const arrow::Result<int> place = ColumnPlace(schema, options.date_column);
  if (!place.ok()) {
    const bool is_of_url = options.keep != KeepRule::kNewest;
    return place.status().WithMessage(place.status().message(), is_of_url ? "; --url" : "; --keep newest",
                                      " goes by it: name the dates' column by --date-column, or ",
                                      is_of_url ? "leave out --url" : "choose --keep first or longest");
  }
  const arrow::DataType& type = *schema.field(*place)->type();
  if (IsDate(type)) return arrow::Status::OK();
  return arrow::Status::Invalid("column '", options.date_column, "' is of type ", type.ToString(),
                                "; dates are wanted: texts as 2023-04-01T12:00:00, timestamps or dates");
}

arrow::Result<std::optional<int64_t>> MinhashKernel::DateOf(const arrow::Array& dates, int64_t row) const {
  if (dates.IsNull(row)) return std::nullopt;
  switch (dates.type_id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return SecondsOfDate(static_cast<const arrow::BinaryArray&>(dates).GetView(row));
    case arrow::Type::DATE32:
      return static_cast<const arrow::Date32Array&>(dates).Value(row) * kSecondsOfDay;
    case arrow::Type::DATE64:
      return FloorDivide(static_cast<const arrow::Date64Array&>(dates).Value(row), 1000);
    case arrow::Type::TIMESTAMP:
      return FloorDivide(static_cast<const arrow::TimestampArray&>(dates).Value(row),
                         UnitsOfSecond(static_cast<const arrow::TimestampType&>(*dates.type()).unit()));
    default:
      return arrow::Status::Invalid("column '", options_.date_column, "' has no dates");
  }
}

// The documents without a date come last.
uint64_t MinhashKernel::First(const std::optional<int64_t>& date) const {
  if (options_.keep == KeepRule::kFirst) return 0;
  if (options_.keep == KeepRule::kLongest) {
    return Priority::kMostFirst - std::min(signer_.tokens(), Priority::kMostFirst);
  }
  return NewestFirst(date);
}

uint64_t MinhashKernel::NewestFirst(const std::optional<int64_t>& date) {
  constexpr int64_t kHalf = int64_t{1} << 39;
  if (!date) return Priority::kMostFirst;
  return static_cast<uint64_t>(kHalf - 1 - std::clamp(*date, -kHalf + 2, kHalf - 1));
}

// Paragraphs joined by one line end, without paths and link marks. Rows whose text is not UTF-8 are left out.
arrow::Status MinhashKernel::ForEachText(const arrow::RecordBatch& batch,
                                         const std::function<arrow::Status(int64_t, std::string_view)>& use) {
  ARROW_ASSIGN_OR_RAISE(const auto texts, TextColumn(batch, options_.text_column));
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    const std::string_view text = texts->IsNull(row) ? std::string_view() : texts->GetView(row);
    if (!IsValidUtf8(text)) continue;
    PlainDocument(text, &text_);
    ARROW_RETURN_NOT_OK(use(row, text_));
  }
  TrimBuffer(&text_);
  TrimBuffer(&tokens_);
  return arrow::Status::OK();
}

arrow::Result<int64_t> MinhashKernel::ForEachDocument(
    const arrow::RecordBatch& batch, const std::function<bool(int64_t)>& wanted,
    const std::function<arrow::Status(int64_t, std::string_view)>& use) {
  int64_t next = 0;
  ARROW_RETURN_NOT_OK(ForEachText(batch, [&](int64_t /*row*/, std::string_view text) {
    const int64_t n = next++;
    return wanted(n) ? use(n, TokensOf(text)) : arrow::Status::OK();
  }));
  return next;
}

arrow::Result<std::vector<int64_t>> MinhashKernel::DocumentRows(const arrow::RecordBatch& batch) const {
  ARROW_ASSIGN_OR_RAISE(const auto texts, TextColumn(batch, options_.text_column));
  std::vector<int64_t> rows;
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    if (texts->IsNull(row) || IsValidUtf8(texts->GetView(row))) rows.push_back(row);
  }
  return rows;
}

arrow::Result<SignedDocuments> MinhashKernel::Sign(const arrow::RecordBatch& batch,
                                                   const std::function<arrow::Status(int64_t)>& bad) {
  ARROW_ASSIGN_OR_RAISE(const auto ids, IdColumn(batch, options_.id_column));
  std::shared_ptr<arrow::Array> dates;
  std::shared_ptr<arrow::StringArray> urls;
  if (options_.url) {
    ARROW_ASSIGN_OR_RAISE(urls, TextColumn(batch, options_.url_column));
  }
  if (options_.keep == KeepRule::kNewest || options_.url) {
    ARROW_ASSIGN_OR_RAISE(const int place, ColumnPlace(*batch.schema(), options_.date_column));
    dates = batch.column(place);
    if (IsTextual(*dates->type())) {
      ARROW_ASSIGN_OR_RAISE(dates, AsTexts(dates));
    }
  }
  const auto buckets = static_cast<size_t>(options_.signature.buckets);
  const size_t sketch = options_.signature.sketch_bytes();
  SignedDocuments made;
  int64_t next = 0;
  const auto pass_bad = [&](int64_t end) -> arrow::Status {
    for (; next < end; ++next) ARROW_RETURN_NOT_OK(bad(next));
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(ForEachText(batch, [&](int64_t row, std::string_view text) -> arrow::Status {
    ARROW_RETURN_NOT_OK(pass_bad(row));
    next = row + 1;
    SignedDocument& document = made.documents.emplace_back();
    document.text_bytes = static_cast<int64_t>(text.size());
    document.id = ids != nullptr && ids->IsValid(row)
                      ? std::string(ids->GetView(row))
                      : fmt::format("{:016x}", static_cast<uint64_t>(ParagraphHash(text)));
    made.buckets.resize(made.buckets.size() + buckets);
    made.sketches.resize(made.sketches.size() + sketch);
    const std::string_view tokens = TokensOf(text);
    signer_.Sign(tokens, std::span(made.buckets).last(buckets), std::span(made.sketches).last(sketch));
    document.tokens = signer_.tokens();
    if (sampler_) {
      const std::span<const uint64_t> passages = sampler_->Sample(tokens);
      made.passages.insert(made.passages.end(), passages.begin(), passages.end());
      made.passage_ends.push_back(made.passages.size());
    }
    if (options_.index_texts) {
      ARROW_RETURN_NOT_OK(compressor_.Append(tokens, &made.texts));
      made.text_ends.push_back(made.texts.size());
    }
    std::optional<int64_t> date;
    if (dates != nullptr) {
      ARROW_ASSIGN_OR_RAISE(date, DateOf(*dates, row));
      document.is_dated = date.has_value();
    }
    const bool is_by_place = options_.keep == KeepRule::kFirst;
    const std::string_view id = is_by_place ? std::string_view() : document.id;
    document.priority = Priority::Of(First(date), id, 0);
    const auto url = urls != nullptr && urls->IsValid(row) ? NormalUrl(urls->GetView(row)) : std::nullopt;
    if (!url) return arrow::Status::OK();
    document.url = KeyOfUrl(*url);
    document.captured = Priority::Of(NewestFirst(date), id, 0);
    return arrow::Status::OK();
  }));
  ARROW_RETURN_NOT_OK(pass_bad(batch.num_rows()));
  return made;
}

arrow::Result<std::shared_ptr<arrow::Schema>> DuplicatesSchema(const arrow::Schema& schema, bool with_reasons) {
  for (const char* name : {kDuplicateOf, kSimilarity, kReason}) {
    if (name == kReason && !with_reasons) continue;
    if (schema.GetFieldIndex(name) >= 0) {
      return arrow::Status::Invalid("there is a column '", name, "' already, which duplicates get; rename it");
    }
  }
  arrow::FieldVector fields = schema.fields();
  fields.push_back(arrow::field(kDuplicateOf, arrow::utf8(), false));
  fields.push_back(arrow::field(kSimilarity, arrow::float64(), false));
  if (with_reasons) fields.push_back(arrow::field(kReason, arrow::utf8(), false));
  return arrow::schema(fields);
}

namespace {

arrow::Result<std::shared_ptr<arrow::RecordBatch>> Take(const arrow::RecordBatch& batch,
                                                        const std::vector<int64_t>& rows) {
  arrow::Int64Builder builder;
  ARROW_RETURN_NOT_OK(builder.AppendValues(rows));
  ARROW_ASSIGN_OR_RAISE(const auto places, builder.Finish());
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (const auto& column : batch.columns()) {
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), arrow::compute::Take(*column, *places));
  }
  return arrow::RecordBatch::Make(batch.schema(), static_cast<int64_t>(rows.size()), columns);
}

}  // namespace

arrow::Result<PartedRows> PartBatch(const std::shared_ptr<arrow::RecordBatch>& batch,
                                    std::span<const int64_t> documents, std::span<const DuplicateRow> duplicates,
                                    bool with_reasons) {
  PartedRows parted;
  std::vector<int64_t> kept;
  std::vector<int64_t> taken;
  arrow::StringBuilder ids;
  arrow::DoubleBuilder similarities;
  arrow::StringBuilder reasons;
  for (const DuplicateRow& duplicate : duplicates) {
    taken.push_back(duplicate.row);
    ARROW_RETURN_NOT_OK(ids.Append(duplicate.duplicate_of));
    ARROW_RETURN_NOT_OK(similarities.Append(duplicate.similarity));
    ARROW_RETURN_NOT_OK(reasons.Append(duplicate.reason));
  }
  std::ranges::set_difference(documents, taken, std::back_inserter(kept));
  if (static_cast<int64_t>(kept.size()) == batch->num_rows()) {
    parted.kept = batch->num_rows() > 0 ? batch : nullptr;
    return parted;
  }
  if (!kept.empty()) {
    ARROW_ASSIGN_OR_RAISE(parted.kept, Take(*batch, kept));
  }
  if (taken.empty()) return parted;
  ARROW_ASSIGN_OR_RAISE(const auto rows, Take(*batch, taken));
  auto columns = rows->columns();
  ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), ids.Finish());
  ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), similarities.Finish());
  if (with_reasons) {
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), reasons.Finish());
  }
  ARROW_ASSIGN_OR_RAISE(const auto schema, DuplicatesSchema(*batch->schema(), with_reasons));
  parted.duplicates = arrow::RecordBatch::Make(schema, rows->num_rows(), columns);
  return parted;
}

}  // namespace uzushio
