// Two corpora that are compared by document: what the outputs of each have, and what they say of the others.
#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "stages/report/report_output.h"
#include "storage/inputs.h"

namespace uzushio {

// Rows of an output: documents that went on, or those that were removed for one reason.
struct DiffSource {
  std::vector<InputFile> files;
  size_t output = 0;                  // a place among the outputs
  std::optional<std::string> reason;  // none: they went on
  std::optional<std::string> filter;  // the class of the one that removed them
  std::string text_column = "text";
  std::string id_column = "docId";
  std::string url_column = "url";
};

// One of the corpora: the last output that has documents, and what tells where other documents were lost.
struct DiffSide {
  std::vector<std::string> outputs;  // those that have documents, by their names, in order
  std::vector<std::string> stages;   // that wrote them
  // In the order of outputs, and in each first what was removed, in the order of the chain, then what went on: the last
  // that has a document says where it was lost. (Removed paragraphs of what went on are among what was removed.) The
  // very last is the corpus.
  std::vector<DiffSource> sources;

  std::filesystem::path folder;  // of the corpus, as OneNameOf has it

  const std::string& name() const { return outputs.back(); }  // of the corpus
};

// `option` names where the outputs were given, for errors. Errors: none has documents; files that a manifest lists are
// not there.
arrow::Result<DiffSide> DiffSideOf(const std::vector<ReportOutput>& outputs, const std::string& option);

}  // namespace uzushio
