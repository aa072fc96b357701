// Whether two documents that share a bucket are near-duplicates indeed.
#pragma once

#include <optional>
#include <string_view>

#include "dedup/document_signature.h"
#include "dedup/edit_similarity.h"
#include "stages/minhash/options.h"

namespace uzushio {

// One thread's. Without `verify` there is nothing to compare.
class Verifier {
 public:
  explicit Verifier(const MinhashOptions& options)
      : jaccard_least_(options.verify.value_or(0)),
        edits_least_(options.edit_similarity),
        jaccard_(options.signature.ngram, options.signature.form),
        edits_(options.signature.form) {}

  // The edit similarity of two documents (dedup/tokens.h), or, where that is not asked for, their Jaccard index. None:
  // they are no near-duplicates.
  std::optional<double> Compare(std::string_view a, std::string_view b) {
    Set(a);
    return CompareWith(b);
  }
  // The same of one document and several others: it is Set once, and must outlive its comparisons.
  void Set(std::string_view document) {
    document_ = document;
    jaccard_.Set(document);
  }
  std::optional<double> CompareWith(std::string_view other) {
    const double similarity = jaccard_.CompareWith(other);
    if (similarity < jaccard_least_) return std::nullopt;
    return edits_least_ ? edits_.Compare(document_, other, *edits_least_) : similarity;
  }

 private:
  std::string_view document_;
  double jaccard_least_;
  std::optional<double> edits_least_;
  JaccardComparer jaccard_;
  EditComparer edits_;
};

}  // namespace uzushio
