// Which documents are contained in longer ones: of whose n-grams a large share occurs there, too (Broder 1997).
//
// Candidates. A passage is kPassageTokens consecutive tokens. Of a document's distinct passages, those whose hash is
// below a bound are sampled, one of kPassagesOfOne, wherever they stand (FracMinHash: Irber et al. 2022). Documents
// that have a text in common have its sampled passages in common, however long what is around it. A document is
// compared with longer ones that have some of its kQueries first passages, in order of hashes; all of them are looked
// for.
//
// Frequent passages. Of up to kMostOfPassage documents that have a passage, each pair is a candidate. Of more, each is
// paired with the kPassageLeaders longest, so that a passage of n documents gives no more than kMostOfPassage n pairs.
// A text that is in a million documents has the same leaders for all of its passages, and is found; one that is put
// together from several such texts may be missed.
//
// Cost. A sampled passage takes 24 bytes, and 16 tokens give one. A document is compared with kMostContainers others,
// at most. All that are compared with one container are compared together: its n-grams are hashed once.
#pragma once

#include <arrow/result.h>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/random_odd.h"
#include "dedup/document_signature.h"
#include "dedup/grams.h"
#include "dedup/priority.h"
#include "storage/spill.h"

namespace uzushio {

inline constexpr int kPassageTokens = 16;
inline constexpr uint64_t kPassagesOfOne = 16;
inline constexpr size_t kQueries = 16;
inline constexpr size_t kQueriesOfOne = 8;
inline constexpr size_t kMostOfPassage = 64;
inline constexpr size_t kPassageLeaders = 8;
inline constexpr size_t kMostContainers = 16;
// Of a document, so many are sampled at most, those of the least hashes: those of some million tokens.
inline constexpr size_t kMostPassages = size_t{1} << 16;
// Of a container whose n-grams are a table: some 16 MiB.
inline constexpr uint64_t kGramsOfTable = uint64_t{1} << 19;

// Samples passages. Works in buffers that it keeps.
class PassageSampler {
 public:
  explicit PassageSampler(TokenForm form) : grams_(kPassageTokens, form) {}
  // The hashes of a document's sampled passages, increasing, each once. Valid until the next call.
  std::span<const uint64_t> Sample(std::string_view document);

 private:
  GramHasher grams_;
  std::vector<uint64_t> passages_;
};

// A document that has a passage. Written to disk as it is.
struct PassageEntry {
  uint64_t passage = 0;
  uint64_t order = 0;     // 24 bits: how long the document is, the longest first; 40: a hash, which parts equal lengths
  uint64_t document = 0;  // its number, and below, 8 bits: by how many passages it is looked for; 0: not by this one

  uint64_t number() const { return document >> 8; }
  uint64_t queries() const { return document & 0xFF; }
  uint64_t shortness() const { return order >> 40; }
  auto operator<=>(const PassageEntry&) const = default;
};
static_assert(sizeof(PassageEntry) == 24);

// Calls `use(PassageEntry)`, a Status, for each sampled passage of a document of so many tokens.
template <typename Use>
auto ForEachEntry(std::span<const uint64_t> passages, uint64_t tokens, const Priority& priority, const Use& use)
    -> decltype(use(PassageEntry())) {
  constexpr uint64_t kMostTokens = (uint64_t{1} << 24) - 1;
  const Uint128 rank = priority.rank();
  const uint64_t tie = Mix64(static_cast<uint64_t>(rank) + Mix64(static_cast<uint64_t>(rank >> 64)));
  const uint64_t order = (kMostTokens - std::min(tokens, kMostTokens)) << 40 | tie >> 24;
  const size_t queries = std::min(passages.size(), kQueries);
  for (size_t i = 0; i < passages.size(); ++i) {
    const uint64_t document = priority.number() << 8 | (i < queries ? queries : 0);
    if (auto status = use(PassageEntry{passages[i], order, document}); !status.ok()) return status;
  }
  return {};
}

// That one document may be contained in another, which is as long or longer. Written to disk as it is.
struct ContainerCandidate {
  uint64_t document = 0;  // PassageEntry's
  uint64_t order = 0;     // likewise, of the container
  uint64_t container = 0;

  uint64_t number() const { return document >> 8; }
  uint64_t queries() const { return document & 0xFF; }
  auto operator<=>(const ContainerCandidate&) const = default;
};

// The documents of one passage, which come in order: calls `use(ContainerCandidate)`, a Status, with the candidates.
// Where two are of one length, each may be in the other.
class PassagePairs {
 public:
  void Clear() {
    count_ = 0;
    first_.clear();
  }
  template <typename Use>
  auto Add(const PassageEntry& entry, const Use& use) -> decltype(use(ContainerCandidate())) {
    // Up to kMostOfPassage, those before are kept: which of them are leaders only is not known before the end.
    const size_t kept = first_.size();
    if (kept < kMostOfPassage) first_.push_back(entry);
    ++count_;
    if (count_ <= kMostOfPassage) return {};
    if (count_ == kMostOfPassage + 1) {
      for (size_t i = 0; i < first_.size(); ++i) {
        if (auto status = Pair(first_[i], kPassageLeaders, use); !status.ok()) return status;
      }
    }
    return Pair(entry, kPassageLeaders, use);
  }
  // After the last.
  template <typename Use>
  auto Finish(const Use& use) -> decltype(use(ContainerCandidate())) {
    if (count_ > kMostOfPassage) return {};
    for (const PassageEntry& entry : first_) {
      if (auto status = Pair(entry, first_.size(), use); !status.ok()) return status;
    }
    return {};
  }
  size_t count() const { return count_; }

 private:
  template <typename Use>
  auto Pair(const PassageEntry& entry, size_t with, const Use& use) const -> decltype(use(ContainerCandidate())) {
    if (entry.queries() == 0) return {};
    for (const PassageEntry& other : std::span(first_).first(std::min(with, first_.size()))) {
      if (other.shortness() > entry.shortness()) break;
      if (other.number() == entry.number()) continue;
      const ContainerCandidate candidate = {entry.document, other.order, other.number()};
      if (auto status = use(candidate); !status.ok()) return status;
    }
    return {};
  }

  std::vector<PassageEntry> first_;
  size_t count_ = 0;
};

// Of one document's candidates, which may come again and are reordered, those to be compared: the kMostContainers that
// have most of its passages, the longer ones first, if these are one of kQueriesOfOne.
std::vector<ContainerCandidate> MostLikelyContainers(std::span<ContainerCandidate> candidates);

// How much of some documents is contained in another one: the exact share of their distinct n-grams (of their 64-bit
// hashes), if it is `least` or more. Each text is read once.
//
// A container of up to kGramsOfTable n-grams is a table, and documents are compared with it as they come. Of a longer
// one the hashes are put into partitions, and so are those of all that is compared with it; then they are compared a
// partition at a time, as in a hash join (DeWitt et al. 1984). So the time is linear in the container and the documents
// together, and the memory does not depend on them: some 24 MiB and `load`. What `budget` does not hold of the hashes
// is on disk: 8 bytes for an n-gram of the container, 16 for one of a document. Characters are those of UTF-8.
class ContainmentComparer {
 public:
  // Of a longer container, `load` bytes of documents' hashes are looked at together.
  ContainmentComparer(double least, int ngram, TokenForm form, int64_t load, MemoryBudget* budget, SpillSpace* space)
      : least_(least),
        ngram_(static_cast<uint64_t>(ngram)),
        form_(form),
        load_(load),
        budget_(budget),
        space_(space),
        grams_(ngram, form) {}

  // Of a document.
  struct Compared {
    uint64_t tokens = 0;
    uint64_t common = 0;        // distinct n-grams
    uint64_t missing = 0;       // likewise
    uint64_t most_missing = 0;  // the comparison is given up beyond it: the share is below `least`
    bool is_less() const { return missing > most_missing; }
    double share() const { return is_less() ? 0 : static_cast<double>(common) / static_cast<double>(common + missing); }
  };
  // The container, of which nothing is kept but n-grams.
  arrow::Status Set(std::string_view container);
  // A document to compare with it. One of more tokens than the container is not contained: its share is 0.
  arrow::Status Add(std::string_view document);
  // Of the documents since Set, in order. Valid until the next Set, which has to come before further documents.
  arrow::Result<std::span<const Compared>> Finish();
  // Of the container.
  uint64_t tokens() const { return tokens_; }
  // Its distinct n-grams, after Finish.
  uint64_t grams() const { return distinct_; }
  // Of any text.
  uint64_t TokensOf(std::string_view text) const;
  // Bytes of containers and documents that were hashed: what comparing takes, without the clock.
  uint64_t hashed_bytes() const { return hashed_bytes_; }

 private:
  struct Slot {
    uint64_t gram = 0;  // 0: none
    uint64_t seen = 0;  // the document that had it last
  };
  // An n-gram of a document, in a partition.
  struct Spilled {
    uint64_t document = 0;
    uint64_t gram = 0;
  };
  Slot* Find(uint64_t gram);
  void Insert(uint64_t gram);
  void Grow();
  void SetSlots(size_t slots);
  bool AddMissing(uint64_t gram);
  uint64_t GramsOf(uint64_t tokens) const { return tokens < ngram_ ? 1 : tokens - ngram_ + 1; }
  size_t PartOf(uint64_t gram) const { return ((gram * part_secret_) >> 32) * parts_ >> 32; }
  template <typename Use>
  void ForEachGram(std::string_view text, const Use& use);
  template <typename Append>
  arrow::Status Spill(std::string_view text, const Append& append);
  void BeginDocument();
  void Count(uint64_t gram, Compared* compared);
  arrow::Status ComparePart(size_t part);

  double least_;
  uint64_t ngram_;
  TokenForm form_;
  int64_t load_;
  MemoryBudget* budget_;
  SpillSpace* space_;
  GramHasher grams_;
  uint64_t tokens_ = 0;
  uint64_t distinct_ = 0;
  uint64_t hashed_bytes_ = 0;
  std::vector<Compared> compared_;

  uint64_t documents_ = 0;         // that were counted, each in each of its partitions
  uint64_t secret_ = RandomOdd();  // who chooses texts chooses hashes
  int shift_ = 0;
  size_t used_ = 0;  // slots
  std::vector<Slot> slots_;
  std::vector<Slot> missing_;  // n-grams of the document that the container has not; those of others are empty
  size_t missing_used_ = 0;

  uint64_t part_secret_ = RandomOdd();
  uint64_t parts_ = 1;
  std::vector<uint64_t> recent_;                    // the last n-gram of each place, as in DocumentSigner
  std::optional<SpillPartitions> container_parts_;  // its n-grams; none: it is in the table
  std::optional<SpillPartitions> document_parts_;   // Spilled
  std::optional<SpillPartitions::Writer> document_writer_;
};

}  // namespace uzushio
