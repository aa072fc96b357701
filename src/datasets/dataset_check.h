// What the marks of datasets say of input files, and the names by which a run knows its inputs.
#pragma once

#include <arrow/status.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "datasets/text_form.h"
#include "storage/inputs.h"

namespace uzushio {

// Checks the datasets that the files belong to: refuses a folder with an `_INCOMPLETE` mark unless `allow_incomplete`,
// and files whose size or checksum is not what the manifest says. Of Parquet files that list one it is that of the
// footer, as readers check pages; others are read whole, by `threads`, or not at all where these are none. Checksums
// are those of local files. `forms` gets the form that texts have; datasets of two forms are refused.
arrow::Status CheckDatasets(const std::vector<InputFile>& inputs, bool allow_incomplete, int threads, TextForms* forms);

// Names and bytes, as a run's identity has them.
nlohmann::json InputNames(const std::vector<InputFile>& inputs);
// What makes a run of a stage the same as another: its inputs, this version, and what its options come to
// (Options::IdentityOf).
nlohmann::json IdentityOfRun(const char* stage, const std::vector<InputFile>& inputs,
                             const nlohmann::json& configuration);
// The names, with the checksums that manifests list: files that are written anew are others.
nlohmann::json InputContents(const std::vector<InputFile>& inputs);

}  // namespace uzushio
