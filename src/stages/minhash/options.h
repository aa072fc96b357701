// What documents are compared by, and which of them stay, as every frontend takes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/options.h"
#include "datasets/columns.h"
#include "dedup/document_index.h"
#include "dedup/document_signature.h"

namespace uzushio {

enum class KeepRule : uint8_t { kNewest, kFirst, kLongest };

// Code points, or what Sudachi cuts a text into.
enum class Tokens : uint8_t { kCharacters, kSudachiA, kSudachiB, kSudachiC };

// Where documents that stay and duplicates lie in the output.
enum class OutputLayout : uint8_t { kDuplicatesBeside, kDedupAndDup };

// What stands apart from defaults that depend on other options.
struct GivenOptions {
  std::optional<int> buckets;
  std::optional<int> values;
  std::optional<KeepRule> keep;
  std::optional<double> jaccard;
  std::optional<double> edit_similarity;
  bool skip_verify = false;
  bool skip_edit_similarity = false;
  bool index_texts = false;
  bool skip_index_texts = false;
};

struct MinhashOptions {
  GivenOptions given;
  Tokens tokens = Tokens::kCharacters;
  OutputLayout layout = OutputLayout::kDuplicatesBeside;
  std::optional<double> contained;  // the least share of a document that makes it a duplicate of a longer one
  bool url = false;                 // of the captures of a URL, all but the newest go before texts are compared
  std::string sudachi;              // the dictionary
  std::string text_column = "text";
  std::string id_column = kUsualIdColumn;
  std::string date_column = "date";
  std::string url_column = kUsualUrlColumn;
  std::optional<double> max_loss;  // the greatest share that one group, host or file may lose
  int64_t max_loss_least = 1000;   // documents of those that are looked at

  // By Complete. One of two recipes: that of the Swallow corpus (Okazaki et al. 2024), with texts compared besides; or,
  // where edits or Sudachi's tokens are asked for, Lee et al.'s (2022, section 4.2).
  SignatureOptions signature;
  KeepRule keep = KeepRule::kNewest;
  bool index_texts = false;      // the index keeps texts, by which later runs compare
  std::optional<double> verify;  // the least exact Jaccard index of duplicates; none: sharing a bucket is enough
  std::optional<double> edit_similarity;  // the least of duplicates besides
};

const Options<MinhashOptions>& DeclaredMinhashOptions();
const char* NameOf(KeepRule keep);

// Settles what was not given, but the dictionary. Errors: options that exclude each other.
arrow::Status Complete(MinhashOptions* options);
// Names the dictionary that Sudachi's tokens are cut with: an installed one, if none was given. Errors: there is none.
arrow::Status FindDictionary(MinhashOptions* options);
// What was settled, as the declarations say it: the options' part of a run's identity.
arrow::Result<nlohmann::json> SettledOptions(const MinhashOptions& options);

// Whether documents are compared by what takes more memory than their characters' sketches.
constexpr bool IsHeavy(const MinhashOptions& options) {
  return options.edit_similarity.has_value() || options.tokens != Tokens::kCharacters;
}

// Of a bucket's documents, so many are compared with each other one: the first, which stands above all, and where texts
// decide the next, which help where the first is no duplicate of the rest.
constexpr size_t LeadersOf(const MinhashOptions& options) { return options.verify ? kVerifiedLeaders : 1; }

// Whether duplicates have several reasons, and say theirs.
constexpr bool HasReasons(const MinhashOptions& options) { return options.url || options.contained.has_value(); }

// The option, as it was given, that makes a run compare texts.
const char* ComparingOption(const MinhashOptions& options);

// Errors: more MinHash values than there are functions.
arrow::Status CheckSignature(const SignatureOptions& options);

}  // namespace uzushio
