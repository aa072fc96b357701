// Signatures of documents, and their parting into kept ones and duplicates: batches in, batches out; no files.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dedup/containment.h"
#include "dedup/document_signature.h"
#include "dedup/indexed_texts.h"
#include "dedup/priority.h"
#include "document/url_key.h"
#include "lm/tokenizer.h"
#include "stages/minhash/options.h"

namespace uzushio {

// What a document is compared by. Its number is given to it later: `priority` has number 0.
struct SignedDocument {
  std::string id;
  Priority priority;
  bool is_dated = true;  // false where dates decide and it has none
  int64_t text_bytes = 0;
  uint64_t tokens = 0;
  std::optional<UrlKey> url;  // where captures of URLs are looked for, and it has one
  Priority captured;          // then: the newest capture stands highest
};

// The documents of a batch, in order; those without UTF-8 are left out.
struct SignedDocuments {
  std::vector<SignedDocument> documents;
  std::vector<uint64_t> buckets;   // of all, one document's after the other's
  std::vector<uint8_t> sketches;   // likewise
  std::string texts;               // their frames for an index that keeps texts, likewise
  std::vector<size_t> text_ends;   // of each document there
  std::vector<uint64_t> passages;  // where contained documents are looked for: those that are sampled, likewise
  std::vector<size_t> passage_ends;
  int64_t bytes() const;
  // The frame of one; empty where no texts are kept.
  std::string_view text(size_t document) const {
    if (text_ends.empty()) return {};
    const size_t begin = document == 0 ? 0 : text_ends[document - 1];
    return std::string_view(texts).substr(begin, text_ends[document] - begin);
  }
  std::span<const uint64_t> passages_of(size_t document) const {
    const size_t begin = document == 0 ? 0 : passage_ends[document - 1];
    return std::span(passages).subspan(begin, passage_ends[document] - begin);
  }
};

// One thread's. Errors of columns name them.
class MinhashKernel {
 public:
  // Errors: the dictionary of Sudachi's tokens can not be read.
  static arrow::Result<std::unique_ptr<MinhashKernel>> Make(const MinhashOptions& options);

  // Whether the columns will do. Errors: with KeepRule::kNewest, there are no dates.
  static arrow::Status Check(const arrow::Schema& schema, const MinhashOptions& options);

  // Signatures of a batch's documents. `bad` is called with rows whose text is not UTF-8.
  arrow::Result<SignedDocuments> Sign(const arrow::RecordBatch& batch,
                                      const std::function<arrow::Status(int64_t row)>& bad);
  // Calls `use(row, document)` for those that `wanted(n)` is true of, n counting the documents of the batch: with what
  // signatures are of and texts are compared by (dedup/tokens.h). The number of documents.
  arrow::Result<int64_t> ForEachDocument(const arrow::RecordBatch& batch, const std::function<bool(int64_t)>& wanted,
                                         const std::function<arrow::Status(int64_t n, std::string_view document)>& use);
  // The rows that are documents: whose text is UTF-8.
  arrow::Result<std::vector<int64_t>> DocumentRows(const arrow::RecordBatch& batch) const;

 private:
  explicit MinhashKernel(const MinhashOptions& options);
  arrow::Status ForEachText(const arrow::RecordBatch& batch,
                            const std::function<arrow::Status(int64_t row, std::string_view text)>& use);
  std::string_view TokensOf(std::string_view text);
  arrow::Result<std::optional<int64_t>> DateOf(const arrow::Array& dates, int64_t row) const;
  uint64_t First(const std::optional<int64_t>& date) const;
  static uint64_t NewestFirst(const std::optional<int64_t>& date);

  MinhashOptions options_;
  DocumentSigner signer_;
  std::optional<PassageSampler> sampler_;  // where contained documents are looked for
  TextCompressor compressor_;
  std::unique_ptr<Tokenizer> tokenizer_;  // null: characters are tokens
  std::string text_;
  std::string tokens_;
};

// Why a document is a duplicate.
inline constexpr const char* kOfText = "text";
inline constexpr const char* kOfUrl = "url";
inline constexpr const char* kContained = "contained";

// A duplicate among a batch's rows.
struct DuplicateRow {
  int64_t row = 0;
  std::string duplicate_of;  // an id
  double similarity = 0;  // what decided last: the edit similarity, the Jaccard index, an estimate of it, or the share
  const char* reason = kOfText;
};

// The columns that duplicates have besides.
inline constexpr const char* kDuplicateOf = "duplicateOf";
inline constexpr const char* kSimilarity = "similarity";
inline constexpr const char* kReason = "reason";  // only where there are several
// Errors: the columns are there already.
arrow::Result<std::shared_ptr<arrow::Schema>> DuplicatesSchema(const arrow::Schema& schema, bool with_reasons = false);

struct PartedRows {
  std::shared_ptr<arrow::RecordBatch> kept;        // null where there are none
  std::shared_ptr<arrow::RecordBatch> duplicates;  // likewise; of DuplicatesSchema
};
// Parts a batch's documents, whose rows are `documents`; others go nowhere. `duplicates` are some of them. Both are in
// order of rows.
arrow::Result<PartedRows> PartBatch(const std::shared_ptr<arrow::RecordBatch>& batch,
                                    std::span<const int64_t> documents, std::span<const DuplicateRow> duplicates,
                                    bool with_reasons = false);

}  // namespace uzushio
