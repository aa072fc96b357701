// Which of the outputs of stages are documents, and which documents statistics were made of.
#pragma once

#include <arrow/result.h>

#include <optional>
#include <string_view>
#include <vector>

#include "stages/report/corpus.h"
#include "stages/report/report_output.h"

namespace uzushio {

// Where `filter` puts documents that it keeps apart: a folder for each reason, whose name begins so, and one for those
// that passed.
inline constexpr std::string_view kReasonFolder = "filter=";
inline constexpr std::string_view kPassedFolder = "filter=none/";

// Whether the stage of an output writes documents.
bool IsOfDocuments(const ReportOutput& output);

// The documents of an output of `extract`, `filter` (those that passed), `minhash` (those that stayed) or `clean`.
// None: it has no documents, or its files are not here, as its mark may stand alone. Errors: some of its files are
// missing. What is run with, and where, is the caller's to set.
arrow::Result<std::optional<CorpusConfig>> DocumentsOf(const ReportOutput& output);

// The documents that statistics, which are one of the outputs, were made of, each once. None: they are not all among
// the documents of the outputs, or others are, too, or some were counted twice.
arrow::Result<std::optional<CorpusConfig>> DocumentsBehind(const ReportOutput& statistics,
                                                           const std::vector<ReportOutput>& outputs);

}  // namespace uzushio
