// Documents through a chain of filters: a batch in, batches out; no files.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_plan.h"
#include "datasets/columns.h"
#include "datasets/metric_columns.h"
#include "document/markup.h"
#include "filters/chain.h"
#include "filters/filter_scratch.h"

namespace uzushio {

class FrequencyIndex;

// What a filter removed, or what passed.
struct FilterCounts {
  int64_t documents = 0;
  int64_t paragraphs = 0;
  int64_t text_bytes = 0;                 // of plain text
  std::optional<int64_t> characters = 0;  // its code points; marks of earlier versions do not have them
  void Add(const FilterCounts& other);
  // A paragraph, where there are characters.
  void AddText(std::string_view plain);
};

// What a batch's documents are like, row by row. Those of texts that are not UTF-8 have metrics that are NaN, and sizes
// of 0.
struct MeasuredDocuments {
  std::vector<std::string> ids;
  std::vector<double> metrics;  // of the chain's columns, row by row
  std::vector<TextSizes> sizes;
};

struct FilterTotals {
  FilterCounts input;
  FilterCounts passed;
  FilterCounts empty;                 // documents without a paragraph that is left; those that had none are here too
  std::vector<FilterCounts> removed;  // by reason, as FilterKernel::reasons() has them
  std::vector<double> seconds;        // by step of the chain
  void Add(const FilterTotals& other);
};

struct FilterKernelOptions {
  std::string text_column = "text";
  std::string id_column = kUsualIdColumn;    // documents without are known by a hash of their text
  std::string url_column = kUsualUrlColumn;  // looked at by some filters only; a null is no URL
  bool partitioned = false;                  // also what was removed
  bool empty_rows = false;  // of that, also documents in which no paragraph was left when they were removed
  bool keep_markup = false;
  bool is_plain = false;                       // texts are one paragraph each, without markup, whatever is in them
  std::string separator{kParagraphSeparator};  // what paragraphs that are left are joined by
  ReaderMemory memory;                         // of a thread; no bound of paragraphs where it is 0
};

// Rows of one outcome: 0 for what passed, else 1 + the reason.
struct FilteredRows {
  size_t outcome = 0;
  std::shared_ptr<arrow::RecordBatch> batch;
};

// One thread's. The chain and the index are shared.
class FilterKernel {
 public:
  // `index` may be null: every paragraph occurs once then.
  FilterKernel(const FilterChain& chain, const FrequencyIndex* index, FilterKernelOptions options);

  // All reasons of the chain, in order.
  static std::vector<std::string> Reasons(const FilterChain& chain);

  // Errors: the chain looks at a column, of URLs or of what pages say of their rights, and there is none.
  static arrow::Status CheckKnownColumns(const FilterChain& chain, const arrow::Schema& schema,
                                         const FilterKernelOptions& options);

  // Calls `use` with parts of a batch that follow one another: it is cut where the documents of a part would together
  // have more than 65,536 paragraphs, which would take a multiple of their bytes.
  arrow::Status InParts(const std::shared_ptr<arrow::RecordBatch>& batch,
                        const std::function<arrow::Status(const std::shared_ptr<arrow::RecordBatch>&)>& use) const;

  // Filters a batch. Its columns of texts, ids and those that the chain looks at are as datasets/columns.h takes
  // them; a null text is an empty one.
  // The result keeps the other columns, and has texts as utf8. `bad` is called with rows whose text is not UTF-8.
  // `known` are metrics that need not be computed, row by row, or nothing.
  arrow::Result<std::vector<FilteredRows>> Filter(const arrow::RecordBatch& batch,
                                                  const std::function<arrow::Status(int64_t row)>& bad,
                                                  std::span<const double> known = {});
  // The batch's documents, which documents() then has as the chain's filters of paragraphs leave them.
  arrow::Status Measure(const arrow::RecordBatch& batch, MeasuredDocuments* measured);
  std::span<const FilterDocument> documents() const { return documents_; }
  // The hashes of the batch's paragraphs, document by document, and the rows whose text is not UTF-8.
  arrow::Result<std::span<const int64_t>> Hashes(const arrow::RecordBatch& batch, std::vector<int64_t>* bad);
  // Calls `use` with each paragraph of the batch's documents that comes to the filter at this place of the chain.
  arrow::Status ForEachElement(const arrow::RecordBatch& batch, size_t place,
                               const std::function<arrow::Status(std::string_view)>& use);
  // What filters that compare documents go by, from now on.
  void set_repeats(RepeatMarks* repeats) { scratch_.repeats = repeats; }
  // Has another index looked up from now on.
  void set_index(const FrequencyIndex* index) { index_ = index; }
  // The documents of a batch with the frequencies of their paragraphs; they view the batch and this kernel.
  arrow::Result<std::span<FilterDocument>> Documents(const arrow::RecordBatch& batch);

  const FilterKernelOptions& options() const { return options_; }
  const FilterTotals& totals() const { return totals_; }

 private:
  struct Output {
    std::vector<int64_t> rows;
    std::vector<std::string> texts;
  };
  arrow::Status Parse(const arrow::RecordBatch& batch);
  void CollectHashes();
  void LookUp();
  void Sort(int64_t row, FilterDocument* document, const ChainOutcome& outcome);
  std::string Render(const FilterDocument& document, int removed_by) const;
  size_t ReasonPlace(int step, size_t reason) const { return first_reasons_[static_cast<size_t>(step)] + reason; }

  const FilterChain& chain_;
  const FrequencyIndex* index_;
  FilterKernelOptions options_;
  std::vector<size_t> first_reasons_;  // of each step, in all reasons
  FilterTotals totals_;
  FilterScratch scratch_;

  std::shared_ptr<arrow::StringArray> texts_;  // of the last batch; documents_ view them
  std::shared_ptr<arrow::StringArray> ids_;    // null: it has none
  std::array<std::shared_ptr<arrow::StringArray>, kKnownColumns.size()> known_;  // null: no filter looks at it
  std::vector<FilterDocument> documents_;
  std::vector<std::string> made_ids_;
  std::vector<bool> bad_;
  std::vector<int64_t> hashes_;
  std::vector<Output> outputs_;
};

}  // namespace uzushio
