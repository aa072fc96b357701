// The parts of the module.
#pragma once

#include <nanobind/nanobind.h>

namespace uzushio::python {

void DeclareDocuments(nanobind::module_& module);       // WARC files and pages to documents
void DeclareIndexes(nanobind::module_& module);         // rows of a crawl's index that are wanted
void DeclareFilters(nanobind::module_& module);         // chains and metrics
void DeclareFrequencies(nanobind::module_& module);     // the frequency index
void DeclareDatasets(nanobind::module_& module);        // reading datasets piece by piece
void DeclareStepTask(nanobind::module_& module);        // statistics step by step, for engines that move the data
void DeclareNearDuplicates(nanobind::module_& module);  // near-duplicates in one go
void DeclareMinhash(nanobind::module_& module);         // near-duplicate documents step by step
void DeclareMainContent(nanobind::module_& module);     // what the model of main content is trained on
void DeclarePlainBatches(nanobind::module_& module);    // batches as kernels take them
void DeclareHosts(nanobind::module_& module);           // sums of hosts, and rows of them
void DeclareSharedValues(nanobind::module_& module);    // values that datasets share
void DeclareInterrupts(nanobind::module_& module);      // Ctrl-C
void DeclareTaskOutputs(nanobind::module_& module);     // outputs whose files tasks of an engine write
void DeclareRun(nanobind::module_& module);             // the stages

}  // namespace uzushio::python
