// The indexes of other runs, and this run's documents among theirs.
#pragma once

#include <arrow/result.h>

#include <memory>
#include <string>
#include <vector>

#include "dedup/document_index.h"
#include "stages/minhash/followers.h"
#include "stages/minhash/options.h"

namespace uzushio {

// What a run's index says of it, by the declarations of the options (KindPart). What decides between documents has to
// be the same in all parts: otherwise each could go for the other.
// Errors: the dictionary can not be read.
arrow::Result<DocumentIndexKind> KindOf(const MinhashOptions& options);

using Indexes = std::vector<std::unique_ptr<DocumentIndex>>;

// Opens the indexes that `option`, --against or --beside, names, which have to be of this run's kind, and to have texts
// where it compares these. What `--keep` was does not matter to documents that stay anyway. Of those on a store, copies
// in `tmp` are read (datasets/output_files.h), which are gone from there when this returns.
arrow::Result<Indexes> OpenIndexes(const std::string& option, const std::vector<std::string>& names,
                                   const DocumentIndexKind& kind, const MinhashOptions& options,
                                   const std::string& tmp);

// This run among the sets; `own` is what it knows of its documents. Errors: two are of the same documents.
arrow::Result<DocumentSets> OrderSets(const Indexes& against, const Indexes& beside, const DocumentSets::Set& own,
                                      KeepRule keep);

}  // namespace uzushio
