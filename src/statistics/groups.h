// Groups of near-duplicates: which paragraphs a pivot takes, from all pairs of near-duplicates in order. Step 5 of the
// local search (search.h).
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "base/memory_plan.h"
#include "statistics/compare_pairs.h"
#include "statistics/paragraph_partitions.h"
#include "statistics/paragraph_steps.h"
#include "statistics/search.h"

namespace uzushio {

class Groups {
 public:
  virtual ~Groups() = default;
  // The pairs of a first paragraph come together, and firsts in order. `take(hashes, member's number)` is called for
  // what is known now,
  using Take = std::function<arrow::Status(const HashPair&, uint64_t)>;
  virtual arrow::Status Add(const NearPair& pair, const Take& take) = 0;
  // and at the end.
  virtual arrow::Status Finish(const ParagraphPartitions& /*table*/, const Take& /*take*/) {
    return arrow::Status::OK();
  }
};

// Errors: components of so many paragraphs, which are made in memory, have no room.
arrow::Result<std::unique_ptr<Groups>> MakeGroups(GroupMethod method, const ParagraphPartitions& table,
                                                  const StatisticsPlan& memory);

}  // namespace uzushio
