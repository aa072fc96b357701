// Which documents extracts are taken of, while documents stream by.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <cstdint>
#include <tuple>
#include <vector>

#include "base/bottom_k.h"
#include "datasets/extracts.h"
#include "stages/filter/kernel.h"

namespace uzushio {

// Keeps the documents of the least SampleHash, of equal ones the first; one thread's. Takes 2 KiB of a document's text.
class ExtractSample {
 public:
  // A batch that the kernel has measured. `row` is the place of its first in the piece.
  arrow::Status Add(const arrow::RecordBatch& batch, size_t piece, int64_t row, const FilterKernel& kernel,
                    const MeasuredDocuments& measured);
  // Those of all threads, in order.
  static std::vector<Extract> Merge(std::vector<ExtractSample> samples);

 private:
  struct Taken {
    uint64_t hash = 0;
    size_t piece = 0;
    int64_t row = 0;
    Extract extract;
    auto Key() const { return std::tuple(hash, piece, row); }
    bool operator<(const Taken& other) const { return Key() < other.Key(); }
  };
  BottomK<Taken> taken_{kMostExtracts};
};

}  // namespace uzushio
