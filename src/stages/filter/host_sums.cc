#include "stages/filter/host_sums.h"

#include <arrow/array.h>
#include <fmt/format.h>

#include <map>
#include <string>

#include "base/utf8.h"
#include "datasets/columns.h"
#include "filters/paragraph_bound.h"

namespace uzushio {
namespace {

// The sums of a host: documents, characters, documents that are removed; those that each filter of documents removes;
// each metric.
constexpr size_t kFirstOfFilters = 3;

// Names that differ, by `_2` and so on.
class DistinctNames {
 public:
  std::string Differing(const std::string& name) {
    const int use = ++uses_[name];
    return use == 1 ? name : fmt::format("{}_{}", name, use);
  }

 private:
  std::map<std::string, int> uses_;
};

}  // namespace

HostColumns::HostColumns(const FilterChain& chain) : chain_(chain) {
  for (size_t i = 0; i < chain.steps().size(); ++i) {
    if (!chain.steps()[i].changes_paragraphs()) filters_.push_back(i);
  }
}

size_t HostColumns::width() const { return kFirstOfFilters + filters_.size() + chain_.columns().size(); }

std::shared_ptr<arrow::Schema> HostColumns::Schema() const {
  arrow::FieldVector fields = {
      arrow::field("host", arrow::utf8(), false), arrow::field("documents", arrow::int64(), false),
      arrow::field("characters", arrow::int64(), false), arrow::field("removed", arrow::float64(), false)};
  DistinctNames names;
  const auto add = [&](const std::string& name) {
    fields.push_back(arrow::field(names.Differing(name), arrow::float64(), false));
  };
  for (const size_t step : filters_) add("removed_" + chain_.steps()[step].name());
  for (const std::string& column : chain_.columns()) add("mean_" + column.substr(0, column.find_first_of("(#")));
  return arrow::schema(fields);
}

void HostColumns::Numbers(std::span<const NameSum> sums, std::vector<double>* numbers) const {
  const size_t first_metric = kFirstOfFilters + filters_.size();
  numbers->clear();
  for (size_t i = 2; i < first_metric; ++i) {
    numbers->push_back(static_cast<double>(sums[i]) / static_cast<double>(sums[0]));
  }
  for (size_t i = first_metric; i < sums.size(); ++i) numbers->push_back(MeanOf(sums[i], sums[0]));
}

HostMeter::HostMeter(const FilterChain& chain, FilterKernel* kernel)
    : chain_(chain), kernel_(*kernel), columns_(chain), metrics_(chain.columns().size()), sums_(columns_.width()) {
  scratch_.most_elements = RoomForParagraphs(kernel->options().memory);
}

arrow::Status HostMeter::Measure(const arrow::RecordBatch& batch, const UseName& use,
                                 const std::function<arrow::Status(int64_t row)>& bad) {
  ARROW_ASSIGN_OR_RAISE(const auto documents, kernel_.Documents(batch));
  ARROW_ASSIGN_OR_RAISE(const auto texts, TextColumn(batch, kernel_.options().text_column));
  ARROW_ASSIGN_OR_RAISE(const auto urls, TextColumn(batch, kernel_.options().url_column));
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    if (texts->IsValid(row) && !IsValidUtf8(texts->GetView(row))) {
      ARROW_RETURN_NOT_OK(bad(row));
      continue;
    }
    ARROW_RETURN_NOT_OK(MeasureOne(&documents[static_cast<size_t>(row)]));
    const bool has_host = location_.Parse(urls->IsNull(row) ? std::string_view() : urls->GetView(row));
    ++documents_;
    without_host_ += has_host ? 0 : 1;
    ARROW_RETURN_NOT_OK(use(location_.host, sums_));
  }
  return arrow::Status::OK();
}

// Sets the sums to those of one document: each filter sees what filters of paragraphs before it leave.
arrow::Status HostMeter::MeasureOne(FilterDocument* document) {
  sums_[0] = 1;
  sums_[1] = document->AliveLength();
  chain_.Measure(document, &scratch_, metrics_.data());
  ARROW_RETURN_NOT_OK(CheckElements(*document, kernel_.options().memory, &scratch_));
  bool is_removed = document->AliveLength() == 0;
  size_t at = kFirstOfFilters;
  for (const size_t i : columns_.filters()) {
    const auto reason = chain_.steps()[i].Decide(metrics_, *document);
    is_removed |= reason.has_value();
    sums_[at++] = reason ? 1 : 0;
  }
  sums_[2] = is_removed ? 1 : 0;
  for (const double metric : metrics_) sums_[at++] = ExactOf(metric);
  return arrow::Status::OK();
}

}  // namespace uzushio
