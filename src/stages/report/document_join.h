// Brings what two corpora have of each document together, out of core: rows with the hash of what a document is known
// by go to partitions, which are sorted and compared one at a time.
#pragma once

#include <arrow/result.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/bottom_k.h"
#include "base/memory_plan.h"
#include "datasets/name_totals.h"
#include "stages/report/joined_rows.h"
#include "storage/spill.h"

namespace uzushio {

// What became of a document. Texts are compared without markup.
enum class Difference : uint8_t { kEqual, kChanged, kOnlyFirst, kOnlySecond };
inline constexpr size_t kDifferences = 4;

// A source of rows: of the first corpus and what is behind it, or of the second.
struct JoinSource {
  bool is_second = false;
  bool is_corpus = false;
};

struct JoinCounts {
  int64_t documents = 0;
  int64_t characters = 0;         // in the first corpus, or in the one that has it
  int64_t second_characters = 0;  // of what is in both, in the second
  void Add(const JoinCounts& other) {
    documents += other.documents;
    characters += other.characters;
    second_characters += other.second_characters;
  }
};

// A document to read of those of one name that differ in one way.
struct JoinedDocument {
  uint64_t hash = 0;
  uint64_t more = 0;
  std::optional<RowPlace> first;
  std::optional<RowPlace> second;
  std::optional<RowPlace> why;  // the last row of the other side that has what is in one corpus only
  int64_t documents = 0;        // of the name that differ in this way
  bool operator<(const JoinedDocument& other) const {
    return std::tie(hash, more, first, second) < std::tie(other.hash, other.more, other.first, other.second);
  }
};

struct JoinResult {
  std::array<JoinCounts, kDifferences> counts;
  // Of what is in one corpus only, by the source of the other side that has it last; behind all sources, what none of
  // that side has: of the first corpus, then of the second.
  std::vector<JoinCounts> lost;
  std::array<std::vector<JoinedDocument>, kDifferences> shown;  // those of the least hashes, in order: one a name
  int64_t matched_by_name = 0;                                  // documents of both corpora that have an id or URL
};

// The sums of hosts: documents of each Difference.
inline constexpr size_t kHostSums = kDifferences;

// Documents of one name, of which each corpus may have any number, are paired one by one: those of equal texts first,
// in the order of their places, then the others in the order of the hashes of their texts, as far as both corpora have
// some. What is left is in one corpus only. So `equal` and `changed` and what is in one corpus only sum up to its
// documents. Rows of one name that are more than fit in memory are sorted on disk and read three times.
class DocumentJoin {
 public:
  DocumentJoin(std::vector<JoinSource> sources, int threads, const DiffPlan& plan, SpillSpace* space);

  // One thread's way in.
  class Writer {
   public:
    explicit Writer(DocumentJoin* to);
    // `host` may be empty; what is longer than 255 bytes is cut.
    arrow::Status Add(const JoinRow& row, std::string_view host);
    arrow::Status Flush() { return writer_.Flush(); }

   private:
    SpillPartitions::Writer writer_;
  };

  // After all Writers are flushed; once. Adds to `hosts` those of documents that have one.
  arrow::Result<JoinResult> Finish(size_t most_shown, NameRuns* hosts);

 private:
  class Counter;
  std::vector<JoinSource> sources_;
  int threads_;
  DiffPlan plan_;
  MemoryBudget budget_;
  SpillSpace& space_;
  SpillPartitions rows_;
};

}  // namespace uzushio
