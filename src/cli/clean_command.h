// What `uzushio clean` does, for engines that read and write by themselves.
#pragma once

#include <arrow/result.h>

#include <memory>
#include <string>

#include "base/options.h"
#include "datasets/row_reader.h"
#include "datasets/shard_writer.h"
#include "filters/chain.h"
#include "stages/filter/kernel.h"

namespace uzushio {

struct FilterConfig;

// What is done to documents: the options, and the configuration where they say nothing.
struct CleanPlan {
  std::shared_ptr<const FilterChain> chain;
  RowFormats input;
  FilterKernelOptions kernel;
  ShardFormat format = ShardFormat::kText;
  std::string output_column;
  std::string output_delimiter;
};

// Reads the configuration.
arrow::Result<CleanPlan> PlanClean(const OptionTexts& given);

// Has the stage `filter` do so.
void SetPlan(CleanPlan plan, FilterConfig* config);

}  // namespace uzushio
