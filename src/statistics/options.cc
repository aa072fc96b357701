#include "statistics/options.h"

namespace uzushio {
namespace {

// Without SimHash, it decides about nothing.
auto OfSimHash(int NearDuplicateOptions::* member) {
  return [member](const NearDuplicateOptions& search) {
    return search.candidates == CandidateMethod::kSimHash ? nlohmann::json(search.*member) : LeftOut();
  };
}

}  // namespace

const Options<NearDuplicateOptions>& DeclaredNearDuplicateOptions() {
  static const Options<NearDuplicateOptions> options =
      Options<NearDuplicateOptions>()
          .Choice(
              "candidates", &NearDuplicateOptions::candidates,
              Choices<CandidateMethod>{{"buckets", CandidateMethod::kBuckets}, {"simhash", CandidateMethod::kSimHash}},
              "How candidate pairs are found: MinHash buckets or SimHash windows")
          .Integer("rotations", &NearDuplicateOptions::rotations, 1, 64,
                   "Number of sorted orders of the SimHash signatures")
          .OnlyWith({"candidates=simhash"})
          .Identity("rotations", OfSimHash(&NearDuplicateOptions::rotations))
          .Integer("window", &NearDuplicateOptions::window, 1, 1 << 20,
                   "Number of neighbours that a SimHash signature is paired with")
          .OnlyWith({"candidates=simhash"})
          .Identity("window", OfSimHash(&NearDuplicateOptions::window))
          .Choice("groups", &NearDuplicateOptions::groups,
                  Choices<GroupMethod>{{"pivot", GroupMethod::kPivot}, {"components", GroupMethod::kComponents}},
                  "How near-duplicates are grouped; connected components are for comparison");
  return options;
}

const Options<DocumentLimits>& DeclaredDocumentLimits() {
  static const Options<DocumentLimits> options =
      Options<DocumentLimits>()
          .Size("max-document-bytes", &DocumentLimits::max_bytes, 1, kAny,
                "Skip documents above this size (default: no limit)")
          .WithoutDefault()
          .Integer("max-paragraphs", &DocumentLimits::max_paragraphs, 1, kAny,
                   "Skip documents with more paragraphs (default: no limit)")
          .WithoutDefault();
  return options;
}

}  // namespace uzushio
