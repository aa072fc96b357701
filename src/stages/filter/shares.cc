#include "stages/filter/shares.h"

#include <arrow/array.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "base/json.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "datasets/dataset.h"
#include "datasets/dataset_check.h"
#include "datasets/metric_columns.h"
#include "datasets/output_files.h"
#include "datasets/parquet_file.h"
#include "filters/filter.h"
#include "storage/output_folder.h"

namespace uzushio {
namespace {

// The order of doubles as that of whole numbers; both zeros are one.
uint64_t KeyOf(double value) {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  const auto bits = std::bit_cast<uint64_t>(value == 0 ? 0.0 : value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}
double ValueOf(uint64_t key) {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  return std::bit_cast<double>((key & kSign) != 0 ? key & ~kSign : ~key);
}

// The column of a table that a share is of, and the one of weights; -1: each document weighs 1.
struct Columns {
  int values = -1;
  int weights = -1;
  auto operator<=>(const Columns&) const = default;
};

// A row group of one of the files.
struct TableGroup {
  const InputFile* file;
  std::shared_ptr<parquet::FileMetaData> metadata;
  int group;
};

// Calls `use(value, weight)` for the rows of a row group.
template <typename Use>
arrow::Status ForEachRow(const TableGroup& from, const Columns& columns, Use use) {
  RowGroupOptions options;
  options.columns = {columns.values};
  if (columns.weights >= 0) options.columns.push_back(columns.weights);
  options.batch_rows = int64_t{1} << 16;
  return ReadRowGroup(*from.file, from.metadata, from.group, options,
                      [&](const arrow::RecordBatch& batch) -> arrow::Status {
                        const arrow::Array* weights = nullptr;
                        const arrow::DoubleArray* values = nullptr;
                        // In the order in which they are asked for, wherever they stand in the file.
                        if (batch.num_columns() > 0 && batch.column(0)->type_id() == arrow::Type::DOUBLE) {
                          values = static_cast<const arrow::DoubleArray*>(batch.column(0).get());
                        }
                        if (batch.num_columns() > 1) weights = batch.column(1).get();
                        if (values == nullptr || (columns.weights >= 0) != (weights != nullptr)) {
                          return arrow::Status::Invalid("is not what its run has written; compute the metrics anew");
                        }
                        for (int64_t row = 0; row < batch.num_rows(); ++row) {
                          if (values->IsNull(row) || std::isnan(values->Value(row))) continue;
                          int64_t weight = 1;
                          if (weights != nullptr && weights->type_id() == arrow::Type::INT64) {
                            weight = static_cast<const arrow::Int64Array*>(weights)->Value(row);
                          } else if (weights != nullptr && weights->type_id() == arrow::Type::DOUBLE) {
                            weight = std::llround(static_cast<const arrow::DoubleArray*>(weights)->Value(row));
                          }
                          if (weight < 0) return arrow::Status::Invalid("a size is below 0; compute the metrics anew");
                          ARROW_RETURN_NOT_OK(use(values->Value(row), weight));
                        }
                        return arrow::Status::OK();
                      });
}

// Of a column with more edges, so many are looked for at a time: 10 MiB a thread.
constexpr size_t kEdgesAtOnce = 20;

// Finds the edges of shares (filters/wanted_edges.h) of one column by a radix selection: each pass counts what the
// documents weigh by the next 16 bits of their keys, for those keys that agree with an edge in the bits before. Sums
// are whole numbers, so that their order does not matter. For n rows: 4 n steps, and 512 KiB for each edge and thread.
class EdgeSearch {
 public:
  explicit EdgeSearch(std::span<const int64_t> shares) {
    edges_.reserve(shares.size());
    for (const int64_t share : shares) edges_.push_back({.share = share});
  }

  arrow::Status Run(const std::vector<TableGroup>& groups, const Columns& columns, int threads) {
    for (int pass = 0; pass < kPasses; ++pass) {
      ARROW_RETURN_NOT_OK(Count(groups, columns, threads, pass));
      Narrow();
    }
    return arrow::Status::OK();
  }
  // Whether no row has both, a value and a weight.
  bool is_weightless() const { return total_ == 0; }
  std::vector<double> edges() const {
    std::vector<double> values;
    values.reserve(edges_.size());
    // Without any weight there is no edge. None is needed where there is no document.
    for (const Edge& edge : edges_) values.push_back(total_ == 0 ? 0 : ValueOf(edge.prefix));
    return values;
  }

 private:
  static constexpr int kBits = 16;
  static constexpr int kPasses = 64 / kBits;
  static constexpr size_t kBins = size_t{1} << kBits;
  struct Edge {
    int64_t share = 0;
    uint64_t prefix = 0;  // the bits of the key that are known, those of the passes so far
    int64_t below = 0;    // what documents with lower bits weigh
  };
  using Bins = std::map<uint64_t, std::vector<int64_t>>;  // by prefix

  arrow::Status Count(const std::vector<TableGroup>& groups, const Columns& columns, int threads, int pass) {
    const int shift = 64 - kBits * (pass + 1);
    Bins empty;
    for (const Edge& edge : edges_) empty[edge.prefix].resize(kBins);
    std::vector<Bins> of_threads(static_cast<size_t>(threads));
    std::vector<int64_t> totals(of_threads.size());
    ARROW_RETURN_NOT_OK(ParallelFor(threads, groups.size(), [&](int thread, size_t group) -> arrow::Status {
      Bins& bins = of_threads[static_cast<size_t>(thread)];
      if (bins.empty()) bins = empty;
      int64_t& total = totals[static_cast<size_t>(thread)];
      auto last = bins.begin();
      const arrow::Status read = ForEachRow(groups[group], columns, [&](double value, int64_t weight) -> arrow::Status {
        const uint64_t key = KeyOf(value);
        if (__builtin_add_overflow(total, weight, &total)) return arrow::Status::Invalid("sizes are too large to add");
        const uint64_t prefix = pass == 0 ? 0 : key >> (shift + kBits);
        if (last->first != prefix) {
          const auto found = bins.find(prefix);
          if (found == bins.end()) return arrow::Status::OK();
          last = found;
        }
        last->second[(key >> shift) & (kBins - 1)] += weight;
        return arrow::Status::OK();
      });
      return NamingFile(*groups[group].file, read, arrow::Status::OK());
    }));
    bins_ = std::move(empty);
    total_ = 0;
    for (size_t thread = 0; thread < of_threads.size(); ++thread) {
      if (__builtin_add_overflow(total_, totals[thread], &total_)) {
        return arrow::Status::Invalid("sizes are too large to add");
      }
      for (const auto& [prefix, counts] : of_threads[thread]) {
        std::vector<int64_t>& sums = bins_[prefix];
        for (size_t i = 0; i < kBins; ++i) sums[i] += counts[i];
      }
    }
    return arrow::Status::OK();
  }

  // Whether documents of this weight in all are more than the share.
  bool IsMore(int64_t weight, int64_t share) const {
    return Uint128{static_cast<uint64_t>(weight)} * static_cast<uint64_t>(kWholeShare) >
           Uint128{static_cast<uint64_t>(total_)} * static_cast<uint64_t>(share);
  }
  void Narrow() {
    for (Edge& edge : edges_) {
      const std::vector<int64_t>& counts = bins_.at(edge.prefix);
      size_t bin = 0;
      while (bin + 1 < kBins && !IsMore(edge.below + counts[bin], edge.share)) edge.below += counts[bin++];
      edge.prefix = (edge.prefix << kBits) | bin;
    }
  }

  std::vector<Edge> edges_;
  Bins bins_;
  int64_t total_ = 0;
};

// The column of what documents weigh. Tokens are those of the chain's own filter where it has one.
arrow::Result<int> WeightColumn(const MetricsFolder& table, const FilterChain& chain, const std::string& by,
                                const parquet::FileMetaData& file) {
  if (by == kByDocuments) return -1;
  if (by == kByCharacters) {
    const int place = PlaceInParquet(file, kSizeColumns[0]);
    if (place < 0) return table.Refuse("there is no column of characters; compute the metrics anew");
    return place;
  }
  constexpr std::string_view kTokens = "Tokens";
  std::set<size_t> own;
  for (const FilterChain::Step& step : chain.steps()) {
    if (step.name() == kTokens) own.insert(step.column);
  }
  if (own.size() > 1) return table.Refuse("shares by tokens: the chain has several filters Tokens");
  if (!own.empty()) {
    const int place = table.PlaceOf(chain.column_identity(*own.begin()));
    if (place >= 0) return place;
    return table.Refuse("shares by tokens: there is no ", chain.columns()[*own.begin()], " after the same filters of ",
                        "paragraphs; compute the metrics of this configuration");
  }
  int found = -1;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const nlohmann::json& name = MemberOf(table.columns[i], "name");
    const std::string text = name.is_string() ? name.get<std::string>() : "";
    if (text.substr(0, text.find_first_of("(#")) != kTokens) continue;
    if (found >= 0) return table.Refuse("shares by tokens: there are several columns of tokens");
    found = static_cast<int>(i) + 1;
  }
  if (found >= 0) return found;
  return table.Refuse("shares by tokens: there is no column Tokens; the chain of `uzushio metrics` needs that filter");
}

}  // namespace

arrow::Result<MetricsFolder> MetricsFolder::Open(const std::string& folder, const nlohmann::json& inputs,
                                                 const nlohmann::json& statistics, const std::string& text_column,
                                                 const std::string& id_column) {
  MetricsFolder table;
  const auto output = OutputFiles::Find(folder);
  if (!output.ok()) return output.status().WithMessage("--metrics ", output.status().message());
  table.name = output->name();
  const auto mark = output->Mark();
  if (!mark.ok()) return table.Refuse("no output of uzushio metrics");
  const nlohmann::json& run = MemberOf(*mark, "run");
  if (MemberOf(run, "stage") != "metrics") return table.Refuse("no output of uzushio metrics");
  if (MemberOf(run, "inputs") != inputs) return table.Refuse("these are metrics of other inputs");
  const nlohmann::json& configuration = MemberOf(run, "configuration");
  if (MemberOf(configuration, "statistics") != statistics) {
    return table.Refuse("these metrics were computed with other --stats");
  }
  const nlohmann::json& measured = MemberOf(configuration, "text_column");
  if (measured.is_string() && measured != text_column) {
    return table.Refuse("these are metrics of the texts in column '", measured.get<std::string>(), "', and those of '",
                        text_column, "' are wanted; give the same --text-column");
  }
  const nlohmann::json& ids = MemberOf(configuration, "id_column");
  if (ids.is_string() && ids != id_column) {
    return table.Refuse("the ids of its documents are those in column '", ids.get<std::string>(), "', and those of '",
                        id_column, "' are wanted; give the same --id-column");
  }
  table.columns = MemberOf(configuration, "columns");
  if (!table.columns.is_array()) {
    return table.Refuse("its mark does not say what the columns are; compute the metrics anew");
  }
  ARROW_ASSIGN_OR_RAISE(OutputFiles::Named named, output->Find({kMetricsFile, kMetricsFile}, kParquetSuffixes));
  if (named.files.empty()) return table.Refuse("there is no ", kMetricsFile, " in it; compute the metrics anew");
  table.is_of_spark = named.is_folder;
  table.files = std::move(named.files);
  TextForms any;
  ARROW_RETURN_NOT_OK(CheckDatasets(table.files, false, 1, &any));
  return table;
}

int MetricsFolder::PlaceOf(const nlohmann::json& identity) const {
  const nlohmann::json noted = IdentityAsNoted(identity);
  int found = -1;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (MemberOf(columns[i], "identity") == noted) found = static_cast<int>(i) + 1;  // behind the ids
  }
  return found;
}

arrow::Result<std::shared_ptr<const FilterChain>> WithShares(const std::shared_ptr<const FilterChain>& chain,
                                                             const MetricsFolder& table, int threads) {
  const std::vector<size_t> places = chain->wanting_steps();
  if (places.empty()) return chain;
  std::vector<TableGroup> groups;
  std::shared_ptr<parquet::FileMetaData> first;
  for (const InputFile& file : table.files) {
    ARROW_ASSIGN_OR_RAISE(const auto metadata, ReadParquetMetadata(file));
    if (first == nullptr) first = metadata;
    for (int group = 0; group < metadata->num_row_groups(); ++group) groups.push_back({&file, metadata, group});
  }
  if (first == nullptr) return table.Refuse("there is no table");
  const bool has_rows = std::ranges::any_of(
      groups, [](const TableGroup& group) { return group.metadata->RowGroup(group.group)->num_rows() > 0; });
  // Shares of one column are found together, and each once.
  std::map<Columns, std::map<int64_t, double>> edges;
  std::map<Columns, std::string> weightless;  // what an error says where no row has a weight
  std::vector<std::vector<Columns>> of_steps;
  for (const size_t place : places) {
    const FilterChain::Step& step = chain->steps()[place];
    const WantedEdges wanted = *step.filter->wanted_edges();
    ARROW_ASSIGN_OR_RAISE(const int weights, WeightColumn(table, *chain, wanted.by, *first));
    std::vector<Columns>& columns = of_steps.emplace_back();
    for (const size_t source : step.sources) {
      const int values = table.PlaceOf(chain->column_identity(source));
      if (values < 0) {
        return table.Refuse("there is no ", chain->columns()[source], " after the same filters of paragraphs, which ",
                            step.name(), " needs; compute the metrics of this configuration");
      }
      columns.push_back({values, weights});
      weightless[columns.back()] = "no document has a value of " + chain->columns()[source] +
                                   (weights < 0 ? "" : " and any " + wanted.by) + "; there is no share of them that " +
                                   step.name() + " could keep";
      for (const int64_t share : wanted.shares) edges[columns.back()].emplace(share, 0);
    }
  }
  for (auto& [columns, of_shares] : edges) {
    std::vector<int64_t> shares;
    shares.reserve(of_shares.size());
    for (const auto& [share, edge] : of_shares) shares.push_back(share);
    for (size_t begin = 0; begin < shares.size(); begin += kEdgesAtOnce) {
      const size_t count = std::min(kEdgesAtOnce, shares.size() - begin);
      const std::span<const int64_t> part = std::span(shares).subspan(begin, count);
      EdgeSearch search(part);
      ARROW_RETURN_NOT_OK(search.Run(groups, columns, threads));
      if (has_rows && search.is_weightless()) return table.Refuse(weightless[columns]);
      const std::vector<double> found = search.edges();
      for (size_t i = 0; i < count; ++i) of_shares[part[i]] = found[i];
    }
  }
  ARROW_RETURN_NOT_OK(CheckUnchanged(table.files));
  std::map<size_t, nlohmann::json> parameters;
  for (size_t i = 0; i < places.size(); ++i) {
    const Filter& filter = *chain->steps()[places[i]].filter;
    const WantedEdges wanted = *filter.wanted_edges();
    std::vector<std::vector<double>> values;
    for (const Columns& columns : of_steps[i]) {
      std::vector<double>& of_source = values.emplace_back();
      of_source.reserve(wanted.shares.size());
      for (const int64_t share : wanted.shares) of_source.push_back(edges[columns][share]);
    }
    parameters[places[i]] = filter.WithEdges(values);
  }
  ARROW_ASSIGN_OR_RAISE(auto resolved, chain->With(parameters));
  return std::shared_ptr<const FilterChain>(std::move(resolved));
}

}  // namespace uzushio
