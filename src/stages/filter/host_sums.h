// What a chain of filters does to the documents of hosts, as sums that are added up by host: no files.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "datasets/name_totals.h"
#include "document/host.h"
#include "filters/chain.h"
#include "filters/filter_scratch.h"
#include "stages/filter/kernel.h"

namespace uzushio {

// The sums of a host, and the row of hosts.parquet (filters/host_statistics.h) that they make. Views the chain.
class HostColumns {
 public:
  explicit HostColumns(const FilterChain& chain);

  // The number of sums of a host.
  size_t width() const;
  // Of the rows.
  std::shared_ptr<arrow::Schema> Schema() const;
  int64_t Documents(std::span<const NameSum> sums) const { return static_cast<int64_t>(sums[0]); }
  int64_t Characters(std::span<const NameSum> sums) const { return static_cast<int64_t>(sums[1]); }
  // Sets the other values of a row, which are doubles.
  void Numbers(std::span<const NameSum> sums, std::vector<double>* numbers) const;
  // The filters that remove documents, as places in the chain.
  const std::vector<size_t>& filters() const { return filters_; }

 private:
  const FilterChain& chain_;
  std::vector<size_t> filters_;
};

// Measures documents for one thread. The chain and the kernel, which is one of this chain, must outlive this.
class HostMeter {
 public:
  HostMeter(const FilterChain& chain, FilterKernel* kernel);

  // Calls `use` with the host and the sums of each document of a batch, and `bad` with rows whose text is not UTF-8.
  arrow::Status Measure(const arrow::RecordBatch& batch, const UseName& use,
                        const std::function<arrow::Status(int64_t row)>& bad);
  int64_t documents() const { return documents_; }
  int64_t without_host() const { return without_host_; }

 private:
  arrow::Status MeasureOne(FilterDocument* document);

  const FilterChain& chain_;
  FilterKernel& kernel_;
  HostColumns columns_;
  FilterScratch scratch_;
  Location location_;
  std::vector<double> metrics_;
  std::vector<NameSum> sums_;
  int64_t documents_ = 0;
  int64_t without_host_ = 0;
};

}  // namespace uzushio
