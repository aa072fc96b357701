#include "filters/host_statistics.h"

#include <arrow/array.h>
#include <parquet/metadata.h>
#include <xxhash.h>

#include <algorithm>

#include "base/hash_state.h"
#include "base/text_hash.h"
#include "datasets/columns.h"
#include "datasets/dataset_check.h"
#include "datasets/output_files.h"
#include "datasets/parquet_file.h"
#include "document/host.h"
#include "storage/inputs.h"

namespace uzushio {
namespace {

constexpr const char* kHow = "make it with uzushio hosts";

arrow::Result<std::shared_ptr<arrow::DoubleArray>> Doubles(const arrow::RecordBatch& batch, const std::string& name) {
  const auto column = batch.GetColumnByName(name);
  if (column == nullptr || column->type_id() != arrow::Type::DOUBLE || column->null_count() > 0) {
    return arrow::Status::Invalid("column '", name, "' does not hold numbers; ", kHow);
  }
  return std::static_pointer_cast<arrow::DoubleArray>(column);
}

// The places of columns in a file. Errors: one lacks.
arrow::Result<std::vector<int>> PlacesIn(const parquet::FileMetaData& metadata, bool with_ng) {
  std::vector<int> places;
  for (const char* name : {"host", "documents", "removed"}) {
    places.push_back(PlaceInParquet(metadata, name));
    if (places.back() < 0) return arrow::Status::Invalid("there is no column '", name, "'; ", kHow);
  }
  if (!with_ng) return places;
  places.push_back(PlaceInParquet(metadata, kMeanOfNgWords));
  if (places.back() >= 0) return places;
  return arrow::Status::Invalid(
      "there is no column '", kMeanOfNgWords,
      "', which `ng` is held against; give uzushio hosts a chain with NgWordRatio, or `ng: 1`, "
      "which removes nothing");
}

}  // namespace

arrow::Result<std::shared_ptr<const HostStatistics>> HostStatistics::Read(const std::string& folder,
                                                                          const HostThresholds& thresholds) {
  const bool with_ng = thresholds.ng < 1;
  const auto output = OutputFiles::Find(folder);
  if (!output.ok()) return output.status().WithMessage("statistics ", output.status().message());
  ARROW_ASSIGN_OR_RAISE(const OutputFiles::Named named, output->Find({kHostsFile, kHostsFile}, {}));
  if (named.files.empty() || named.is_folder) {
    return arrow::Status::Invalid("statistics ", output->name(), ": there is no ", kHostsFile, " in it; ", kHow);
  }
  const InputFile& file = named.files.front();
  TextForms any;
  ARROW_RETURN_NOT_OK(CheckDatasets({file}, false, 1, &any));
  ARROW_ASSIGN_OR_RAISE(const auto metadata, ReadParquetMetadata(file));
  std::shared_ptr<HostStatistics> statistics(new HostStatistics());
  const auto take = [&](const arrow::RecordBatch& batch) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const auto hosts, TextColumn(batch, "host"));
    ARROW_ASSIGN_OR_RAISE(const auto documents, IntegerColumn(batch, "documents"));
    ARROW_ASSIGN_OR_RAISE(const auto removed, Doubles(batch, "removed"));
    std::shared_ptr<arrow::DoubleArray> ng;
    if (with_ng) {
      ARROW_ASSIGN_OR_RAISE(ng, Doubles(batch, kMeanOfNgWords));
    }
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      const Shares shares = {removed->Value(row), ng == nullptr ? 0 : ng->Value(row)};
      const bool is_bad = shares.removed > thresholds.removed || (with_ng && shares.ng > thresholds.ng);
      const std::string_view host = hosts->GetView(row);
      if (!is_bad || host.empty() || documents->Value(row) < thresholds.least_documents) continue;
      Location location;
      if (!location.Parse("http://" + std::string(host)) || location.host != host)
        return arrow::Status::Invalid("'", host, "' is no host");
      location.path.clear();
      statistics->entries_.push_back({HostKey(location), TextHash()(host), shares});
    }
    return arrow::Status::OK();
  };
  const auto read = [&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const auto places, PlacesIn(*metadata, with_ng));
    for (int group = 0; group < metadata->num_row_groups(); ++group) {
      ARROW_RETURN_NOT_OK(ReadRowGroup(file, metadata, group, {.columns = places, .memory = {}}, take));
    }
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(NamingFile(file, read(), arrow::Status::OK()));
  std::ranges::stable_sort(statistics->entries_, {}, &Entry::key);
  const Xxh3State state = NewXxh3State();
  for (const Entry& entry : statistics->entries_) {
    XXH3_64bits_update(state.get(), &entry.key, sizeof entry.key);
    XXH3_64bits_update(state.get(), &entry.shares, sizeof entry.shares);
  }
  statistics->checksum_ = XXH3_64bits_digest(state.get());
  // Hosts with equal keys can be made: they are told apart by hashes of this process, which are no part of the
  // checksum.
  std::ranges::stable_sort(statistics->entries_, {}, &Entry::Place);
  return statistics;
}

const HostStatistics::Shares* HostStatistics::Find(uint64_t key, std::string_view host) const {
  const auto place = std::pair(key, uint64_t{TextHash()(host)});
  const auto found = std::ranges::lower_bound(entries_, place, {}, &Entry::Place);
  return found == entries_.end() || found->Place() != place ? nullptr : &found->shares;
}

}  // namespace uzushio
