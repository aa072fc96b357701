#include "stages/stats.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <mutex>

#include "base/parallel.h"
#include "stages/count_paragraphs.h"
#include "stages/stats_internal.h"

namespace uzushio {
namespace {

// Texts of Parquet and compressed files are about so many times their size.
constexpr int64_t kCompression = 6;

nlohmann::json ToJson(const NearDuplicateCounts& counts) {
  return {{"distinct_paragraphs", counts.paragraphs},
          {"distinct_text_bytes", counts.text_bytes},
          {"bucket_entries", counts.buckets_entries},
          {"candidate_pairs", counts.candidates},
          {"near_pairs", counts.near},
          {"groups", counts.groups},
          {"largest_group", counts.largest}};
}

// The bytes of counted paragraphs in the inputs, roughly: their texts, and a third for what is kept of each.
int64_t EstimateCounted(const std::vector<InputFile>& inputs) {
  int64_t bytes = 0;
  for (const InputFile& input : inputs) {
    const bool plain = input.name.ends_with(".txt") || input.name.ends_with(".json") || input.name.ends_with(".jsonl");
    bytes += input.size * (plain ? 1 : kCompression);
  }
  return bytes / 3 * 4;
}

}  // namespace

ParagraphStore::ParagraphStore(const MergeConfig& config)
    : budget(PlanStatistics(config.memory, config.threads).partitions),
      space(config.tmp),
      resources{config.threads, PlanStatistics(config.memory, config.threads), &budget, &space},
      partitioning(PartitionBits(EstimateCounted(config.inputs), resources.memory)),
      paragraphs(partitioning.count(), &budget, &space),
      buffer_bytes(resources.buffer_bytes(partitioning.count(), 1)) {}

arrow::Status CheckMemory(const MergeConfig& config) {
  const int64_t bytes = EstimateCounted(config.inputs);
  const auto most = [&](int64_t memory) { return MostCountedBytes(PlanStatistics(memory, config.threads)); };
  if (bytes <= most(config.memory)) return arrow::Status::OK();
  int64_t least = config.memory;
  while (most(least) < bytes) least += int64_t{64} << 20;
  return arrow::Status::Invalid("--memory ", config.memory >> 20, "MiB: the inputs hold about ", bytes >> 30,
                                "GiB of paragraphs, for which ", least >> 20,
                                "MiB are needed at least; or count parts of them, and merge");
}

double NearDuplicateShare(std::string_view step, size_t done, size_t all) {
  constexpr std::array<std::string_view, 6> kSteps = {"signatures", "candidates",  "comparisons",
                                                      "groups",     "frequencies", "writing"};
  const auto place = static_cast<double>(std::ranges::find(kSteps, step) - kSteps.begin());
  return (place + static_cast<double>(done) / static_cast<double>(all)) / static_cast<double>(kSteps.size());
}

nlohmann::json InputNames(const std::vector<InputFile>& inputs) {
  nlohmann::json names = nlohmann::json::array();
  for (const InputFile& input : inputs) names.push_back({{"name", input.name}, {"bytes", input.size}});
  return names;
}

nlohmann::json Configuration(const NearDuplicateOptions& options, const StatisticsOutputOptions& files) {
  nlohmann::json json = {{"candidates", options.candidates == CandidateMethod::kSimHash ? "simhash" : "buckets"},
                         {"groups", options.groups == GroupMethod::kComponents ? "components" : "pivot"},
                         {"intermediate", files.intermediate},
                         {"debug", files.debug},
                         {"pairs", !files.pairs.empty()}};
  if (options.candidates == CandidateMethod::kSimHash) {
    json["rotations"] = options.rotations;
    json["window"] = options.window;
  }
  return json;
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

arrow::Result<StatsResult> FindAndCommit(const MergeConfig& config, ParagraphStore* store, const nlohmann::json& counts,
                                         StatisticsOutput* output, const StatsProgressCallback& on_progress) {
  output->set_resources(store->resources);
  const auto on_step = [&](const char* step, size_t done, size_t all) {
    if (on_progress) on_progress({step, kReadingShare + (1 - kReadingShare) * NearDuplicateShare(step, done, all)});
  };
  ARROW_ASSIGN_OR_RAISE(const NearDuplicateCounts found,
                        FindNearDuplicates(&store->paragraphs, store->partitioning, config.near_duplicates,
                                           store->resources, output, on_step));
  StatsResult result;
  result.counts = ToJson(found);
  result.counts.update(counts);
  ARROW_RETURN_NOT_OK(output->Commit(result.counts));
  result.counts["rows"] = output->rows_written();
  result.counts["index_entries"] = output->index_entries();
  result.spilled_bytes = store->space.bytes_written();
  return result;
}

// --- stats ---

namespace {

arrow::Result<CountedDocuments> CountParagraphs(const StatsConfig& config, const std::vector<TextPiece>& pieces,
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
  // Quarantined records of a piece have a file of their own, so that their order does not depend on the threads.
  std::atomic<int64_t> bytes_done = 0;
  int64_t bytes_total = 1;
  for (const TextPiece& piece : pieces) bytes_total += piece.bytes;
  ARROW_RETURN_NOT_OK(ParallelFor(config.threads, pieces.size(), [&](int thread, size_t i) -> arrow::Status {
    DocumentCounter& counter = *counters[static_cast<size_t>(thread)];
    QuarantineWriter quarantine(work, "piece-" + std::to_string(i));
    ARROW_RETURN_NOT_OK(ReadTexts(
        pieces[i], reader, [&counter](std::string_view text) { return counter.Add(text); },
        [&](const QuarantinedRecord& record) {
          counter.counts().quarantined.Add(record.reason);
          return quarantine.Append(record);
        },
        &counter.counts().cuts));
    bytes_done += pieces[i].bytes;
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
  return sum;
}

}  // namespace

arrow::Result<StatsResult> RunStats(const StatsConfig& config, const StatsProgressCallback& on_progress) {
  nlohmann::json configuration = Configuration(config.near_duplicates, config.files);
  configuration["text_column"] = config.reader.column;
  configuration["max_document_bytes"] = config.limits.max_bytes;
  configuration["max_paragraphs"] = config.limits.max_paragraphs;
  ARROW_ASSIGN_OR_RAISE(const auto pieces, FindTextPieces(config.inputs, config.reader));
  const nlohmann::json run = {{"stage", "stats"},
                              {"version", UZUSHIO_VERSION},
                              {"inputs", InputNames(config.inputs)},
                              {"configuration", configuration}};
  ARROW_ASSIGN_OR_RAISE(const auto output, StatisticsOutput::Open(config.output, run, config.files, config.overwrite));
  if (output->done()) return DoneBefore(*output);
  ARROW_RETURN_NOT_OK(CheckMemory(config));
  ARROW_RETURN_NOT_OK(CheckDatasets(config.inputs, config.allow_incomplete, config.threads));

  ParagraphStore store(config);
  ARROW_ASSIGN_OR_RAISE(const CountedDocuments read,
                        CountParagraphs(config, pieces, output->work(), &store, on_progress));
  return FindAndCommit(config, &store,
                       {{"documents", read.documents},
                        {"documents_left_out", read.left_out},
                        {"paragraphs", read.paragraphs},
                        {"text_bytes", read.text_bytes},
                        {"cuts_in_plain_text", read.cuts},
                        {"quarantined", read.quarantined.counts()}},
                       output.get(), on_progress);
}

}  // namespace uzushio
