#include "stages/stats/run.h"

#include "datasets/dataset.h"
#include "datasets/dataset_check.h"
#include "statistics/options.h"
#include "statistics/output.h"

namespace uzushio {

namespace {

Options<StatisticsOutputOptions> FilesOptions() {
  return Options<StatisticsOutputOptions>()
      .Flag("intermediate", &StatisticsOutputOptions::intermediate,
            "Keep all texts, and paragraphs that occur once, so that merging is exact")
      .InShortHelp()
      .Flag("debug", &StatisticsOutputOptions::debug,
            "Write the groups with their texts as JSON Lines, the most frequent first")
      .Path("pairs", &StatisticsOutputOptions::pairs, "DIR", "Write every pair of near-duplicates to this folder")
      .InShortHelp()
      .Identity("pairs", [](const StatisticsOutputOptions& files) { return !files.pairs.empty(); });
}

arrow::Result<StatsResult> DoneBefore(const StatisticsOutput& output) {
  StatsResult result;
  result.was_done = true;
  ARROW_ASSIGN_OR_RAISE(result.counts, output.Counts());
  for (const auto& [name, count] : result.counts.items()) {
    if (name == "quarantined" ? !count.is_object() : !count.is_number()) {
      return arrow::Status::Invalid("damaged counts of an earlier run: ", name, " is ", count.type_name());
    }
  }
  return result;
}

// `counts` are those of the reading.
arrow::Result<StatsResult> FindAndCommit(const MergeConfig& config, ParagraphStore* store, const nlohmann::json& counts,
                                         StatisticsOutput* output, const TextForms& forms,
                                         const StatsProgressCallback& on_progress) {
  output->set_resources(store->resources);
  const auto on_search = [&](const SearchProgress& search) {
    if (on_progress) on_progress({NameOf(search.step), kReadingShare + (1 - kReadingShare) * search.share()});
  };
  ARROW_ASSIGN_OR_RAISE(const NearDuplicateCounts found,
                        FindNearDuplicates(&store->paragraphs, store->partitioning, config.near_duplicates,
                                           store->resources, output, on_search));
  StatsResult result;
  result.counts = ToJson(found);
  result.counts.update(counts);
  ARROW_RETURN_NOT_OK(CheckUnchanged(config.inputs));
  ARROW_RETURN_NOT_OK(output->Commit(result.counts, forms));
  result.counts["rows"] = output->rows_written();
  result.counts["index_entries"] = output->index_entries();
  result.spilled_bytes = store->space.bytes_written();
  return result;
}

}  // namespace

const Options<MergeConfig>& DeclaredMerge() {
  static const Options<MergeConfig> options =
      Options<MergeConfig>()
          .With(DeclaredOutputFolder())
          .Required()
          .With(FilesOptions(), &MergeConfig::files)
          .With(DeclaredNearDuplicateOptions(), &MergeConfig::near_duplicates)
          .Integer("single-task-pairs", &MergeConfig::single_task_pairs, 1, kAny,
                   "Maximum number of near-duplicate pairs that one task groups (default: by its memory)")
          .Frontends(kOnSpark)
          .NotInIdentity()
          .With(DeclaredTmp())
          .With(DeclaredAllowIncomplete());
  return options;
}

const Options<StatsConfig>& DeclaredStats() {
  static const auto options = Options<StatsConfig>()
                                  .Text("text-column", Within(&StatsConfig::reader, &TextReaderOptions::column), "NAME",
                                        "Column or key of the texts")
                                  .With(DeclaredDocumentLimits(), &StatsConfig::limits)
                                  .With(DeclaredMerge());
  return options;
}

arrow::Result<StatsResult> CountAndFind(const MergeConfig& config, const nlohmann::json& run,
                                        const CountParagraphs& count, const StatsProgressCallback& on_progress) {
  ARROW_ASSIGN_OR_RAISE(const auto output,
                        StatisticsOutput::Open(config.output, run, config.files, config.overwrite, config.tmp));
  if (output->done()) return DoneBefore(*output);
  const int64_t counted_bytes = EstimateCountedBytes(config.inputs);
  ARROW_RETURN_NOT_OK(CheckMemory(counted_bytes, config.memory, config.threads));
  TextForms forms;
  ARROW_RETURN_NOT_OK(CheckDatasets(config.inputs, config.allow_incomplete, config.threads, &forms));

  ParagraphStore store(counted_bytes, config.tmp, config.threads, PlanStatistics(config.memory, config.threads));
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json counts, count(output->work(), &store));
  return FindAndCommit(config, &store, counts, output.get(), forms, on_progress);
}

}  // namespace uzushio
