// Revisits as documents: those of the pages that they repeat, fetched again.
#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "stages/extract/counts.h"
#include "storage/hashed_file.h"

namespace uzushio {

// What a finished input has: its name, the files of its documents, and what is noted of these and of its revisits.
struct NotedInput {
  std::string name;
  std::vector<WrittenFile> documents;
  std::optional<WrittenFile> notes;  // nothing: neither documents nor revisits
};

// What became of the revisits that are noted.
struct ResolvedRevisits {
  ExtractCounts counts;            // of the documents
  int64_t unresolved = 0;          // the page is not among the documents
  int64_t inflated = 0;            // what they repeat is too much for what they take in the input
  std::vector<WrittenFile> files;  // of the documents
};

struct RevisitMemory {
  int64_t entries = int64_t{64} << 20;  // of all threads, before they go to disk
  int64_t records = int64_t{16} << 20;  // of a thread, that are sorted at a time
};

// Writes a document for each revisit of which the page is among the documents of these inputs: its text, title, charset
// and language, with URL, date, place and id of the revisit. A page is found by what names it best (CaptureKeys); of
// several with the same digest it is the first. `folder` is the output's. The new documents lie beside the pages that
// they repeat, `language=LL/revisits-NNNNN.parquet` with the number of the page's input, in the order of these pages
// and then of the revisits. That of a revisit has no more than `max_inflation` bytes of text for each byte of the
// revisits of the same input's pages up to it, above 64 MiB.
//
// What is in memory is bounded whatever the number of revisits and pages: `memory`, and for each thread a row group
// that is read and those that are written, some 40 MiB; `extract` had more for pages before. The rest is in unnamed
// files in `folder`. The bytes that are written do not depend on threads or memory.
arrow::Result<ResolvedRevisits> ResolveRevisits(const std::filesystem::path& folder,
                                                const std::vector<NotedInput>& inputs, int64_t max_inflation,
                                                int threads, const RevisitMemory& memory = {});

}  // namespace uzushio
