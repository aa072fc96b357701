// How much two documents have in common.
#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dedup/containment.h"
#include "dedup/document_signature.h"

namespace uzushio {

// The exact Jaccard index of two documents' sets of n-grams (of their 64-bit hashes).
//
// Documents whose distinct n-grams are at most kGramsInMemory (half of that where they repeat) are compared in memory,
// by sorted hashes: 16 MiB. Where one has more, both are compared a partition at a time (ContainmentComparer), so that
// the time is linear in their lengths and the memory does not depend on them: some 16 MiB, and what `budget` has.
class JaccardComparer {
 public:
  static constexpr size_t kGramsInMemory = size_t{1} << 20;
  static_assert(kGramsInMemory >= kGramsOfTable);  // tables of containers would be too large here

  JaccardComparer(int ngram, TokenForm form, MemoryBudget* budget, SpillSpace* space)
      : grams_(ngram, form), partitions_(0, ngram, form, kLoad, budget, space) {}

  // The two documents. Each is given once for all of its comparisons, which it must outlive: its n-grams are kept.
  void SetFirst(std::string_view document) { first_.Set(document); }
  void SetSecond(std::string_view document) { second_.Set(document); }
  // The index; where it is below `least`, maybe a number between, as numbers of n-grams say it at once: a long document
  // is not compared with many short ones. Errors: hashes cannot be put on disk.
  arrow::Result<double> Compare(double least = 0);

  // Bytes of documents that were hashed: what comparing takes, without the clock.
  uint64_t hashed_bytes() const { return hashed_bytes_ + partitions_.hashed_bytes(); }

 private:
  static constexpr int64_t kLoad = int64_t{4} << 20;  // bytes

  struct Side {
    enum class State : uint8_t { kNew, kCollected, kLong };

    std::string_view document;
    State state = State::kNew;
    std::vector<uint64_t> hashes;  // of its n-grams, increasing, each once; of a long one, none
    size_t grams = 0;              // distinct; of a long one, no more than there are

    void Set(std::string_view of) {
      document = of;
      state = State::kNew;
    }
    void SortOnce();
    void Free();
  };
  void Collect(Side* side);
  static double MostOf(const Side& a, const Side& b);
  arrow::Result<double> CompareLong();

  GramHasher grams_;
  uint64_t hashed_bytes_ = 0;
  Side first_;
  Side second_;
  ContainmentComparer partitions_;
};

}  // namespace uzushio
