// What a filter is: a metric and a decision. One file each declares its name, parameters, metric and code.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/memory_plan.h"
#include "document/host.h"
#include "filters/filter_document.h"
#include "filters/removal_rule.h"
#include "lm/language_model.h"
#include "lm/tokenizer.h"
#include "quality/text_quality.h"

namespace uzushio {

class RepeatMarks;

// Buffers of one thread that filters work in.
struct FilterScratch {
  std::string text;
  std::u32string points;
  std::string compressed;
  std::vector<uint32_t> numbers;
  std::vector<uint32_t> counts;
  std::vector<double> metrics;
  LmScratch lm;
  Tokenizers tokenizers;
  TextQuality quality;
  Location location;
  HostParts hosts;
  RepeatMarks* repeats = nullptr;
  // A document is not cut into more elements: `too_many` of them would have been made.
  size_t most_elements = std::numeric_limits<size_t>::max();
  size_t too_many = 0;
  arrow::Status failure;  // why the document cannot be measured
};

// The error of a document that a filter could not measure, if there is one; forgets it.
arrow::Status TakeFailure(const FilterDocument& document, FilterScratch* scratch);

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

  // What the files of its parameters hold, for filters that know it: equal contents, equal texts.
  virtual std::string Contents() const { return {}; }
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
  // Whether it looks at the document's URL.
  virtual bool needs_url() const { return false; }
  // Whether Change compares elements of all documents; FilterScratch::repeats says with what result.
  virtual bool compares_documents() const { return false; }
  // What DecideAll goes by, as data; of a filter that changes paragraphs, nothing.
  virtual RemovalRule Rule() const { return {}; }
  // Whether the decision depends on the document's random number, too.
  bool is_random() const { return Rule().sampling.has_value(); }
  // The bound that the metric was held against, for a reader: "< 0.1"; where nothing else is said, that of the rule.
  virtual std::string Bound(size_t reason) const;
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

// --- declarations ---

using ParameterValue = std::variant<int64_t, double, std::string, std::vector<std::string>>;

struct FilterParameter {
  std::string name;
  enum class Type { kInt, kFloat, kText, kTexts } type = Type::kInt;
  std::optional<ParameterValue> default_value;  // none: required
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices;  // of texts
  std::string meaning;
  bool may_be_empty = false;  // of a list
};

struct DeclaredMetric {
  std::string name;
  std::string meaning;
};

struct FilterDeclaration {
  std::string name;
  std::string kind;  // documents, paragraphs, rewrites
  std::string summary;
  std::string metric;  // its name, or that of all of them
  std::string metric_meaning;
  std::vector<DeclaredMetric> metrics;  // one, or several
  std::vector<FilterParameter> parameters;
  bool bounded = false;  // has `low` and `high`, of which low must not be above high
  // One value for each parameter, checked.
  std::function<arrow::Result<std::unique_ptr<Filter>>(const std::vector<ParameterValue>&)> make;
};

// Bounds may be so many times above what a metric can be: configurations say `high: 2.0` of a ratio to have no bound.
inline constexpr double kBoundsSlack = 100;

// Declares filter F, whose parameters are members with their defaults. F may have `arrow::Status Prepare()`, which is
// called when they are set.
template <typename F>
class Declare {
 public:
  Declare(std::string name, std::string kind, std::string summary) {
    declaration_.name = std::move(name);
    declaration_.kind = std::move(kind);
    declaration_.summary = std::move(summary);
  }
  Declare& Metric(std::string name, std::string meaning) {
    declaration_.metrics = {{name, meaning}};
    declaration_.metric = std::move(name);
    declaration_.metric_meaning = std::move(meaning);
    return *this;
  }
  // After Metric, of a filter of several.
  Declare& Metrics(std::vector<DeclaredMetric> metrics) {
    declaration_.metrics = std::move(metrics);
    return *this;
  }
  template <typename Of, typename Member>
  Declare& Int(const std::string& name, Member Of::* member, int64_t least, int64_t most, const std::string& meaning) {
    return Add({.name = name,
                .type = FilterParameter::Type::kInt,
                .default_value = static_cast<int64_t>(F().*member),
                .least = static_cast<double>(least),
                .most = static_cast<double>(most),
                .choices = {},
                .meaning = meaning},
               [member](F* filter, const ParameterValue& value) {
                 filter->*member = static_cast<Member>(std::get<int64_t>(value));
               });
  }
  template <typename Of, typename Member>
  Declare& Float(const std::string& name, Member Of::* member, double least, double most, const std::string& meaning) {
    return Add({.name = name,
                .type = FilterParameter::Type::kFloat,
                .default_value = static_cast<double>(F().*member),
                .least = least,
                .most = most,
                .choices = {},
                .meaning = meaning},
               [member](F* filter, const ParameterValue& value) {
                 filter->*member = static_cast<Member>(std::get<double>(value));
               });
  }
  // The parameters `low` and `high`, of members of these names, for a metric between `least` and `most`. A `low` above
  // `most`, or above `high`, would remove every document and is refused; a `high` above `most` removes none.
  template <typename Number>
  Declare& Bounds(Number least, Number most) {
    declaration_.bounded = true;
    if constexpr (std::is_integral_v<Number>) {
      Int("low", &F::low, least, most, "documents below are removed");
      return Int("high", &F::high, least, most, "documents above are removed");
    } else {
      Float("low", &F::low, least, most, "documents below are removed");
      return Float("high", &F::high, least, most * kBoundsSlack, "documents above are removed");
    }
  }
  Declare& Text(const std::string& name, std::string F::* member, const std::string& meaning,
                const std::vector<std::string>& choices = {}) {
    std::optional<ParameterValue> standard;
    if (!(F().*member).empty()) standard = F().*member;
    return Add({.name = name,
                .type = FilterParameter::Type::kText,
                .default_value = std::move(standard),
                .choices = choices,
                .meaning = meaning},
               [member](F* filter, const ParameterValue& value) { filter->*member = std::get<std::string>(value); });
  }
  // Yes or no.
  Declare& Flag(const std::string& name, bool F::* member, const std::string& meaning) {
    return Add(
        {.name = name,
         .type = FilterParameter::Type::kText,
         .default_value = F().*member ? "true" : "false",
         .choices = {"false", "true"},
         .meaning = meaning},
        [member](F* filter, const ParameterValue& value) { filter->*member = std::get<std::string>(value) == "true"; });
  }
  // The same as Text, which may be empty.
  Declare& OptionalText(const std::string& name, std::string F::* member, const std::string& meaning) {
    Text(name, member, meaning);
    declaration_.parameters.back().default_value = F().*member;
    return *this;
  }
  // Several texts: a list, or one text.
  Declare& Texts(const std::string& name, std::vector<std::string> F::* member, const std::string& meaning) {
    std::optional<ParameterValue> standard;
    if (!(F().*member).empty()) standard = F().*member;
    return AddTexts(name, member, standard, meaning);
  }
  // The same, of which there may be none.
  Declare& OptionalTexts(const std::string& name, std::vector<std::string> F::* member, const std::string& meaning) {
    AddTexts(name, member, F().*member, meaning);
    declaration_.parameters.back().may_be_empty = true;
    return *this;
  }
  FilterDeclaration Done() {
    declaration_.make =
        [setters = setters_](const std::vector<ParameterValue>& values) -> arrow::Result<std::unique_ptr<Filter>> {
      auto filter = std::make_unique<F>();
      for (size_t i = 0; i < setters.size(); ++i) setters[i](filter.get(), values[i]);
      if constexpr (requires { filter->Prepare(); }) ARROW_RETURN_NOT_OK(filter->Prepare());
      return filter;
    };
    return std::move(declaration_);
  }

 private:
  using Setter = std::function<void(F*, const ParameterValue&)>;
  Declare& AddTexts(const std::string& name, std::vector<std::string> F::* member,
                    const std::optional<ParameterValue>& standard, const std::string& meaning) {
    return Add({.name = name,
                .type = FilterParameter::Type::kTexts,
                .default_value = standard,
                .choices = {},
                .meaning = meaning},
               [member](F* filter, const ParameterValue& value) {
                 filter->*member = std::get<std::vector<std::string>>(value);
               });
  }
  Declare& Add(FilterParameter parameter, Setter setter) {
    declaration_.parameters.push_back(std::move(parameter));
    setters_.push_back(std::move(setter));
    return *this;
  }
  FilterDeclaration declaration_;
  std::vector<Setter> setters_;
};

}  // namespace uzushio
