// Shares of a corpus, whose ends a filter has to know as values of a metric.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace uzushio {

// Shares are whole billionths, so that .1 of ten documents is one document.
inline constexpr int64_t kWholeShare = 1'000'000'000;
inline int64_t ShareOf(double share) { return std::llround(share * static_cast<double>(kWholeShare)); }

// The edge of a share s is the least value v of the metric for which the documents of v or less weigh more than s of
// all documents. Documents from the edge of one share to below that of another are the part of the corpus between the
// two, to a document; equal values are always on one side.
struct WantedEdges {
  std::string by;               // what a document weighs: kByDocuments, kByCharacters or kByTokens
  std::vector<int64_t> shares;  // in billionths
};

inline constexpr const char* kByDocuments = "documents";
inline constexpr const char* kByCharacters = "characters";
inline constexpr const char* kByTokens = "tokens";

}  // namespace uzushio
