// Which documents are in one of two corpora and not in the other, and which differ, for `uzushio report --against`.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "stages/report/report_output.h"

namespace uzushio {

// By what documents of both corpora are known. kAny: by their ids; by their URLs if less than half of the documents of
// the smaller corpus have an id that is in the other, and more have such a URL.
enum class MatchBy : uint8_t { kAny, kId, kUrl };

struct DiffConfig {
  std::vector<ReportOutput>
      outputs;  // the last one with documents is the corpus; the others say where others were lost
  std::vector<ReportOutput> against;
  MatchBy match = MatchBy::kAny;
  std::string tmp;  // folder for temporary data
  int threads = 1;
  int64_t memory = 0;  // bytes, kReportMemory at least
};

// Of each kind of difference.
inline constexpr size_t kMostShownDocuments = 100;
inline constexpr size_t kMostDiffHosts = 100;

// An object with
// * `a` and `b`, the names of the corpora, and `matchedBy`, "docId" or "url" (`idColumns`: what they are called);
// * `equal`, `changed`, `onlyA` and `onlyB`: `documents`, `charactersA`, `charactersB`, exactly;
// * `reasons`: why documents of one corpus are not in the other: `missingIn` ("a" or "b"), `documents`, `characters`,
// and
//   `output` and `reason` (and `filter`, its class), or null: the output does not say, or no output has the document;
// * `hosts` and `distinctHosts`: `name` and documents of each kind, of the hosts that differ most;
// * `shown`: documents of `changed`, `onlyA` and `onlyB`, as ShownDocuments has them: one of each id or URL, of those
//   of the least SampleHash.
// Errors: there are no documents, or nothing to match them by; a file that can not be read; a full disk.
arrow::Result<nlohmann::json> DiffOf(const DiffConfig& config, const std::function<void(double share)>& on_progress);

}  // namespace uzushio
