#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include "base/memory.h"
#include "bindings/declare.h"
#include "bindings/interop.h"
#include "bindings/options.h"
#include "statistics/options.h"
#include "statistics/tasks/step_task.h"
#include "storage/inputs.h"

namespace uzushio::python {
namespace {

// The options as tasks take them, or what tasks would raise. Limits of 0 are none.
std::string CheckedOptions(const nlohmann::json& json) {
  const auto search = Picked(DeclaredNearDuplicateOptions(), json);
  const auto limits = Picked(DeclaredDocumentLimits(), json);
  nlohmann::json checked = {{"candidates", search.candidates == CandidateMethod::kSimHash ? "simhash" : "buckets"},
                            {"groups", search.groups == GroupMethod::kComponents ? "components" : "pivot"},
                            {"rotations", search.rotations},
                            {"window", search.window}};
  if (limits.max_bytes > 0) checked["max_document_bytes"] = limits.max_bytes;
  if (limits.max_paragraphs > 0) checked["max_paragraphs"] = limits.max_paragraphs;
  return checked.dump();
}

std::unique_ptr<StepTask> MakeTask(const std::string& text) {
  const nlohmann::json json = Json(text);
  StepConfig config;
  config.step = json.at("step").get<std::string>();
  config.partition_bits = json.at("partition_bits").get<int>();
  config.places = json.at("places").get<std::vector<int32_t>>();
  config.near_duplicates = Picked(DeclaredNearDuplicateOptions(), json);
  config.intermediate = json.value("intermediate", false);
  config.limits = Picked(DeclaredDocumentLimits(), json);
  config.memory = json.at("memory").get<int64_t>();
  config.tmp = PathOfName(json.at("tmp").get<std::string>());
  for (const auto& [partition, to] : json.value("tails", nlohmann::json::object()).items()) {
    config.tails[std::stoi(partition)] = to.get<std::vector<int32_t>>();
  }
  return Value(StepTask::Make(std::move(config)));
}

}  // namespace

void DeclareStepTask(nb::module_& module) {
  module.def(
      "checked_statistics_options", [](const std::string& options) { return CheckedOptions(Json(options)); },
      nb::arg("options"));
  module.def("keep_freed_memory", &KeepFreedMemory, nb::arg("block"), nb::arg("kept"));
  nb::class_<StepTask>(module, "StepTask",
                       "A step of stats or merge on some partitions; see statistics/tasks/step_task.h.")
      .def(nb::new_(&MakeTask), nb::arg("config"))
      .def("add",
           [](StepTask& self, nb::handle batch) {
             const auto taken = BatchOf(batch);
             Check(WithoutLock([&] { return self.Add(*taken); }));
           })
      .def("add_texts",
           [](StepTask& self, nb::handle batch, const std::string& column) {
             const auto taken = BatchOf(batch);
             Check(WithoutLock([&] { return self.AddTexts(*taken, column); }));
           })
      .def("add_statistics",
           [](StepTask& self, nb::handle batch) {
             const auto taken = BatchOf(batch);
             Check(WithoutLock([&] { return self.AddStatistics(*taken); }));
           })
      .def("add_taken",
           [](StepTask& self, nb::handle batch) {
             const auto taken = BatchOf(batch);
             Check(WithoutLock([&] { return self.AddTaken(*taken); }));
           })
      .def("next", [](StepTask& self) { return ToPython(Value(WithoutLock([&] { return self.Next(); }))); })
      .def("counts", [](const StepTask& self) { return self.counts().dump(); });
}

}  // namespace uzushio::python
