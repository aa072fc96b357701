// The stage `hosts`, by the kernel of `filter`: what the documents of each host are like.
#pragma once

#include <arrow/result.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/counters.h"
#include "filters/chain.h"
#include "filters/host_statistics.h"
#include "stages/filter/kernel.h"
#include "stages/filter/options.h"
#include "storage/stage_options.h"

namespace uzushio {

struct HostsConfig : StageOptions {
  std::string chain_file;                    // what `chain` is read from
  std::vector<std::string> properties;       // values for it
  std::shared_ptr<const FilterChain> chain;  // not null; of no filters: only numbers of documents and characters
  std::string statistics;                    // of paragraphs, for the chain's filters
  FilterKernelOptions kernel;

  std::shared_ptr<const FrequencyIndex> index;  // that of `statistics`, as the run opens it
};

const Options<HostsConfig>& DeclaredHosts();

struct HostsResult {
  int64_t documents = 0;
  int64_t without_host = 0;  // whose URL has none, or which have no URL
  int64_t hosts = 0;
  int64_t spilled_bytes = 0;
  Counters quarantined;
  bool was_done = false;
};

// Writes DIR/hosts.parquet, a row for each host in order of bytes (filters/host_statistics.h).
arrow::Result<HostsResult> RunHosts(const HostsConfig& config, const std::function<void(double)>& on_progress);

}  // namespace uzushio
