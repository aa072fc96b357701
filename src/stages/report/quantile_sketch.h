// Quantiles of a column that streams by: Arrow's t-digest, whose parts are merged.
#pragma once

#include <arrow/array.h>
#include <arrow/compute/kernel.h>
#include <arrow/result.h>

#include <memory>
#include <span>
#include <vector>

namespace uzushio {

// T. Dunning and O. Ertl, Computing Extremely Accurate Quantiles Using t-Digests. What it gives depends on the order of
// what is added and merged.
class QuantileSketch {
 public:
  // `at` are the quantiles that are wanted, from 0 to 1.
  static arrow::Result<QuantileSketch> Make(std::span<const double> at);

  // Finite numbers; NaN is left out.
  arrow::Status Add(const arrow::DoubleArray& values);
  arrow::Status Merge(QuantileSketch other);
  // The values at the quantiles; none where nothing was added. Of 0 and 1, they are exact.
  arrow::Result<std::vector<double>> Values() const;

 private:
  const arrow::compute::ScalarAggregateKernel* kernel_ = nullptr;
  std::unique_ptr<arrow::compute::KernelState> state_;
};

}  // namespace uzushio
