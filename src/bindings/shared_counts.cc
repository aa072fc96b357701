#include <arrow/compute/initialize.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings/declare.h"
#include "bindings/interop.h"
#include "stages/overlap/overlap_rows.h"
#include "stages/overlap/value_batches.h"

namespace uzushio::python {
namespace {

std::unique_ptr<ValueBatches> NewValueBatches(size_t dataset, const std::string& text_column,
                                              const std::string& url_column, bool is_statistics) {
  Check(arrow::compute::Initialize());
  if (dataset >= kMostDatasets) Check(arrow::Status::Invalid("there is no dataset ", dataset));
  return std::make_unique<ValueBatches>(dataset, text_column, url_column, is_statistics);
}

// The values, and the places of rows that are not UTF-8.
nb::object Take(ValueBatches& self, nb::handle batch) {
  const auto taken = BatchOf(batch);
  std::vector<int64_t> bad;
  const auto values = Value(WithoutLock([&] { return self.Take(*taken, &bad); }));
  return nb::make_tuple(ToPython(values), bad);
}

std::string Read(const ValueBatches& self) {
  const ReadValues& read = self.read();
  return nlohmann::json({{"documents", read.documents},
                         {"documents_without_text", read.without_text},
                         {"documents_without_url", read.without_url},
                         {"paragraphs", read.paragraphs}})
      .dump();
}

std::unique_ptr<SharedCounts> NewSharedCounts(size_t datasets) {
  Check(arrow::compute::Initialize());
  if (datasets > kMostDatasets) Check(arrow::Status::Invalid("at most ", kMostDatasets, " datasets are compared"));
  return std::make_unique<SharedCounts>(datasets);
}

// The table's rows, as JSON. `datasets` is a list of objects with `name`, `is_statistics` and `has_urls`.
std::string Rows(const SharedCounts& self, const std::string& datasets) {
  std::vector<ComparedDataset> compared;
  for (const nlohmann::json& dataset : Json(datasets)) {
    compared.push_back({dataset.at("name").get<std::string>(), dataset.at("is_statistics").get<bool>(),
                        dataset.at("has_urls").get<bool>()});
  }
  if (compared.size() != self.datasets()) Check(arrow::Status::Invalid("these are counts of other datasets"));
  return OverlapRows(compared, self).dump();
}

}  // namespace

void DeclareSharedValues(nb::module_& module) {
  module.attr("MOST_DATASETS") = kMostDatasets;
  nb::class_<ValueBatches>(module, "ValueBatches", "The values of a dataset; see stages/overlap/value_batches.h.")
      .def(nb::new_(&NewValueBatches), nb::arg("dataset"), nb::arg("text_column"), nb::arg("url_column"),
           nb::arg("is_statistics"))
      .def("take", &Take, nb::arg("batch"), nb::sig("def take(self, batch: object) -> tuple[ArrowBatch, list[int]]"))
      .def("read", &Read);
  nb::class_<SharedCounts>(module, "SharedCounts", "How many values any two datasets share.")
      .def(nb::new_(&NewSharedCounts), nb::arg("datasets"))
      .def("count_values",
           [](SharedCounts& self, nb::handle batch) {
             const auto taken = BatchOf(batch);
             Check(WithoutLock([&] { return CountValues(*taken, &self); }));
           })
      .def("add",
           [](SharedCounts& self, nb::handle batch) {
             const auto taken = BatchOf(batch);
             Check(WithoutLock([&] { return AddBatch(*taken, &self); }));
           })
      .def(
          "batch", [](const SharedCounts& self) { return ToPython(Value(ToBatch(self))); },
          nb::sig("def batch(self) -> ArrowBatch"))
      .def("rows", &Rows, nb::arg("datasets"));
  module.def(
      "overlap_schema", [] { return ToPython(arrow::schema(OverlapFields())); },
      nb::sig("def overlap_schema() -> ArrowSchema"));
}

}  // namespace uzushio::python
