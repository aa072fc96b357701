#include "stages/filter/kernel.h"

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/builder.h>
#include <arrow/compute/api_vector.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/utf8.h"
#include "datasets/columns.h"
#include "document/markup.h"
#include "document/paragraph_hash.h"
#include "filters/filter.h"
#include "filters/paragraph_bound.h"
#include "statistics/counted_paragraphs.h"
#include "statistics/frequency_index.h"

namespace uzushio {
namespace {

// In hand at once, 19 MiB, where no document has more. Real batches have half of that.
constexpr size_t kPartParagraphs = size_t{1} << 16;

void AddAlive(const FilterDocument& document, int64_t* characters, int64_t* bytes) {
  document.ForEachAlive([&](const FilterParagraph& paragraph) {
    *characters += CodePoints(paragraph.plain);
    *bytes += static_cast<int64_t>(paragraph.plain.size());
  });
}

// Rows that hold nothing of the others' memory.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> CopiedRows(const arrow::RecordBatch& batch, int64_t begin,
                                                              int64_t rows) {
  arrow::ArrayVector columns;
  for (const auto& column : batch.columns()) {
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), arrow::Concatenate({column->Slice(begin, rows)}));
  }
  return arrow::RecordBatch::Make(batch.schema(), rows, std::move(columns));
}

}  // namespace

void FilterCounts::Add(const FilterCounts& other) {
  documents += other.documents;
  paragraphs += other.paragraphs;
  text_bytes += other.text_bytes;
  characters = characters && other.characters ? std::optional(*characters + *other.characters) : std::nullopt;
}

void FilterCounts::AddText(std::string_view plain) {
  ++paragraphs;
  text_bytes += static_cast<int64_t>(plain.size());
  *characters += CodePoints(plain);
}

void FilterTotals::Add(const FilterTotals& other) {
  input.Add(other.input);
  passed.Add(other.passed);
  empty.Add(other.empty);
  removed.resize(other.removed.size());
  for (size_t i = 0; i < removed.size(); ++i) removed[i].Add(other.removed[i]);
  seconds.resize(other.seconds.size());
  for (size_t i = 0; i < seconds.size(); ++i) seconds[i] += other.seconds[i];
}

std::vector<std::string> FilterKernel::Reasons(const FilterChain& chain) {
  std::vector<std::string> reasons;
  for (const FilterChain::Step& step : chain.steps()) {
    reasons.insert(reasons.end(), step.reasons.begin(), step.reasons.end());
  }
  return reasons;
}

FilterKernel::FilterKernel(const FilterChain& chain, const FrequencyIndex* index, FilterKernelOptions options)
    : chain_(chain), index_(index), options_(std::move(options)) {
  size_t reasons = 0;
  for (const FilterChain::Step& step : chain.steps()) {
    first_reasons_.push_back(reasons);
    reasons += step.reasons.size();
  }
  scratch_.most_elements = RoomForParagraphs(options_.memory);
  totals_.removed.resize(reasons);
  totals_.seconds.resize(chain.steps().size());
  outputs_.resize(1 + reasons);
}

namespace {

// What a column holds, for errors.
constexpr std::array<std::string_view, kKnownColumns.size()> kHeld = {"URLs", "rules for robots", "licences"};

std::string NameOf(KnownColumn column, const FilterKernelOptions& options) {
  return column == KnownColumn::kUrl ? options.url_column : std::string(kKnownColumns[static_cast<size_t>(column)]);
}

}  // namespace

arrow::Status FilterKernel::CheckKnownColumns(const FilterChain& chain, const arrow::Schema& schema,
                                              const FilterKernelOptions& options) {
  for (const FilterChain::Step& step : chain.steps()) {
    for (size_t i = 0; i < kKnownColumns.size(); ++i) {
      const auto column = static_cast<KnownColumn>(i);
      if (!step.looks_at(column)) continue;
      const arrow::Status found = CheckTextColumn(schema, NameOf(column, options));
      if (found.ok()) continue;
      const char* const way = column == KnownColumn::kUrl ? "" : "; extract writes it";
      const std::string without = step.filter->WithoutColumn(column);
      return found.WithMessage(step.name(), " looks at ", kHeld[i], ", and ", found.message(), way,
                               without.empty() ? "" : "; ", without);
    }
  }
  return arrow::Status::OK();
}

arrow::Status FilterKernel::InParts(
    const std::shared_ptr<arrow::RecordBatch>& batch,
    const std::function<arrow::Status(const std::shared_ptr<arrow::RecordBatch>&)>& use) const {
  ARROW_ASSIGN_OR_RAISE(const auto texts, TextColumn(*batch, options_.text_column));
  int64_t begin = 0;
  size_t paragraphs = 0;
  for (int64_t row = 0; row < batch->num_rows(); ++row) {
    const size_t more = options_.is_plain || texts->IsNull(row) ? 1 : MostParagraphs(texts->GetView(row));
    if (row > begin && paragraphs + more > kPartParagraphs) {
      ARROW_ASSIGN_OR_RAISE(const auto part, CopiedRows(*batch, begin, row - begin));
      ARROW_RETURN_NOT_OK(use(part));
      begin = row;
      paragraphs = 0;
    }
    paragraphs += more;
  }
  if (begin == 0) return use(batch);
  ARROW_ASSIGN_OR_RAISE(const auto part, CopiedRows(*batch, begin, batch->num_rows() - begin));
  return use(part);
}

arrow::Status FilterKernel::Parse(const arrow::RecordBatch& batch) {
  ARROW_ASSIGN_OR_RAISE(texts_, TextColumn(batch, options_.text_column));
  ARROW_ASSIGN_OR_RAISE(ids_, IdColumn(batch, options_.id_column));
  ARROW_RETURN_NOT_OK(CheckKnownColumns(chain_, *batch.schema(), options_));
  for (size_t i = 0; i < known_.size(); ++i) {
    const auto column = static_cast<KnownColumn>(i);
    if (!chain_.looks_at(column)) continue;
    ARROW_ASSIGN_OR_RAISE(known_[i], TextColumn(batch, NameOf(column, options_)));
  }
  const auto rows = static_cast<size_t>(batch.num_rows());
  documents_.resize(std::max(documents_.size(), rows));
  bad_.assign(rows, false);
  made_ids_.assign(rows, {});
  for (size_t row = 0; row < rows; ++row) {
    const auto at = static_cast<int64_t>(row);
    const std::string_view text = texts_->IsNull(at) ? std::string_view() : texts_->GetView(at);
    std::string_view id;
    if (ids_ != nullptr && ids_->IsValid(at)) {
      id = ids_->GetView(at);
    } else {
      id = made_ids_[row] = fmt::format("{:016x}", static_cast<uint64_t>(ParagraphHash(text)));
    }
    bad_[row] = !IsValidUtf8(text);
    const std::string_view taken = bad_[row] ? std::string_view() : text;
    // Without filters there is nothing to clean text for that has no markup: Markdown stays as it is.
    const bool is_copied = chain_.steps().empty() && taken.find(kPathSeparator) == std::string_view::npos &&
                           std::ranges::none_of(taken, IsMark) &&
                           taken.find_first_not_of(" \t\r\n") != std::string_view::npos;
    if (options_.is_plain || is_copied) {
      documents_[row].Take(id, taken);
    } else {
      ARROW_RETURN_NOT_OK(CheckParagraphs(id, taken, options_.memory));
      documents_[row].Parse(id, taken);
    }
    for (size_t i = 0; i < known_.size(); ++i) {
      if (known_[i] == nullptr || !known_[i]->IsValid(at)) continue;
      documents_[row].set_value(static_cast<KnownColumn>(i), known_[i]->GetView(at));
    }
  }
  documents_.resize(rows);
  LookUp();
  return arrow::Status::OK();
}

void FilterKernel::CollectHashes() {
  hashes_.clear();
  for (const FilterDocument& document : documents_) {
    for (const FilterParagraph& paragraph : document.paragraphs()) hashes_.push_back(ParagraphHash(paragraph.plain));
  }
}

void FilterKernel::LookUp() {
  if (index_ == nullptr) return;
  CollectHashes();
  std::vector<Frequencies> frequencies(hashes_.size());
  index_->LookUp(hashes_, frequencies);
  size_t at = 0;
  for (FilterDocument& document : documents_) {
    for (FilterParagraph& paragraph : document.paragraphs()) {
      paragraph.near_freq = frequencies[at].near_freq;
      ++at;
    }
  }
}

std::string FilterKernel::Render(const FilterDocument& document, int removed_by) const {
  std::string text;
  for (const FilterParagraph& paragraph : document.paragraphs()) {
    if (paragraph.removed_by != removed_by) continue;
    if (options_.keep_markup && (!paragraph.path.empty() || paragraph.score <= kMaxScore || paragraph.shown)) {
      AppendParagraph({paragraph.path, paragraph.marked, paragraph.score, paragraph.structure, paragraph.shown}, &text);
      continue;
    }
    if (!text.empty()) text += options_.separator;
    text += options_.keep_markup ? paragraph.marked : paragraph.plain;
  }
  return text;
}

// Counts what became of a document, and puts its texts where they belong.
void FilterKernel::Sort(int64_t row, FilterDocument* document, const ChainOutcome& outcome) {
  const auto put = [&](size_t folder, int removed_by) {
    outputs_[folder].rows.push_back(row);
    outputs_[folder].texts.push_back(Render(*document, removed_by));
  };
  std::vector<FilterCounts> by_step(chain_.steps().size());
  FilterCounts alive;
  for (const FilterParagraph& paragraph : document->paragraphs()) {
    FilterCounts& counts = paragraph.alive() ? alive : by_step[static_cast<size_t>(paragraph.removed_by)];
    counts.AddText(paragraph.plain);
  }
  for (size_t step = 0; step < by_step.size(); ++step) {
    if (by_step[step].paragraphs == 0) continue;
    const size_t reason = ReasonPlace(static_cast<int>(step), 0);
    totals_.removed[reason].Add(by_step[step]);
    if (options_.partitioned) put(1 + reason, static_cast<int>(step));
  }
  alive.documents = 1;
  if (outcome.removed_by != kAlive) {
    const size_t reason = ReasonPlace(outcome.removed_by, outcome.reason);
    totals_.removed[reason].Add(alive);
    if (options_.partitioned && (alive.paragraphs > 0 || options_.empty_rows)) put(1 + reason, kAlive);
  } else if (alive.paragraphs == 0) {
    totals_.empty.Add(alive);
  } else {
    totals_.passed.Add(alive);
    put(0, kAlive);
  }
}

arrow::Result<std::vector<FilteredRows>> FilterKernel::Filter(const arrow::RecordBatch& batch,
                                                              const std::function<arrow::Status(int64_t)>& bad,
                                                              std::span<const double> known) {
  ARROW_RETURN_NOT_OK(chain_.CheckWantsNothing());
  ARROW_RETURN_NOT_OK(Parse(batch));
  const int text_place = batch.schema()->GetFieldIndex(options_.text_column);
  const auto text_field = batch.schema()->field(text_place)->WithType(arrow::utf8());
  ARROW_ASSIGN_OR_RAISE(const auto schema, batch.schema()->SetField(text_place, text_field));
  const size_t columns = chain_.columns().size();
  for (size_t row = 0; row < documents_.size(); ++row) {
    FilterDocument& document = documents_[row];
    if (bad_[row]) {
      ARROW_RETURN_NOT_OK(bad(static_cast<int64_t>(row)));
      continue;
    }
    ++totals_.input.documents;
    for (const FilterParagraph& paragraph : document.paragraphs()) totals_.input.AddText(paragraph.plain);
    const double* metrics = known.empty() ? nullptr : known.data() + row * columns;
    const ChainOutcome outcome = chain_.Apply(&document, &scratch_, totals_.seconds.data(), metrics);
    ARROW_RETURN_NOT_OK(CheckElements(document, options_.memory, &scratch_));
    Sort(static_cast<int64_t>(row), &document, outcome);
  }
  std::vector<FilteredRows> result;
  for (size_t folder = 0; folder < outputs_.size(); ++folder) {
    Output& output = outputs_[folder];
    if (output.rows.empty()) continue;
    arrow::Int64Builder indices;
    ARROW_RETURN_NOT_OK(indices.AppendValues(output.rows));
    ARROW_ASSIGN_OR_RAISE(const auto taken, indices.Finish());
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (int i = 0; i < batch.num_columns(); ++i) {
      if (i == text_place) {
        arrow::StringBuilder texts;
        ARROW_RETURN_NOT_OK(texts.AppendValues(output.texts));
        ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), texts.Finish());
      } else {
        ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), arrow::compute::Take(*batch.column(i), *taken));
      }
    }
    result.push_back({folder, arrow::RecordBatch::Make(schema, static_cast<int64_t>(output.rows.size()), columns)});
    output = {};
  }
  return result;
}

arrow::Status FilterKernel::ForEachElement(const arrow::RecordBatch& batch, size_t place,
                                           const std::function<arrow::Status(std::string_view)>& use) {
  ARROW_RETURN_NOT_OK(Parse(batch));
  for (size_t row = 0; row < documents_.size(); ++row) {
    FilterDocument& document = documents_[row];
    if (bad_[row]) continue;
    const bool is_there = chain_.ApplyUntil(place, &document, &scratch_);
    ARROW_RETURN_NOT_OK(CheckElements(document, options_.memory, &scratch_));
    if (!is_there) continue;
    for (const FilterParagraph& paragraph : document.paragraphs()) {
      if (paragraph.alive()) ARROW_RETURN_NOT_OK(use(paragraph.plain));
    }
  }
  return arrow::Status::OK();
}

arrow::Status FilterKernel::Measure(const arrow::RecordBatch& batch, MeasuredDocuments* measured) {
  ARROW_RETURN_NOT_OK(Parse(batch));
  const size_t columns = chain_.columns().size();
  measured->metrics.resize(documents_.size() * columns);
  measured->sizes.assign(documents_.size(), {});
  measured->ids.clear();
  for (size_t row = 0; row < documents_.size(); ++row) {
    FilterDocument& document = documents_[row];
    measured->ids.emplace_back(document.doc_id());
    double* values = measured->metrics.data() + row * columns;
    TextSizes& sizes = measured->sizes[row];
    AddAlive(document, &sizes.characters, &sizes.bytes);
    chain_.Measure(&document, &scratch_, values);
    AddAlive(document, &sizes.kept_characters, &sizes.kept_bytes);
    ARROW_RETURN_NOT_OK(CheckElements(document, options_.memory, &scratch_));
    if (bad_[row]) std::fill_n(values, columns, std::numeric_limits<double>::quiet_NaN());
  }
  return arrow::Status::OK();
}

arrow::Result<std::span<const int64_t>> FilterKernel::Hashes(const arrow::RecordBatch& batch,
                                                             std::vector<int64_t>* bad) {
  ARROW_RETURN_NOT_OK(Parse(batch));
  CollectHashes();
  for (size_t row = 0; row < bad_.size(); ++row) {
    if (bad_[row]) bad->push_back(static_cast<int64_t>(row));
  }
  return hashes_;
}

arrow::Result<std::span<FilterDocument>> FilterKernel::Documents(const arrow::RecordBatch& batch) {
  ARROW_RETURN_NOT_OK(Parse(batch));
  return documents_;
}

}  // namespace uzushio
