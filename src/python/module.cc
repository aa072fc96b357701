// The module `uzushio._core`: the program's kernels for Python. What users call is in python/uzushio.
#include <nanobind/nanobind.h>

#include "python/declare.h"
#include "python/interop.h"

NB_MODULE(_core, module) {
  using namespace uzushio::python;
  module.attr("version") = UZUSHIO_VERSION;
  DeclareArrow(module);
  DeclareDocuments(module);
  DeclareFilters(module);
  DeclareDatasets(module);
  DeclareExchange(module);
  DeclareNearDuplicates(module);
  DeclareRun(module);
}
