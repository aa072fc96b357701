// Whether two documents that share a bucket are near-duplicates indeed.
#pragma once

#include <arrow/result.h>

#include <optional>
#include <string_view>

#include "dedup/edit_similarity.h"
#include "dedup/jaccard.h"
#include "stages/minhash/options.h"
#include "storage/spill.h"

namespace uzushio {

// One thread's. Without `verify` there is nothing to compare.
class Verifier {
 public:
  Verifier(const MinhashOptions& options, MemoryBudget* budget, SpillSpace* space)
      : jaccard_least_(options.verify.value_or(0)),
        edits_least_(options.edit_similarity),
        jaccard_(options.signature.ngram, options.signature.form, budget, space),
        edits_(options.signature.form) {}

  // The two documents. Each is set once for all of its comparisons, and must outlive them.
  void SetDocument(std::string_view document) {
    document_ = document;
    jaccard_.SetFirst(document);
  }
  void SetLeader(std::string_view leader) {
    leader_ = leader;
    jaccard_.SetSecond(leader);
  }
  // Their edit similarity (dedup/tokens.h), or, where that is not asked for, their Jaccard index. None: they are no
  // near-duplicates.
  arrow::Result<std::optional<double>> Compare() {
    ARROW_ASSIGN_OR_RAISE(const double similarity, jaccard_.Compare(jaccard_least_));
    if (similarity < jaccard_least_) return std::nullopt;
    return edits_least_ ? edits_.Compare(document_, leader_, *edits_least_) : similarity;
  }

 private:
  std::string_view document_;
  std::string_view leader_;
  double jaccard_least_;
  std::optional<double> edits_least_;
  JaccardComparer jaccard_;
  EditComparer edits_;
};

}  // namespace uzushio
