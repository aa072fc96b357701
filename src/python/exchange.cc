#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include "base/memory.h"
#include "python/declare.h"
#include "python/interop.h"
#include "stages/exchange.h"
#include "stages/near_duplicates.h"

namespace uzushio::python {
namespace {

NearDuplicateOptions NearDuplicates(const nlohmann::json& json) {
  NearDuplicateOptions options;
  if (json.value("candidates", "buckets") == "simhash") options.candidates = CandidateMethod::kSimHash;
  if (json.value("groups", "pivot") == "components") options.groups = GroupMethod::kComponents;
  options.rotations = json.value("rotations", options.rotations);
  options.window = json.value("window", options.window);
  return options;
}

std::unique_ptr<ExchangeTask> MakeTask(const std::string& text) {
  const nlohmann::json json = Json(text);
  ExchangeConfig config;
  config.step = json.at("step").get<std::string>();
  config.partition_bits = json.at("partition_bits").get<int>();
  config.places = json.at("places").get<std::vector<int32_t>>();
  config.near_duplicates = NearDuplicates(json);
  config.intermediate = json.value("intermediate", false);
  config.limits.max_bytes = json.value("max_document_bytes", int64_t{0});
  config.limits.max_paragraphs = json.value("max_paragraphs", int64_t{0});
  config.memory = json.at("memory").get<int64_t>();
  config.tmp = json.at("tmp").get<std::string>();
  for (const auto& [partition, to] : json.value("tails", nlohmann::json::object()).items()) {
    config.tails[std::stoi(partition)] = to.get<std::vector<int32_t>>();
  }
  return Value(ExchangeTask::Make(std::move(config)));
}

}  // namespace

void DeclareExchange(nb::module_& module) {
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
