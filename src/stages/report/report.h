// The stage `report`: a page to look at what stages have made.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "stages/report/corpus_diff.h"
#include "stages/report/report_output.h"
#include "storage/stage_options.h"

namespace uzushio {

// Of a page, in bytes. Where it would be larger, samples have fewer documents, and then fewer extracts.
inline constexpr size_t kMostPageBytes = 10'000'000;

struct ReportConfig : StageOptions {  // the output is the page
  std::vector<ReportOutput> outputs;  // in the order of the page
  std::vector<ReportOutput> against;  // those of another corpus; none: nothing is compared
  MatchBy match = MatchBy::kAny;
  std::string title;
};

struct ReportResult {
  int64_t bytes = 0;
  int64_t tables = 0;   // of metrics
  int64_t sampled = 0;  // documents of them that are in the page
  nlohmann::json diff;  // numbers of documents by how they differ; null where nothing is compared
};

using ReportProgress = std::function<void(double share, const std::string& step)>;

// The page as HTML. With a token, it asks its server for exact numbers.
arrow::Result<std::string> MakePage(const ReportConfig& config, const std::string& token,
                                    const ReportProgress& on_progress, ReportResult* result);

// Writes the page whole: beside its place, synced, renamed. Equal outputs, equal bytes. Errors: an output is not what
// its mark says; a file that can not be read or written.
arrow::Result<ReportResult> RunReport(const ReportConfig& config, const ReportProgress& on_progress);

}  // namespace uzushio
