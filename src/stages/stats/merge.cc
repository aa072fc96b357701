#include <arrow/record_batch.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <atomic>

#include "base/parallel.h"
#include "datasets/dataset_check.h"
#include "datasets/parquet_file.h"
#include "stages/stats/run.h"
#include "stages/stats/stats.h"
#include "statistics/counting.h"

namespace uzushio {
namespace {

constexpr int64_t kBatchRows = 4096;

arrow::Status ReadSplit(const Split& split, const ReaderMemory& memory, ParagraphCounter* counter) {
  return ReadRowGroup(*split.file, split.metadata, split.row_group,
                      {.columns = {}, .batch_rows = kBatchRows, .memory = memory},
                      [&](const arrow::RecordBatch& batch) { return CountStatistics(batch, counter); });
}

arrow::Result<nlohmann::json> CountStatisticsOf(const MergeConfig& config, const std::vector<Split>& splits,
                                                ParagraphStore* store, const StatsProgressCallback& on_progress) {
  std::vector<std::unique_ptr<ParagraphCounter>> counters;
  counters.reserve(static_cast<size_t>(config.threads));
  for (int i = 0; i < config.threads; ++i) {
    counters.push_back(
        std::make_unique<ParagraphCounter>(&store->paragraphs, store->partitioning, store->buffer_bytes));
  }
  const ReaderMemory memory = PlanStatistics(config.memory, config.threads).reader;
  std::atomic<size_t> done = 0;
  ARROW_RETURN_NOT_OK(ParallelFor(config.threads, splits.size(), [&](int thread, size_t i) -> arrow::Status {
    const arrow::Status status = ReadSplit(splits[i], memory, counters[static_cast<size_t>(thread)].get());
    const size_t finished = ++done;
    if (thread == 0 && on_progress) {
      on_progress({"reading", kReadingShare * static_cast<double>(finished) / static_cast<double>(splits.size())});
    }
    return status.ok() ? status : status.WithMessage(splits[i].file->name, ": ", status.message());
  }));
  for (const auto& counter : counters) ARROW_RETURN_NOT_OK(counter->Finish());
  return nlohmann::json{{"inputs", config.inputs.size()}};
}

}  // namespace

arrow::Result<StatsResult> RunMerge(const MergeConfig& config, const StatsProgressCallback& on_progress) {
  ARROW_ASSIGN_OR_RAISE(const auto splits, FindStatistics(config.inputs));
  // The order of the inputs makes no difference.
  std::vector<InputFile> inputs = config.inputs;
  std::ranges::sort(inputs, {}, &InputFile::name);
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json configuration, DeclaredMerge().IdentityOf(config));
  const nlohmann::json run = IdentityOfRun("merge", inputs, configuration);
  const auto count = [&](const std::filesystem::path& /*work*/, ParagraphStore* store) {
    return CountStatisticsOf(config, splits, store, on_progress);
  };
  return CountAndFind(config, run, count, on_progress);
}

}  // namespace uzushio
