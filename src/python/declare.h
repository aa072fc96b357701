// The parts of the module.
#pragma once

#include <nanobind/nanobind.h>

namespace uzushio::python {

void DeclareDocuments(nanobind::module_& module);  // WARC files and pages to documents
void DeclareFilters(nanobind::module_& module);    // chains, metrics, the frequency index
void DeclareDatasets(nanobind::module_& module);   // reading datasets piece by piece
void DeclareExchange(nanobind::module_& module);   // near-duplicates, in one go and step by step

}  // namespace uzushio::python
