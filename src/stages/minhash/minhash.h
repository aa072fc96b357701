// The stage `minhash`: documents to those that are no near-duplicates of others.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "stages/minhash/options.h"
#include "storage/stage_options.h"

namespace uzushio {

// Where duplicates lie in the output.
inline constexpr const char* kDuplicatesFolder = ".uzushio/duplicates";

struct MinhashConfig : StageOptions {
  MinhashOptions options;
  std::vector<std::string> against;  // indexes whose documents always stay
  std::vector<std::string> beside;   // indexes of the other parts of one corpus
  bool index_only = false;
};

struct MinhashProgress {
  std::string step;
  double share = 0;  // of the whole
};
using MinhashProgressCallback = std::function<void(const MinhashProgress&)>;

struct MinhashResult {
  nlohmann::json counts;  // documents = kept + duplicates, unless there is an index only
  int64_t spilled_bytes = 0;
  int64_t files = 0;
  int64_t bytes_out = 0;
  bool was_done = false;
};

// All but --tmp and --allow-incomplete.
const Options<MinhashConfig>& DeclaredMinhash();

// Errors: options that exclude each other. Before anything is looked for.
arrow::Status CheckMinhash(const MinhashConfig& config);

arrow::Result<MinhashResult> RunMinhash(const MinhashConfig& config, const MinhashProgressCallback& on_progress);

}  // namespace uzushio
