// Sums of hosts as batches, for engines that bring equal hosts together: columns `host`, utf8, and `sums`, binary.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/name_totals.h"
#include "stages/filter/host_sums.h"

namespace uzushio {

// Adds up by host what one task measures. A host may be in several batches, in each once.
class HostSums {
 public:
  // Keeps some `memory` bytes; they become a batch then. `width` is the number of sums.
  HostSums(size_t width, int64_t memory);
  HostSums(const HostSums&) = delete;
  HostSums& operator=(const HostSums&) = delete;

  arrow::Status Add(std::string_view host, std::span<const NameSum> sums) { return totals_.Add(host, sums); }
  // Makes a batch of what is kept.
  arrow::Status Flush() { return totals_.Flush(); }
  // The next batch that is there; null: there is none.
  std::shared_ptr<arrow::RecordBatch> Next();

 private:
  arrow::Status Take(const EachName& each);

  std::deque<std::shared_ptr<arrow::RecordBatch>> batches_;
  NameTotals totals_;
};

// The rows of hosts.parquet, from batches in which the rows of a host follow each other.
class HostRows {
 public:
  explicit HostRows(const FilterChain& chain) : columns_(chain), sums_(columns_.width()) {}

  // The rows of hosts that have come to their end. Errors: the sums are those of another chain.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Add(const arrow::RecordBatch& batch);
  // The row of the last host, if there was any. Once.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Finish();

 private:
  class Builder;

  HostColumns columns_;
  bool has_host_ = false;
  std::string host_;
  std::vector<NameSum> sums_;  // so far, of this host
};

}  // namespace uzushio
