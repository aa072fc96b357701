#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <limits>

#include "base/memory.h"
#include "io/inputs.h"
#include "python/declare.h"
#include "python/interop.h"
#include "python/near_duplicate_options.h"
#include "stages/exchange.h"

namespace uzushio::python {
namespace {

DocumentLimits DocumentLimitsOf(const nlohmann::json& json) {
  constexpr int64_t kAny = std::numeric_limits<int64_t>::max();
  return {WholeNumber(json, "max_document_bytes", 0, kAny).value_or(0),
          WholeNumber(json, "max_paragraphs", 0, kAny).value_or(0)};
}

// Raises what tasks would.
void CheckOptions(const nlohmann::json& json) {
  NearDuplicateOptionsOf(json);
  DocumentLimitsOf(json);
}

std::unique_ptr<ExchangeTask> MakeTask(const std::string& text) {
  const nlohmann::json json = Json(text);
  ExchangeConfig config;
  config.step = json.at("step").get<std::string>();
  config.partition_bits = json.at("partition_bits").get<int>();
  config.places = json.at("places").get<std::vector<int32_t>>();
  config.near_duplicates = NearDuplicateOptionsOf(json);
  config.intermediate = json.value("intermediate", false);
  config.limits = DocumentLimitsOf(json);
  config.memory = json.at("memory").get<int64_t>();
  config.tmp = PathOfName(json.at("tmp").get<std::string>());
  for (const auto& [partition, to] : json.value("tails", nlohmann::json::object()).items()) {
    config.tails[std::stoi(partition)] = to.get<std::vector<int32_t>>();
  }
  return Value(ExchangeTask::Make(std::move(config)));
}

}  // namespace

void DeclareExchange(nb::module_& module) {
  module.def(
      "check_statistics_options", [](const std::string& options) { CheckOptions(Json(options)); }, nb::arg("options"));
  module.def("keep_freed_memory", &KeepFreedMemory, nb::arg("block"), nb::arg("kept"));
  nb::class_<ExchangeTask>(module, "ExchangeTask",
                           "A step of stats or merge on some partitions; see stages/exchange.h.")
      .def(nb::new_(&MakeTask), nb::arg("config"))
      .def("add",
           [](ExchangeTask& self, nb::handle batch) {
             const auto taken = BatchOf(batch);
             Check(WithoutLock([&] { return self.Add(*taken); }));
           })
      .def("add_texts",
           [](ExchangeTask& self, nb::handle batch, const std::string& column) {
             const auto taken = BatchOf(batch);
             Check(WithoutLock([&] { return self.AddTexts(*taken, column); }));
           })
      .def("add_statistics",
           [](ExchangeTask& self, nb::handle batch) {
             const auto taken = BatchOf(batch);
             Check(WithoutLock([&] { return self.AddStatistics(*taken); }));
           })
      .def("add_taken",
           [](ExchangeTask& self, nb::handle batch) {
             const auto taken = BatchOf(batch);
             Check(WithoutLock([&] { return self.AddTaken(*taken); }));
           })
      .def("next", [](ExchangeTask& self) { return ToPython(Value(WithoutLock([&] { return self.Next(); }))); })
      .def("counts", [](const ExchangeTask& self) { return self.counts().dump(); });
}

}  // namespace uzushio::python
