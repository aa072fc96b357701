#include "stages/report/metric_spread.h"

#include <arrow/builder.h>
#include <arrow/compute/initialize.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <set>

#include "base/ordered.h"
#include "base/parallel.h"
#include "filters/metric_names.h"
#include "stages/report/quantile_sketch.h"

namespace uzushio {
namespace {

constexpr float kGreatest = std::numeric_limits<float>::max();
// Quantiles are found at each thousandth; a page gets the hundredths, and edges at five thousandths, or at fewer.
constexpr size_t kRanks = 1000;
constexpr size_t kPartsOfPage = 100;
constexpr size_t kMostPartsOfEdges = 200;

// Infinite metrics, and those that 32 bits do not hold, are as great as these do.
double Bounded(double value) { return std::clamp<double>(value, -kGreatest, kGreatest); }

std::vector<double> Ranks() {
  std::vector<double> ranks;
  for (size_t i = 0; i <= kRanks; ++i) ranks.push_back(static_cast<double>(i) / kRanks);
  return ranks;
}

// A column of a part of the table.
struct ColumnSums {
  QuantileSketch sketch;
  double sum = 0;
  int64_t nan = 0;

  arrow::Status Add(const arrow::DoubleArray& values) {
    arrow::DoubleBuilder bounded;
    ARROW_RETURN_NOT_OK(bounded.Reserve(values.length()));
    for (int64_t i = 0; i < values.length(); ++i) {
      const double value = values.Value(i);
      bounded.UnsafeAppend(Bounded(value));
      nan += std::isnan(value) ? 1 : 0;
      if (!std::isnan(value)) sum += Bounded(value);
    }
    ARROW_ASSIGN_OR_RAISE(const auto array, bounded.Finish());
    return sketch.Add(static_cast<const arrow::DoubleArray&>(*array));
  }
  arrow::Status Merge(ColumnSums other) {
    sum += other.sum;
    nan += other.nan;
    return sketch.Merge(std::move(other.sketch));
  }
};

// What the first pass finds in a part of the table.
struct PartSums {
  std::vector<ColumnSums> columns;
  TextSizes total;
  DocumentSample sample;

  static arrow::Result<PartSums> Make(const MetricsTable& table, size_t sample) {
    PartSums sums = {.columns = {}, .total = {}, .sample = DocumentSample(table, sample)};
    const std::vector<double> ranks = Ranks();
    for (size_t i = 0; i < table.columns().size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(QuantileSketch sketch, QuantileSketch::Make(ranks));
      sums.columns.push_back({.sketch = std::move(sketch)});
    }
    return sums;
  }
  arrow::Status Add(const MetricRows& rows) {
    for (size_t i = 0; i < columns.size(); ++i) ARROW_RETURN_NOT_OK(columns[i].Add(*rows.metrics[i]));
    for (int64_t row = 0; row < rows.count; ++row) Add(rows.SizesOf(row));
    sample.Add(rows);
    return arrow::Status::OK();
  }
  void Add(const TextSizes& sizes) {
    total.characters += sizes.characters;
    total.bytes += sizes.bytes;
    total.kept_characters += sizes.kept_characters;
    total.kept_bytes += sizes.kept_bytes;
  }
  arrow::Status Merge(PartSums other) {
    for (size_t i = 0; i < columns.size(); ++i) ARROW_RETURN_NOT_OK(columns[i].Merge(std::move(other.columns[i])));
    Add(other.total);
    sample.Merge(std::move(other.sample));
    return arrow::Status::OK();
  }
  // Bytes, about: of digests with their buffers, and of documents.
  static int64_t Bytes(size_t columns, size_t sample) {
    constexpr int64_t kSketch = 48 << 10;
    const auto width = static_cast<int64_t>(columns);
    return width * kSketch +
           static_cast<int64_t>(sample) * (static_cast<int64_t>(sizeof(DocumentSample::Document)) + 4 * width);
  }
};

arrow::Result<PartSums> SumUp(const MetricsTable& table, size_t sample, int threads, const ReportPlan& plan,
                              const std::function<void(double)>& on_progress) {
  ARROW_ASSIGN_OR_RAISE(PartSums all, PartSums::Make(table, sample));
  std::atomic<uint64_t> bound = UINT64_MAX;  // of hashes that may still be in the sample
  OrderedResults<PartSums> results(plan.results, [&](PartSums part) {
    ARROW_RETURN_NOT_OK(all.Merge(std::move(part)));
    bound = all.sample.Bound();
    return arrow::Status::OK();
  });
  const int64_t bytes = PartSums::Bytes(table.columns().size(), sample);
  ARROW_RETURN_NOT_OK(
      OrderedFor(threads, table.splits(), &results, on_progress, [&](size_t, size_t split) -> arrow::Status {
        ARROW_ASSIGN_OR_RAISE(PartSums part, PartSums::Make(table, sample));
        part.sample.Lower(bound);
        ARROW_RETURN_NOT_OK(
            table.Read(split, true, plan.reader, [&part](const MetricRows& rows) { return part.Add(rows); }));
        return results.Add(split, std::move(part), bytes);
      }));
  return all;
}

// Documents, characters and bytes by bin, of a column.
class Bins {
 public:
  explicit Bins(const std::vector<float>& edges)
      : edges_(&edges), counts_(edges.empty() ? 0 : std::max<size_t>(edges.size() - 1, 1)) {}

  void Add(const MetricRows& rows, const arrow::DoubleArray& values) {
    if (counts_.empty()) return;
    for (int64_t row = 0; row < rows.count; ++row) {
      const double value = values.Value(row);
      if (std::isnan(value)) continue;
      const auto after = std::ranges::upper_bound(*edges_, static_cast<float>(Bounded(value))) - edges_->begin();
      const auto bin = std::clamp<std::ptrdiff_t>(after - 1, 0, static_cast<std::ptrdiff_t>(counts_.size()) - 1);
      std::array<int64_t, 3>& count = counts_[static_cast<size_t>(bin)];
      ++count[0];
      count[1] += rows.sizes[2]->Value(row);
      count[2] += rows.sizes[3]->Value(row);
    }
  }
  void Merge(const Bins& other) {
    for (size_t bin = 0; bin < counts_.size(); ++bin) {
      for (size_t i = 0; i < 3; ++i) counts_[bin][i] += other.counts_[bin][i];
    }
  }
  nlohmann::json Json(size_t unit) const {
    nlohmann::json json = nlohmann::json::array();
    for (const auto& count : counts_) json.push_back(count[unit]);
    return json;
  }

 private:
  const std::vector<float>* edges_;
  std::vector<std::array<int64_t, 3>> counts_;
};

arrow::Result<std::vector<Bins>> Count(const MetricsTable& table, const std::vector<std::vector<float>>& edges,
                                       int threads, const ReportPlan& plan,
                                       const std::function<void(double)>& on_progress) {
  const std::vector<Bins> none(edges.begin(), edges.end());
  std::vector<std::vector<Bins>> of_threads(static_cast<size_t>(threads), none);
  std::atomic<size_t> done = 0;
  ARROW_RETURN_NOT_OK(ParallelFor(threads, table.splits().size(), [&](int thread, size_t split) -> arrow::Status {
    std::vector<Bins>& bins = of_threads[static_cast<size_t>(thread)];
    ARROW_RETURN_NOT_OK(table.Read(split, false, plan.reader, [&bins](const MetricRows& rows) {
      for (size_t i = 0; i < bins.size(); ++i) bins[i].Add(rows, *rows.metrics[i]);
      return arrow::Status::OK();
    }));
    const size_t count = ++done;
    if (thread == 0) on_progress(static_cast<double>(count) / static_cast<double>(table.splits().size()));
    return arrow::Status::OK();
  }));
  std::vector<Bins> all = none;
  for (const std::vector<Bins>& bins : of_threads) {
    for (size_t i = 0; i < all.size(); ++i) all[i].Merge(bins[i]);
  }
  return all;
}

std::vector<Threshold> ThresholdsOf(const MetricsTable& table, size_t column) {
  std::vector<Threshold> thresholds;
  for (const StepRule& step : table.rules()) {
    std::ranges::copy_if(step.rule.thresholds, std::back_inserter(thresholds),
                         [column](const Threshold& one) { return one.metric == column; });
  }
  return thresholds;
}

// The hundredths.
nlohmann::json QuantilesJson(const std::vector<double>& quantiles) {
  nlohmann::json at = nlohmann::json::array();
  nlohmann::json values = nlohmann::json::array();
  for (size_t i = 0; i < quantiles.size(); i += kRanks / kPartsOfPage) {
    at.push_back(static_cast<double>(i) / kRanks);
    values.push_back(quantiles[i]);
  }
  return {{"at", at}, {"values", values}};
}

}  // namespace

std::vector<float> EdgesOf(const std::vector<double>& quantiles, const std::vector<Threshold>& thresholds,
                           size_t most_bins) {
  if (quantiles.empty()) return {};
  const auto least = static_cast<float>(quantiles.front());
  const auto greatest = static_cast<float>(quantiles.back());
  if (least == greatest) return {least, greatest};
  std::set<float> edges = {least, greatest};
  const auto add = [&](float edge) {
    if (edge > least && edge < greatest && edges.size() < most_bins) edges.insert(edge);
  };
  for (const Threshold& threshold : thresholds) {
    const auto bound = static_cast<float>(Bounded(threshold.number() - threshold.margin));
    add(bound);
    if (threshold.removes == Removes::kAbove) add(std::nextafterf(bound, kGreatest));
  }
  // Parts as many as there is room for, up to the greatest; a value that fills one gets a bin of its own.
  const size_t room = most_bins - std::min(most_bins, edges.size());
  const size_t parts = std::min(room + 1, kMostPartsOfEdges);
  const size_t step = (quantiles.size() + parts - 2) / parts;
  for (size_t i = step; i < quantiles.size(); i += step) {
    const auto edge = static_cast<float>(quantiles[i]);
    const bool is_frequent = edge == static_cast<float>(quantiles[i - step]);
    add(is_frequent ? std::nextafterf(edge, kGreatest) : edge);
  }
  std::vector<float> all(edges.begin(), edges.end());
  all.push_back(greatest);
  return all;
}

arrow::Result<MetricSpread> SpreadOf(const MetricsTable& table, size_t sample, size_t most_bins, int threads,
                                     int64_t memory, const std::function<void(double)>& on_progress) {
  ARROW_RETURN_NOT_OK(arrow::compute::Initialize());
  const ReportPlan plan = PlanReport(memory, threads);
  ARROW_ASSIGN_OR_RAISE(
      PartSums sums, SumUp(table, sample, threads, plan, [&on_progress](double share) { on_progress(share * 2 / 3); }));
  std::vector<std::vector<double>> quantiles;
  std::vector<std::vector<float>> edges;
  for (size_t i = 0; i < sums.columns.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(quantiles.emplace_back(), sums.columns[i].sketch.Values());
    edges.push_back(EdgesOf(quantiles.back(), ThresholdsOf(table, i), most_bins));
  }
  ARROW_ASSIGN_OR_RAISE(const std::vector<Bins> bins, Count(table, edges, threads, plan, [&on_progress](double share) {
                          on_progress((2 + share) / 3);
                        }));
  MetricSpread spread = {
      .total = sums.total, .columns = nlohmann::json::array(), .sums = {}, .sample = sums.sample.Take()};
  for (size_t i = 0; i < sums.columns.size(); ++i) {
    const std::string& name = table.columns()[i];
    spread.sums.push_back(sums.columns[i].sum);
    spread.columns.push_back({{"name", name},
                              {"meaning", HelpOfMetric(name)},
                              {"sum", sums.columns[i].sum},
                              {"nan", sums.columns[i].nan},
                              {"quantiles", QuantilesJson(quantiles[i])},
                              {"edges", edges[i]},
                              {"documents", bins[i].Json(0)},
                              {"characters", bins[i].Json(1)},
                              {"bytes", bins[i].Json(2)}});
  }
  return spread;
}

}  // namespace uzushio
