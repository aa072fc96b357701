// What documents are compared by, and which of them stay, as every door takes it.
#pragma once

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

// Errors: more MinHash values than there are functions.
arrow::Status CheckSignature(const SignatureOptions& options);

}  // namespace uzushio
