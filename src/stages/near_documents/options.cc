#include "stages/near_documents/options.h"

namespace uzushio {
namespace {

const Choices<KeepRule>& KeepRules() {
  static const Choices<KeepRule> rules = {
      {"newest", KeepRule::kNewest}, {"first", KeepRule::kFirst}, {"longest", KeepRule::kLongest}};
  return rules;
}

}  // namespace

const char* NameOf(KeepRule keep) {
  for (const auto& [name, rule] : KeepRules()) {
    if (rule == keep) return name.c_str();
  }
  return "";
}

arrow::Status CheckSignature(const SignatureOptions& options) {
  if (options.functions() <= kMaxHashFunctions) return arrow::Status::OK();
  return arrow::Status::Invalid("--buckets ", options.buckets, " --values ", options.values, ": ", options.functions(),
                                " values in all; give ", kMaxHashFunctions, " at most");
}

const Options<NearDocumentsOptions>& DeclaredNearDocumentsOptions() {
  constexpr auto kMost = static_cast<int64_t>(kMaxHashFunctions);
  static const Options<NearDocumentsOptions> options =
      Options<NearDocumentsOptions>()
          .Integer(
              "ngram", [](auto& all) -> auto& { return all.signature.ngram; }, 1, 1000,
              "Characters of the n-grams that texts are compared by")
          .Integer(
              "buckets", [](auto& all) -> auto& { return all.signature.buckets; }, 1, kMost,
              "Buckets of each document: the paper's r")
          .Alias("r")
          .Alias("minhash-r")
          .Integer(
              "values", [](auto& all) -> auto& { return all.signature.values; }, 1, kMost,
              "MinHash values of a bucket: the paper's b")
          .Alias("b")
          .Alias("minhash-b")
          .Share(
              "verify", [](auto& all) -> auto& { return all.verify; },
              "Compare texts, and take for duplicates those of this Jaccard index or more (default: those that share a "
              "bucket)")
          .Choice(
              "keep", [](auto& all) -> auto& { return all.keep; }, KeepRules(),
              "Which of duplicates stays; of equals, that of the least id")
          .Text(
              "text-column", [](auto& all) -> auto& { return all.text_column; }, "NAME", "Column, or key, of the texts")
          .Text(
              "id-column", [](auto& all) -> auto& { return all.id_column; }, "NAME",
              "Column, or key, of the documents' ids")
          .Text(
              "date-column", [](auto& all) -> auto& { return all.date_column; }, "NAME",
              "Column, or key, of the dates that --keep newest goes by");
  return options;
}

}  // namespace uzushio
