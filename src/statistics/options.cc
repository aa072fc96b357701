#include "statistics/options.h"

namespace uzushio {

const Options<NearDuplicateOptions>& DeclaredNearDuplicateOptions() {
  static const Options<NearDuplicateOptions> options =
      Options<NearDuplicateOptions>()
          .Choice(
              "candidates", [](auto& search) -> auto& { return search.candidates; },
              Choices<CandidateMethod>{{"buckets", CandidateMethod::kBuckets}, {"simhash", CandidateMethod::kSimHash}},
              "How pairs are found: buckets of MinHash, or SimHash windows")
          .Integer(
              "rotations", [](auto& search) -> auto& { return search.rotations; }, 1, 64,
              "Sortings of the SimHash signatures")
          .Integer(
              "window", [](auto& search) -> auto& { return search.window; }, 1, 1 << 20,
              "Ranks that a SimHash signature is paired with")
          .Choice(
              "groups", [](auto& search) -> auto& { return search.groups; },
              Choices<GroupMethod>{{"pivot", GroupMethod::kPivot}, {"components", GroupMethod::kComponents}},
              "How near-duplicates are grouped; components chain, for comparison");
  return options;
}

const Options<DocumentLimits>& DeclaredDocumentLimits() {
  static const Options<DocumentLimits> options =
      Options<DocumentLimits>()
          .Size(
              "max-document-bytes", [](auto& limits) -> auto& { return limits.max_bytes; }, 1, kAny,
              "Leave out longer documents (default: none)")
          .WithoutStandard()
          .Integer(
              "max-paragraphs", [](auto& limits) -> auto& { return limits.max_paragraphs; }, 1, kAny,
              "Leave out documents of more (default: none)")
          .WithoutStandard();
  return options;
}

}  // namespace uzushio
