#include "stages/report/document_sample.h"

#include <arrow/util/base64.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "filters/filter_document.h"

namespace uzushio {
namespace {

static_assert(std::endian::native == std::endian::little);

using Document = DocumentSample::Document;

uint32_t Clamped(int64_t value) {
  return static_cast<uint32_t>(std::clamp<int64_t>(value, 0, std::numeric_limits<uint32_t>::max()));
}

// A number of each of the first documents.
template <typename Number, typename Of>
std::string Encoded(const std::vector<Document>& documents, size_t count, Of of) {
  std::vector<Number> numbers(count);
  for (size_t i = 0; i < count; ++i) numbers[i] = static_cast<Number>(of(documents[i]));
  return arrow::util::base64_encode({reinterpret_cast<const char*>(numbers.data()), count * sizeof(Number)});
}

}  // namespace

DocumentSample::DocumentSample(const MetricsTable& table, size_t most)
    : table_(&table), is_random_(table.is_random()), is_normal_(table.is_normal()), kept_(most) {}

void DocumentSample::Add(const MetricRows& rows) {
  for (int64_t row = 0; row < rows.count; ++row) {
    Document key = {.hash = SampleHash(rows.ids->GetView(row)), .row = rows.first + row, .metrics = {}, .sizes = {}};
    if (key.hash > bound_ || !kept_.Wants(key)) continue;
    kept_.Add(DocumentAt(rows, row, key.hash));
  }
}

DocumentSample::Document DocumentSample::DocumentAt(const MetricRows& rows, int64_t row, uint64_t hash) const {
  Document document = {.hash = hash, .row = rows.first + row, .metrics = {}, .sizes = rows.SizesOf(row)};
  const std::vector<double> metrics = rows.MetricsOf(row);
  document.metrics.assign(metrics.begin(), metrics.end());
  const std::string_view id = rows.ids->GetView(row);
  if (is_random_) document.random = DocumentRandom(id);
  const double gaussian = is_normal_ ? DocumentGaussian(id) : 0;
  const auto& steps = table_->rules();
  const auto found =
      std::ranges::find_if(steps, [&](const StepRule& step) { return step.rule.RemovesFixed(metrics, gaussian); });
  if (found != steps.end()) {
    document.fixed_removed = static_cast<uint8_t>(std::min<std::ptrdiff_t>(found - steps.begin(), kLastFixed));
  }
  return document;
}

void DocumentSample::Merge(DocumentSample other) {
  for (Document& document : other.kept_.Take()) kept_.Add(std::move(document));
}

uint64_t DocumentSample::Bound() const { return kept_.is_full() ? kept_.Last().hash : UINT64_MAX; }

nlohmann::json SampleJson(const MetricsTable& table, const std::vector<Document>& documents, size_t count) {
  nlohmann::json values = nlohmann::json::array();
  for (size_t column = 0; column < table.columns().size(); ++column) {
    values.push_back(Encoded<float>(documents, count, [column](const Document& one) { return one.metrics[column]; }));
  }
  const auto sizes = [&](int64_t TextSizes::* size) {
    return Encoded<uint32_t>(documents, count, [size](const Document& one) { return Clamped(one.sizes.*size); });
  };
  nlohmann::json json = {{"documents", count},
                         {"of", table.documents()},
                         {"characters", sizes(&TextSizes::kept_characters)},
                         {"bytes", sizes(&TextSizes::kept_bytes)},
                         {"allCharacters", sizes(&TextSizes::characters)},
                         {"allBytes", sizes(&TextSizes::bytes)},
                         {"random", nullptr},
                         {"fixedRemoved", nullptr},
                         {"values", std::move(values)}};
  if (table.is_random()) {
    json["random"] = Encoded<double>(documents, count, [](const Document& one) { return one.random; });
  }
  if (table.is_fixed()) {
    json["fixedRemoved"] = Encoded<uint8_t>(documents, count, [](const Document& one) { return one.fixed_removed; });
  }
  return json;
}

}  // namespace uzushio
