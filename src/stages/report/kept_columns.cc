#include "stages/report/kept_columns.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "base/parallel.h"
#include "filters/filter_document.h"

namespace uzushio {
namespace {

enum class Width : uint8_t { kNone, kSingle, kDouble };

// What is kept of each column of the chain: what a parameter's number is compared with.
std::vector<Width> WidthsOf(const MetricsTable& table) {
  std::vector<Width> widths(table.columns().size(), Width::kNone);
  const auto look = [&widths](size_t column, Width width) { widths[column] = std::max(widths[column], width); };
  for (const StepRule& step : table.rules()) {
    for (const Threshold& one : step.rule.thresholds) {
      if (!one.parameter.empty()) look(one.metric, one.is_single ? Width::kSingle : Width::kDouble);
    }
    if (step.rule.sampling) look(step.rule.sampling->metric, Width::kDouble);
  }
  return widths;
}

// Reads row groups into their places.
class KeptReader {
 public:
  KeptReader(const MetricsTable& table, const ReaderMemory& memory)
      : table_(table),
        memory_(memory),
        widths_(WidthsOf(table)),
        is_random_(table.is_random()),
        is_normal_(table.is_normal()),
        is_fixed_(table.is_fixed()) {
    columns_.documents = table.documents();
  }

  arrow::Result<KeptColumns> Read(int threads) {
    MakeRoom();
    ARROW_RETURN_NOT_OK(ParallelFor(threads, table_.splits().size(), [this](int /*thread*/, size_t split) {
      return table_.Read(split, is_random_ || is_normal_, memory_,
                         [this](const MetricRows& rows) { return Take(rows); });
    }));
    return std::move(columns_);
  }

 private:
  void MakeRoom() {
    const size_t size = columns_.words() * kDocumentsOfWord;
    columns_.metrics.resize(widths_.size());
    for (size_t i = 0; i < widths_.size(); ++i) {
      if (widths_[i] == Width::kSingle) {
        columns_.metrics[i] = std::vector<float>(size, std::numeric_limits<float>::quiet_NaN());
      } else if (widths_[i] == Width::kDouble) {
        columns_.metrics[i] = std::vector<double>(size, std::numeric_limits<double>::quiet_NaN());
      }
    }
    columns_.characters.resize(size);
    columns_.bytes.resize(size);
    if (is_random_) columns_.random.resize(size);
    for (const StepRule& step : table_.rules())
      columns_.fixed.emplace_back(step.rule.is_fixed() ? columns_.words() : 0);
  }

  arrow::Status Take(const MetricRows& rows) {
    const auto first = static_cast<size_t>(rows.first);
    for (size_t i = 0; i < widths_.size(); ++i) {
      const double* const values = rows.metrics[i]->raw_values();
      if (auto* const singles = std::get_if<std::vector<float>>(&columns_.metrics[i])) {
        std::transform(values, values + rows.count, singles->data() + first,
                       [](double value) { return static_cast<float>(value); });
      } else if (auto* const doubles = std::get_if<std::vector<double>>(&columns_.metrics[i])) {
        std::copy_n(values, rows.count, doubles->data() + first);
      }
    }
    for (int64_t row = 0; row < rows.count; ++row) {
      const size_t place = first + static_cast<size_t>(row);
      ARROW_RETURN_NOT_OK(TakeSizes(rows.SizesOf(row), place));
      if (is_random_) columns_.random[place] = DocumentRandom(rows.ids->GetView(row));
      if (is_fixed_) TakeFixed(rows, row, place);
    }
    return arrow::Status::OK();
  }

  arrow::Status TakeSizes(const TextSizes& sizes, size_t place) {
    for (const int64_t size : {sizes.kept_characters, sizes.kept_bytes}) {
      if (size >= 0 && size <= std::numeric_limits<uint32_t>::max()) continue;
      return arrow::Status::Invalid("a document of ", size, " characters or bytes, which no text has");
    }
    columns_.characters[place] = static_cast<uint32_t>(sizes.kept_characters);
    columns_.bytes[place] = static_cast<uint32_t>(sizes.kept_bytes);
    return arrow::Status::OK();
  }

  // Decides once what no parameter moves.
  void TakeFixed(const MetricRows& rows, int64_t row, size_t place) {
    const std::vector<double> metrics = rows.MetricsOf(row);
    const double gaussian = is_normal_ ? DocumentGaussian(rows.ids->GetView(row)) : 0;
    for (size_t i = 0; i < columns_.fixed.size(); ++i) {
      const RemovalRule& rule = table_.rules()[i].rule;
      if (columns_.fixed[i].empty() || !rule.RemovesFixed(metrics, gaussian)) continue;
      const std::atomic_ref word(columns_.fixed[i][place / kDocumentsOfWord]);  // row groups may share one
      word.fetch_or(uint64_t{1} << place % kDocumentsOfWord);
    }
  }

  const MetricsTable& table_;
  const ReaderMemory& memory_;
  std::vector<Width> widths_;
  bool is_random_;
  bool is_normal_;
  bool is_fixed_;
  KeptColumns columns_;
};

}  // namespace

int64_t KeptBytes(const MetricsTable& table) {
  size_t each = 2 * sizeof(uint32_t) + (table.is_random() ? sizeof(double) : 0);
  for (const Width width : WidthsOf(table)) {
    if (width != Width::kNone) each += width == Width::kSingle ? sizeof(float) : sizeof(double);
  }
  const auto filters = static_cast<int64_t>(table.rules().size());
  return table.documents() * static_cast<int64_t>(each) +
         table.documents() / 8 * 2 * filters;  // marks: fixed ones, and the last question's
}

arrow::Result<KeptColumns> ReadKeptColumns(const MetricsTable& table, int threads, const ReaderMemory& memory) {
  return KeptReader(table, memory).Read(threads);
}

}  // namespace uzushio
