#include "stages/stats/stats.h"

#include <atomic>
#include <filesystem>

#include "base/parallel.h"
#include "datasets/dataset_check.h"
#include "stages/stats/run.h"
#include "statistics/counting.h"

namespace uzushio {
namespace {

arrow::Result<nlohmann::json> CountDocuments(const StatsConfig& config, const std::vector<Split>& splits,
                                             const std::filesystem::path& work, ParagraphStore* store,
                                             const StatsProgressCallback& on_progress) {
  std::vector<std::unique_ptr<DocumentCounter>> counters;
  counters.reserve(static_cast<size_t>(config.threads));
  for (int i = 0; i < config.threads; ++i) {
    counters.push_back(
        std::make_unique<DocumentCounter>(config.limits, &store->paragraphs, store->partitioning, store->buffer_bytes));
  }
  TextReaderOptions reader = config.reader;
  reader.memory = PlanStatistics(config.memory, config.threads).reader;
  // Quarantined records of a split have a file of their own, so that their order does not depend on the threads.
  std::atomic<int64_t> bytes_done = 0;
  int64_t bytes_total = 1;
  for (const Split& split : splits) bytes_total += split.bytes;
  ARROW_RETURN_NOT_OK(ParallelFor(config.threads, splits.size(), [&](int thread, size_t i) -> arrow::Status {
    DocumentCounter& counter = *counters[static_cast<size_t>(thread)];
    QuarantineWriter quarantine(work, "piece-" + std::to_string(i));
    ARROW_RETURN_NOT_OK(ReadTexts(
        splits[i], reader, [&counter](std::string_view text) { return counter.Add(text); },
        [&](const QuarantinedRecord& record) {
          counter.counts().quarantined.Add(record.reason);
          return quarantine.Append(record);
        },
        &counter.counts().cuts));
    bytes_done += splits[i].bytes;
    if (thread == 0 && on_progress) {
      on_progress({"reading", kReadingShare * static_cast<double>(bytes_done) / static_cast<double>(bytes_total)});
    }
    return quarantine.Finish();
  }));
  CountedDocuments sum;
  for (const auto& counter : counters) {
    ARROW_RETURN_NOT_OK(counter->Finish());
    sum.Add(counter->counts());
  }
  return nlohmann::json{{"documents", sum.documents},     {"documents_left_out", sum.left_out},
                        {"paragraphs", sum.paragraphs},   {"text_bytes", sum.text_bytes},
                        {"cuts_in_plain_text", sum.cuts}, {"quarantined", sum.quarantined.counts()}};
}

}  // namespace

arrow::Result<StatsResult> RunStats(const StatsConfig& config, const StatsProgressCallback& on_progress) {
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json configuration, DeclaredStats().IdentityOf(config));
  ARROW_ASSIGN_OR_RAISE(const auto splits, FindTextSplits(config.inputs, config.reader));
  const nlohmann::json run = IdentityOfRun("stats", config.inputs, configuration);
  const auto count = [&](const std::filesystem::path& work, ParagraphStore* store) {
    return CountDocuments(config, splits, work, store, on_progress);
  };
  return CountAndFind(config, run, count, on_progress);
}

}  // namespace uzushio
