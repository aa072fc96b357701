// Which pairs of candidates are near-duplicates: step 4 of the local search (search.h).
//
// Where all texts lie in memory, pairs are compared where they are. Otherwise the partitions are taken in blocks whose
// texts fit: each first paragraph travels to the blocks that its seconds are in, and the blocks are loaded one after
// another. So a first text is written once for each of its pairs or for each block, whichever are fewer, and read as
// often: I/O grows with the corpus, not with its square.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "statistics/paragraph_partitions.h"
#include "statistics/paragraph_steps.h"
#include "statistics/search.h"
#include "storage/spill.h"

namespace uzushio {

// A pair of near-duplicates, by hashes and by numbers.
struct NearPair {
  HashPair hashes;
  uint64_t first = 0;
  uint64_t second = 0;
};

struct ComparedPairs {
  int64_t candidates = 0;  // without repeats
  int64_t near = 0;
};

// Compares all candidates, which are taken. `near` gets NearPair by the first paragraph, each pair once; `shares` gets
// NeighbourShare by paragraph. `on_progress` is told of parts done.
arrow::Result<ComparedPairs> ComparePairs(const ParagraphPartitions& table, SpillPartitions* candidates,
                                          const NearDuplicateResources& resources, SpillPartitions* near,
                                          SpillPartitions* shares,
                                          const std::function<void(size_t done, size_t all)>& on_progress);

}  // namespace uzushio
