#include <arrow/array.h>
#include <arrow/filesystem/localfs.h>
#include <arrow/record_batch.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <filesystem>

#include "base/parallel.h"
#include "io/parquet_file.h"
#include "stages/stats.h"
#include "stages/stats_internal.h"

namespace uzushio {
namespace {

constexpr int64_t kBatchRows = 4096;

// A row group of one of the inputs.
struct StatisticsPiece {
  const InputFile* file = nullptr;
  std::shared_ptr<parquet::FileMetaData> metadata;
  int row_group = 0;
  bool intermediate = false;
};

bool IsIntermediate(const InputFile& file) { return file.name.ends_with(kIntermediateFile); }

arrow::Result<std::vector<StatisticsPiece>> FindPieces(const std::vector<InputFile>& inputs) {
  std::vector<StatisticsPiece> pieces;
  for (const InputFile& file : inputs) {
    ARROW_ASSIGN_OR_RAISE(const auto metadata, ReadParquetMetadata(file));
    const auto schema = IsIntermediate(file) ? IntermediateSchema() : StatisticsSchema();
    for (const auto& field : schema->fields()) {
      if (metadata->schema()->ColumnIndex(field->name()) < 0) {
        return arrow::Status::Invalid(file.name, ": these are no statistics: there is no column '", field->name(), "'");
      }
    }
    for (int i = 0; i < metadata->num_row_groups(); ++i) pieces.push_back({&file, metadata, i, IsIntermediate(file)});
  }
  return pieces;
}

// A column of a batch as 64-bit numbers.
arrow::Result<std::vector<int64_t>> Numbers(const arrow::RecordBatch& batch, const std::string& name) {
  const auto column = batch.GetColumnByName(name);
  std::vector<int64_t> numbers(static_cast<size_t>(column->length()));
  if (column->null_count() > 0) return arrow::Status::Invalid("column '", name, "' has nulls");
  if (column->type_id() == arrow::Type::INT64) {
    const auto& values = static_cast<const arrow::Int64Array&>(*column);
    std::copy_n(values.raw_values(), numbers.size(), numbers.begin());
  } else if (column->type_id() == arrow::Type::INT32) {
    const auto& values = static_cast<const arrow::Int32Array&>(*column);
    std::copy_n(values.raw_values(), numbers.size(), numbers.begin());
  } else {
    return arrow::Status::Invalid("column '", name, "' is of type ", column->type()->ToString(),
                                  ", not int32 or int64");
  }
  return numbers;
}

arrow::Status AddBatch(const arrow::RecordBatch& batch, bool intermediate, ParagraphCounter* counter) {
  ARROW_ASSIGN_OR_RAISE(const auto hashes, Numbers(batch, "hash"));
  ARROW_ASSIGN_OR_RAISE(const auto given, Numbers(batch, intermediate ? "givenReprHash" : "reprHash"));
  ARROW_ASSIGN_OR_RAISE(const auto counts, Numbers(batch, "exactFreq"));
  std::shared_ptr<arrow::Array> texts;
  if (intermediate) {
    texts = batch.GetColumnByName("text");
    if (texts->type_id() != arrow::Type::STRING) return arrow::Status::Invalid("column 'text' holds no texts");
  }
  for (size_t i = 0; i < hashes.size(); ++i) {
    if (counts[i] < 0) return arrow::Status::Invalid("column 'exactFreq' has a negative number");
    const std::string_view text =
        intermediate ? static_cast<const arrow::StringArray&>(*texts).GetView(static_cast<int64_t>(i)) : "";
    const auto count = static_cast<uint32_t>(std::min<int64_t>(counts[i], UINT32_MAX));
    ARROW_RETURN_NOT_OK(counter->Add(hashes[i], text, count, std::min(given[i], hashes[i])));
  }
  return arrow::Status::OK();
}

arrow::Status ReadPiece(const StatisticsPiece& piece, ParagraphCounter* counter) {
  return ReadRowGroup(*piece.file, piece.metadata, piece.row_group, {}, kBatchRows,
                      [&](const arrow::RecordBatch& batch) { return AddBatch(batch, piece.intermediate, counter); });
}

arrow::Status ReadStatistics(const MergeConfig& config, const std::vector<StatisticsPiece>& pieces,
                             ParagraphStore* store, const StatsProgressCallback& on_progress) {
  std::vector<std::unique_ptr<ParagraphCounter>> counters;
  counters.reserve(static_cast<size_t>(config.threads));
  for (int i = 0; i < config.threads; ++i) {
    counters.push_back(
        std::make_unique<ParagraphCounter>(&store->paragraphs, store->partitioning, store->buffer_bytes));
  }
  std::atomic<size_t> done = 0;
  ARROW_RETURN_NOT_OK(ParallelFor(config.threads, pieces.size(), [&](int thread, size_t i) -> arrow::Status {
    const arrow::Status status = ReadPiece(pieces[i], counters[static_cast<size_t>(thread)].get());
    const size_t finished = ++done;
    if (thread == 0 && on_progress) {
      on_progress({"reading", kReadingShare * static_cast<double>(finished) / static_cast<double>(pieces.size())});
    }
    return status.ok() ? status : status.WithMessage(pieces[i].file->name, ": ", status.message());
  }));
  for (const auto& counter : counters) ARROW_RETURN_NOT_OK(counter->Finish());
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<std::vector<InputFile>> ResolveStatistics(const std::vector<std::string>& arguments) {
  std::vector<std::string> resolved;
  for (const std::string& argument : arguments) {
    const std::filesystem::path intermediate = std::filesystem::path(argument) / kIntermediateFile;
    const bool found = argument.find("://") == std::string::npos && std::filesystem::exists(intermediate);
    resolved.push_back(found ? intermediate.string() : argument);
  }
  return ResolveInputs(resolved, {".parquet"});
}

arrow::Result<StatsResult> RunMerge(const MergeConfig& config, const StatsProgressCallback& on_progress) {
  ARROW_ASSIGN_OR_RAISE(const auto pieces, FindPieces(config.inputs));
  // The order of the inputs makes no difference.
  std::vector<InputFile> inputs = config.inputs;
  std::ranges::sort(inputs, {}, &InputFile::name);
  const nlohmann::json run = {{"stage", "merge"},
                              {"version", UZUSHIO_VERSION},
                              {"inputs", InputNames(inputs)},
                              {"configuration", Configuration(config.near_duplicates, config.files)}};
  ARROW_ASSIGN_OR_RAISE(const auto output, StatisticsOutput::Open(config.output, run, config.files, config.overwrite));
  if (output->done()) return DoneBefore(*output);
  ARROW_RETURN_NOT_OK(CheckDatasets(config.inputs, config.allow_incomplete, config.threads));

  ParagraphStore store(config);
  ARROW_RETURN_NOT_OK(ReadStatistics(config, pieces, &store, on_progress));
  return FindAndCommit(config, &store, {{"inputs", config.inputs.size()}}, output.get(), on_progress);
}

}  // namespace uzushio
