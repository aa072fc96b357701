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
// Documents of up to kGramsInMemory tokens are compared in memory, by sorted hashes: 16 MiB. Where one is longer, both
// are compared a partition at a time (ContainmentComparer), so that the time is linear in their lengths and the memory
// does not depend on them: some 16 MiB, and what `budget` has.
class JaccardComparer {
 public:
  static constexpr uint64_t kGramsInMemory = uint64_t{1} << 20;
  static_assert(kGramsInMemory >= kGramsOfTable);  // tables of containers would be too large here

  JaccardComparer(int ngram, TokenForm form, MemoryBudget* budget, SpillSpace* space)
      : grams_(ngram, form), partitions_(0, ngram, form, kLoad, budget, space) {}

  // The two documents. Each is given once for all of its comparisons, which it must outlive: its n-grams are kept.
  void SetFirst(std::string_view document) { first_.Set(document); }
  void SetSecond(std::string_view document) { second_.Set(document); }
  // Errors: hashes cannot be put on disk.
  arrow::Result<double> Compare();

  // Bytes of documents that were hashed: what comparing takes, without the clock.
  uint64_t hashed_bytes() const { return hashed_bytes_ + partitions_.hashed_bytes(); }

 private:
  static constexpr int64_t kLoad = int64_t{4} << 20;  // bytes

  struct Side {
    std::string_view document;
    bool is_collected = false;
    std::vector<uint64_t> hashes;  // of its n-grams, increasing, each once

    void Set(std::string_view of) {
      document = of;
      is_collected = false;
    }
    void Free() {
      is_collected = false;
      hashes = {};
    }
  };
  bool IsLong(std::string_view document) const;
  void Collect(Side* side);
  arrow::Result<double> CompareLong();

  GramHasher grams_;
  uint64_t hashed_bytes_ = 0;
  Side first_;
  Side second_;
  ContainmentComparer partitions_;
};

}  // namespace uzushio
