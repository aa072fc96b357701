// The folder that `stats` and `merge` write.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "datasets/table_writer.h"
#include "datasets/text_form.h"
#include "statistics/folder.h"
#include "statistics/frequency_index.h"
#include "statistics/search.h"
#include "storage/output_folder.h"

namespace uzushio {

struct StatisticsOutputOptions {
  bool intermediate = false;  // keep paragraphs seen once, and the texts
  bool debug = false;         // write the groups
  std::string pairs;          // a folder for pairs, or empty
};

// Writes statistics, index, and what else is asked for.
class StatisticsOutput final : public NearDuplicateSink {
 public:
  // Opens the output folders, as OutputFolder::Open. Errors: the statistics are done, and the pairs are not where they
  // are asked for.
  static arrow::Result<std::unique_ptr<StatisticsOutput>> Open(const std::string& path, const nlohmann::json& run,
                                                               const StatisticsOutputOptions& options, bool overwrite,
                                                               const std::string& tmp);
  ~StatisticsOutput() override;

  bool done() const { return folder_->done(); }
  arrow::Result<nlohmann::json> Counts() const { return folder_->Counts(); }
  const std::filesystem::path& work() const { return folder_->work(); }

  // What sorting the groups may use; before Start.
  void set_resources(const NearDuplicateResources& resources) { resources_ = resources; }
  arrow::Status Start() override;
  bool wants_texts() const override { return options_.intermediate || options_.debug; }
  arrow::Status Row(const StatisticsRow& row, const ParagraphHead& paragraph, std::string_view text) override;
  bool wants_pairs() const override { return pairs_folder_ != nullptr; }
  arrow::Status Pair(int64_t first, int64_t second) override;
  // Completes the files and commits them with these counts, and the form of the texts.
  arrow::Status Commit(nlohmann::json counts, const TextForms& forms);

  int64_t rows_written() const { return statistics_->rows(); }
  int64_t index_entries() const { return index_->entries(); }

 private:
  class GroupsFile;
  StatisticsOutput() = default;

  StatisticsOutputOptions options_;
  NearDuplicateResources resources_;
  std::unique_ptr<OutputFolder> folder_;
  std::unique_ptr<OutputFolder> pairs_folder_;
  std::unique_ptr<TableWriter> statistics_;
  std::unique_ptr<TableWriter> intermediate_;
  std::unique_ptr<TableWriter> pairs_;
  std::unique_ptr<FrequencyIndexWriter> index_;
  std::unique_ptr<GroupsFile> groups_;
};

}  // namespace uzushio
