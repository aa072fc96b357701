// The folder of statistics as others find it: its files, their columns, what the frequency index has of them.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "datasets/split.h"
#include "statistics/frequency_index.h"
#include "storage/inputs.h"
#include "storage/output_names.h"

namespace uzushio {

inline constexpr const char* kStatisticsFile = "statistics.parquet";
// What merging needs beside the statistics.
inline constexpr OutputName kIntermediateFile = {".uzushio/intermediate/paragraphs.pq",
                                                 "_intermediate/paragraphs.parquet"};
inline constexpr OutputName kGroupsFile = {".uzushio/groups.jsonl.gz", "_groups.jsonl.gz"};
inline constexpr const char* kPairsFile = "pairs.parquet";

std::shared_ptr<arrow::Schema> StatisticsSchema();
std::shared_ptr<arrow::Schema> IntermediateSchema();
// A column of intermediate statistics that may lack.
inline constexpr const char* kGivenNearFreq = "givenNearFreq";

// The column `givenNearFreq` of intermediate statistics: how often a paragraph and its near-duplicates occur, as far as
// inputs without texts told.
int32_t GivenNearFreq(uint32_t count, uint32_t given_near);

// A count of a column, as far as 32 bits have it.
int32_t FrequencyOf(int64_t count);

// The entries that the index has for rows of statistics, in the rows' order. Errors: columns are missing, or of other
// types.
arrow::Status ForEachEntry(const arrow::RecordBatch& statistics,
                           const std::function<arrow::Status(const FrequencyEntry&)>& use);

// Errors: these are no columns of statistics; of intermediate ones.
arrow::Status CheckStatistics(const arrow::Schema& schema, bool intermediate);
// Whether there is a column `givenReprHash`, as intermediate statistics have.
bool IsIntermediate(const arrow::Schema& schema);

// The inputs of a merge: for a folder with intermediate statistics those, else its Parquet files.
arrow::Result<std::vector<InputFile>> ResolveStatistics(const std::vector<std::string>& arguments);

// The index of a folder of statistics; null for an empty name. Of one on a store, a copy in `tmp` (datasets/
// output_files.h) is mapped, which is gone from there when this returns.
arrow::Result<std::shared_ptr<FrequencyIndex>> OpenStatistics(const std::string& statistics,
                                                              const std::string& tmp = "");

// The statistics that a run used, for its identity: the index's checksum; null without an index.
nlohmann::json StatisticsIdentity(const FrequencyIndex* index);

// The splits of files of statistics. Errors name the file: no Parquet, or other columns.
arrow::Result<std::vector<Split>> FindStatistics(const std::vector<InputFile>& inputs);

}  // namespace uzushio
