// From buckets to pairs of candidates: step 3 of the search (search.h), for one partition.
//
// Partitions may be larger than memory: at most `most` bytes of records are taken at a time.
#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dedup/candidates.h"
#include "storage/spill.h"

namespace uzushio {

// The partition of so many that a bucket's entries are in.
constexpr size_t BucketPartition(const BucketEntry& entry, size_t partitions) {
  return (entry.bucket >> 32) % partitions;
}
// Each rotation has its own partitions, ranges of the rotated signatures: as many, from rotation times as many on.
constexpr size_t RotationPartitions(size_t partitions, int rotations) {
  return partitions / static_cast<size_t>(rotations);
}

// Pairs go to the partition of their first paragraph.
//
// Where they go: `shares` are NeighbourShare by paragraph, of those whose candidates are not all looked at.
struct PairTargets {
  size_t entry_partitions = 0;
  SpillPartitions::Writer* pairs = nullptr;
  SpillPartitions::Writer* aside = nullptr;
  SpillPartitions::Writer* kept = nullptr;
  SpillPartitions::Writer* shares = nullptr;
};
// All pairs of the small buckets. Entries of large ones are put aside, by paragraph, except their leaders, which go to
// `kept`, by bucket.
arrow::Status PairSmallBuckets(SpillPartitions* entries, size_t partition, int64_t most, const PairTargets& to);
// Hands on, by bucket, the entries in the large buckets with the least hashes, for each paragraph.
arrow::Status KeepLeast(SpillPartitions* aside, size_t partition, int64_t most, const PairTargets& to);
// The pairs of what is left of the large buckets.
arrow::Status PairLargeBuckets(SpillPartitions* kept, size_t partition, int64_t most, SpillPartitions::Writer* pairs);
// The pairs of a range of a rotation, which is in order of sketches. `window` has the last ranks of the ranges before,
// and then those of this one.
arrow::Status PairRanks(SpillPartitions* entries, size_t partition, int64_t most, int ranks,
                        std::vector<BucketEntry>* window, SpillPartitions::Writer* pairs);

}  // namespace uzushio
