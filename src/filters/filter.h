// What a filter is: a metric and a decision. One file each declares its name, parameters, metric and code
// (filters/declaration.h).
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_plan.h"
#include "filters/filter_document.h"
#include "filters/filter_scratch.h"
#include "filters/removal_rule.h"
#include "filters/wanted_edges.h"

namespace uzushio {

// Filters are shared by threads: they do not change. A filter has one metric, or several: as many as its declaration
// names.
class Filter {
 public:
  virtual ~Filter() = default;

  // The metrics of the document, from the paragraphs that are not removed. For a filter of paragraphs: the share of the
  // document's code points that it would remove.
  virtual void MeasureAll(const FilterDocument& document, FilterScratch* scratch, std::span<double> metrics) const = 0;
  // What else the metrics depend on than their names: equal keys, equal metrics.
  virtual std::string MetricKey() const { return {}; }

  // Metrics of earlier filters of the chain that this one goes by, as FilterChain::FindColumn takes names. Its own
  // metrics are then those that Combine makes of them.
  virtual std::vector<std::string> Sources() const { return {}; }
  virtual void Combine(std::span<const double> /*sources*/, std::span<double> /*metrics*/) const {}
  // Whether it has no column of its own: its one metric is that of its first source, or cannot be told yet.
  virtual bool shares_column() const { return false; }
  // The values of Sources() that it needs to know before it can decide, from a table of metrics; none once it does.
  virtual std::optional<WantedEdges> wanted_edges() const { return std::nullopt; }
  // Its parameters with these values, in order of the sources and shares.
  virtual nlohmann::json WithEdges(const std::vector<std::vector<double>>& edges) const;

  // What the files of its parameters hold: equal contents, equal texts. Runs are told apart by it. Where the filter
  // does not say it, the checksums of their bytes, as its declaration finds them.
  virtual std::string Contents() const { return contents_of_files_; }
  // What it takes besides what stages have for documents.
  virtual FixedMemory memory() const { return {}; }

  // Whether Change does anything.
  virtual bool changes_paragraphs() const { return false; }
  // Marks paragraphs as removed by `place`, or rewrites them.
  virtual void Change(FilterDocument* /*document*/, int /*place*/, FilterScratch* /*scratch*/) const {}

  // The reasons for which a document or paragraph is removed, as names for folders.
  virtual std::vector<std::string> Reasons() const { return {}; }
  // Which of them removes a document of these metrics.
  virtual std::optional<size_t> DecideAll(std::span<const double> /*metrics*/,
                                          const FilterDocument& /*document*/) const {
    return std::nullopt;
  }
  // Which metric a reason looks at.
  virtual size_t MetricOf(size_t /*reason*/) const { return 0; }
  // What of the document was removed for, where a reason alone does not say it; for a reader, and empty where it does.
  virtual std::string Detail(size_t /*reason*/, const FilterDocument& /*document*/) const { return {}; }
  // Whether it looks at what the document has in this column, which has to be there.
  virtual bool looks_at(KnownColumn /*column*/) const { return false; }
  // What to write for it not to look there, for errors; empty where there is nothing else that it could do.
  virtual std::string WithoutColumn(KnownColumn /*column*/) const { return {}; }
  // What is odd of its parameters or of the files that they name, and no error; or empty.
  virtual std::string Warning() const { return {}; }
  // Whether Change compares elements of all documents; FilterScratch::repeats says with what result.
  virtual bool compares_documents() const { return false; }
  // What DecideAll goes by, as data; of a filter that changes paragraphs, nothing.
  virtual RemovalRule Rule() const { return {}; }
  // Whether the decision depends on the document's random number, too.
  bool is_random() const { return Rule().sampling.has_value(); }
  // The bound that the metric was held against, for a reader: "< 0.1"; where nothing else is said, that of the rule.
  virtual std::string Bound(size_t reason) const;

 private:
  friend class DeclarationBuilder;
  std::string contents_of_files_;
};

// A filter of one metric.
class MetricFilter : public Filter {
 public:
  virtual double Measure(const FilterDocument& document, FilterScratch* scratch) const = 0;
  virtual std::optional<size_t> Decide(double /*metric*/, const FilterDocument& /*document*/) const {
    return std::nullopt;
  }
  void MeasureAll(const FilterDocument& document, FilterScratch* scratch, std::span<double> metrics) const final {
    metrics[0] = Measure(document, scratch);
  }
  std::optional<size_t> DecideAll(std::span<const double> metrics, const FilterDocument& document) const final {
    return Decide(metrics[0], document);
  }
};

// Marks paragraphs.
class ParagraphFilter : public MetricFilter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* scratch) const override;
  bool changes_paragraphs() const override { return true; }
};

// Rewrites paragraphs. The metric counts those that it changes.
class RewritingFilter : public MetricFilter {
 public:
  bool changes_paragraphs() const override { return true; }
};

// Removes documents whose metric is below `low` or above `high`; compared as 32-bit numbers, as in the original.
class BoundedFilter : public MetricFilter {
 public:
  std::vector<std::string> Reasons() const override;
  std::optional<size_t> Decide(double metric, const FilterDocument& document) const override;
  RemovalRule Rule() const override;
  float low = 0;
  float high = 1;

 protected:
  // The name in the reasons; those are `Name.Low(x)` and `Name.High(x)`.
  virtual std::string ReasonName() const = 0;
};

// Removes documents at random: one of metric m stays with the probability expected / m.
class SampledFilter : public MetricFilter {
 public:
  std::optional<size_t> Decide(double metric, const FilterDocument& document) const override;
  RemovalRule Rule() const override;
  std::string Bound(size_t reason) const override;
  double expected = 1;
};

// A number as Java writes it, for reasons that are named as the original names them: 0.1, 1.0, 1.0E7.
std::string JavaNumber(float value);
std::string JavaNumber(double value);

// numerator / denominator, or 0 for nothing.
inline double Ratio(double numerator, double denominator) { return denominator == 0 ? 0 : numerator / denominator; }

// The mean of a value of the paragraphs that are not removed, by their length. `weigh(paragraph, length)` is the value
// times the length, so that the order of multiplications is the filter's.
template <typename Weigh>
double MeanByLength(const FilterDocument& document, Weigh weigh) {
  double sum = 0;
  double length = 0;
  document.ForEachAlive([&](const FilterParagraph& paragraph) {
    const auto points = static_cast<double>(CodePoints(paragraph.plain));
    sum += weigh(paragraph, points);
    length += points;
  });
  return Ratio(sum, length);
}

}  // namespace uzushio
