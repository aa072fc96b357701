// The module `uzushio._core`: the program's kernels for Python. What users call is in python/uzushio.
#include <arrow/filesystem/filesystem.h>
#include <nanobind/nanobind.h>

#include "bindings/declare.h"
#include "bindings/interop.h"

NB_MODULE(_core, module) {
  module.attr("version") = UZUSHIO_VERSION;
  nanobind::set_leak_warnings(false);  // what threads may hold at the end is not freed: python/uzushio/_at_exit.py
  uzushio::python::DeclareArrow(module);
  uzushio::python::DeclareDocuments(module);
  uzushio::python::DeclareIndexes(module);
  uzushio::python::DeclareHosts(module);
  uzushio::python::DeclareFilters(module);
  uzushio::python::DeclareFrequencies(module);
  uzushio::python::DeclareDatasets(module);
  uzushio::python::DeclareStepTask(module);
  uzushio::python::DeclareNearDuplicates(module);
  uzushio::python::DeclareMinhash(module);
  uzushio::python::DeclareMainContent(module);
  uzushio::python::DeclarePlainBatches(module);
  uzushio::python::DeclareSharedValues(module);
  uzushio::python::DeclareInterrupts(module);
  uzushio::python::DeclareTaskOutputs(module);
  uzushio::python::DeclareRun(module);
  const auto finish = nanobind::cpp_function([] { arrow::fs::EnsureFinalized(); });  // threads of S3's library
  nanobind::module_::import_("atexit").attr("register")(finish);
}
