// What documents are compared by, and which of them stay, as every door takes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/options.h"
#include "dedup/document_signature.h"

namespace uzushio {

enum class KeepRule : uint8_t { kNewest, kFirst, kLongest };

struct NearDocumentsOptions {
  SignatureOptions signature;
  KeepRule keep = KeepRule::kNewest;
  std::optional<double> verify;  // the least exact Jaccard index of duplicates; none: those that share a bucket are
  std::string text_column = "text";
  std::string id_column = "docId";
  std::string date_column = "date";
};

const Options<NearDocumentsOptions>& DeclaredNearDocumentsOptions();
const char* NameOf(KeepRule keep);

// Of a bucket's documents, so many are compared with each other one: the first, which stands above all, and where texts
// decide the next, which help where the first is no duplicate of the rest.
constexpr size_t LeadersOf(const NearDocumentsOptions& options) { return options.verify ? 8 : 1; }

// Errors: more MinHash values than there are functions.
arrow::Status CheckSignature(const SignatureOptions& options);

}  // namespace uzushio
