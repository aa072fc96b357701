#include "statistics/options.h"

namespace uzushio {

const Options<NearDuplicateOptions>& DeclaredNearDuplicateOptions() {
  static const Options<NearDuplicateOptions> options =
      Options<NearDuplicateOptions>()
          .Choice(
              "candidates", [](auto& search) -> auto& { return search.candidates; },
              Choices<CandidateMethod>{{"buckets", CandidateMethod::kBuckets}, {"simhash", CandidateMethod::kSimHash}},
              "How candidate pairs are found: MinHash buckets or SimHash windows")
          .Integer(
              "rotations", [](auto& search) -> auto& { return search.rotations; }, 1, 64,
              "Number of sorted orders of the SimHash signatures")
          .Integer(
              "window", [](auto& search) -> auto& { return search.window; }, 1, 1 << 20,
              "Number of neighbours that a SimHash signature is paired with")
          .Choice(
              "groups", [](auto& search) -> auto& { return search.groups; },
              Choices<GroupMethod>{{"pivot", GroupMethod::kPivot}, {"components", GroupMethod::kComponents}},
              "How near-duplicates are grouped; connected components are for comparison");
  return options;
}

const Options<DocumentLimits>& DeclaredDocumentLimits() {
  static const Options<DocumentLimits> options =
      Options<DocumentLimits>()
          .Size(
              "max-document-bytes", [](auto& limits) -> auto& { return limits.max_bytes; }, 1, kAny,
              "Skip documents above this size (default: no limit)")
          .WithoutDefault()
          .Integer(
              "max-paragraphs", [](auto& limits) -> auto& { return limits.max_paragraphs; }, 1, kAny,
              "Skip documents with more paragraphs (default: no limit)")
          .WithoutDefault();
  return options;
}

}  // namespace uzushio
