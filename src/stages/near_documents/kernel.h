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

#include "dedup/document_signature.h"
#include "dedup/standing.h"
#include "stages/near_documents/options.h"

namespace uzushio {

// What a document is compared by. Its number is given to it later: `standing` has number 0.
struct SignedDocument {
  std::string id;
  Standing standing;
  bool is_dated = true;  // false where dates decide and it has none
  int64_t text_bytes = 0;
};

// The documents of a batch, in order; those without UTF-8 are left out.
struct SignedDocuments {
  std::vector<SignedDocument> documents;
  std::vector<uint64_t> buckets;  // of all, one document's after the other's
  std::vector<uint8_t> sketches;  // likewise
  int64_t bytes() const;
};

// One thread's. Errors of columns name them.
class NearDocumentsKernel {
 public:
  explicit NearDocumentsKernel(NearDocumentsOptions options);

  // Whether the columns will do. Errors: with KeepRule::kNewest, there are no dates.
  static arrow::Status Check(const arrow::Schema& schema, const NearDocumentsOptions& options);

  // Signatures of a batch's documents. `bad` is called with rows whose text is not UTF-8.
  arrow::Result<SignedDocuments> Sign(const arrow::RecordBatch& batch,
                                      const std::function<arrow::Status(int64_t row)>& bad);
  // Calls `use(row, text)` for each document, with the text that signatures are of: paragraphs joined by one line end,
  // without paths and link marks. Rows whose text is not UTF-8 are left out.
  arrow::Status ForEachText(const arrow::RecordBatch& batch,
                            const std::function<arrow::Status(int64_t row, std::string_view text)>& use);
  // The rows that are documents: whose text is UTF-8.
  arrow::Result<std::vector<int64_t>> DocumentRows(const arrow::RecordBatch& batch) const;

 private:
  arrow::Result<std::optional<int64_t>> DateOf(const arrow::Array& dates, int64_t row) const;
  uint64_t First(const std::optional<int64_t>& date) const;

  NearDocumentsOptions options_;
  DocumentSigner signer_;
  std::string text_;
  std::string buffer_;
};

// A duplicate among a batch's rows.
struct DuplicateRow {
  int64_t row = 0;
  std::string duplicate_of;  // an id
  double similarity = 0;     // Jaccard index, exact or estimated
};

// The columns that duplicates have besides.
inline constexpr const char* kDuplicateOf = "duplicateOf";
inline constexpr const char* kSimilarity = "similarity";
// Errors: the columns are there already.
arrow::Result<std::shared_ptr<arrow::Schema>> DuplicatesSchema(const arrow::Schema& schema);

struct PartedRows {
  std::shared_ptr<arrow::RecordBatch> kept;        // null where there are none
  std::shared_ptr<arrow::RecordBatch> duplicates;  // likewise; of DuplicatesSchema
};
// Parts a batch's documents, whose rows are `documents`; others go nowhere. `duplicates` are some of them. Both are in
// order of rows.
arrow::Result<PartedRows> PartBatch(const std::shared_ptr<arrow::RecordBatch>& batch,
                                    std::span<const int64_t> documents, std::span<const DuplicateRow> duplicates);

}  // namespace uzushio
