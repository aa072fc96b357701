#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compute/initialize.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <set>

#include "bindings/declare.h"
#include "bindings/interop.h"
#include "bindings/records.h"
#include "datasets/json_text.h"
#include "filters/chain.h"
#include "filters/chain_rules.h"
#include "filters/hocon.h"
#include "filters/list.h"
#include "filters/preset.h"
#include "stages/filter/filter.h"
#include "stages/filter/host_batches.h"
#include "stages/filter/kernel.h"
#include "stages/filter/metrics.h"
#include "stages/filter/metrics_chain.h"
#include "stages/filter/repeats.h"
#include "stages/filter/shares.h"
#include "statistics/counted_paragraphs.h"
#include "statistics/frequency_index.h"

namespace uzushio::python {
namespace {

using Chain = std::shared_ptr<FilterChain>;
using Index = std::shared_ptr<FrequencyIndex>;

// A column `value` of lines.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> JsonLines(const arrow::RecordBatch& batch) {
  arrow::StringBuilder lines;
  std::string line;
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    line.clear();
    ARROW_RETURN_NOT_OK(AppendJson(batch, row, &line));
    ARROW_RETURN_NOT_OK(lines.Append(line));
  }
  ARROW_ASSIGN_OR_RAISE(auto column, lines.Finish());
  const auto schema = arrow::schema({arrow::field("value", arrow::utf8(), false)});
  return arrow::RecordBatch::Make(schema, batch.num_rows(), {std::move(column)});
}

// A chain for documents that come one by one, unless it may compare them.
Chain ChainOf(arrow::Result<std::unique_ptr<FilterChain>> made, bool may_compare) {
  Chain chain = Value(std::move(made));
  if (!may_compare) Check(chain->CheckComparesNothing("this one gets them one by one"));
  return chain;
}

// A row for each element: the halves of its hash.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> HashesOfElements(FilterKernel* kernel,
                                                                    const arrow::RecordBatch& batch, size_t place) {
  arrow::Int64Builder high;
  arrow::Int64Builder low;
  ARROW_RETURN_NOT_OK(kernel->ForEachElement(batch, place, [&](std::string_view element) {
    const ElementHash hash = HashOfElement(element);
    ARROW_RETURN_NOT_OK(high.Append(static_cast<int64_t>(hash.high)));
    return low.Append(static_cast<int64_t>(hash.low));
  }));
  const int64_t rows = high.length();
  arrow::ArrayVector columns(2);
  ARROW_RETURN_NOT_OK(high.Finish(&columns[0]));
  ARROW_RETURN_NOT_OK(low.Finish(&columns[1]));
  const auto schema = arrow::schema({arrow::field("high", arrow::int64()), arrow::field("low", arrow::int64())});
  return arrow::RecordBatch::Make(schema, rows, std::move(columns));
}

// A kernel with what it works by. Not for several threads at once.

class KernelForPython {
 public:
  KernelForPython(Chain chain, Index index, const std::string& options)
      : chain_(std::move(chain)), index_(std::move(index)), options_(Options(Json(options))) {
    Check(arrow::compute::Initialize());
    kernel_ = std::make_unique<FilterKernel>(*chain_, index_.get(), options_);
    meter_ = std::make_unique<HostMeter>(*chain_, kernel_.get());
  }

  // The rows by folder, and the places of rows that are not UTF-8.
  nb::object Filter(nb::handle batch) {
    const auto taken = BatchOf(batch);
    std::vector<int64_t> bad;
    const auto filtered = Value(WithoutLock([&] {
      return kernel_->Filter(*taken, [&bad](int64_t row) {
        bad.push_back(row);
        return arrow::Status::OK();
      });
    }));
    nb::list folders;
    for (const FilteredRows& rows : filtered) folders.append(nb::make_tuple(rows.outcome, ToPython(rows.batch)));
    return nb::make_tuple(folders, bad);
  }

  nb::object Measure(nb::handle batch) {
    const auto taken = BatchOf(batch);
    return ToPython(Value(WithoutLock([&] { return MeasureBatch(*taken); })));
  }

  // The distinct hashes of the batch's paragraphs, as int64 by partition, and the places of rows that are not UTF-8.
  nb::object Hashes(nb::handle batch, int partition_bits) {
    const auto taken = BatchOf(batch);
    std::vector<int64_t> bad;
    const auto by_partition = Value(WithoutLock([&]() -> arrow::Result<std::vector<std::vector<int64_t>>> {
      ARROW_ASSIGN_OR_RAISE(const auto found, kernel_->Hashes(*taken, &bad));
      const HashPartitioning partitioning(partition_bits);
      std::vector<std::vector<int64_t>> parts(partitioning.count());
      for (const int64_t hash : std::set<int64_t>(found.begin(), found.end()))
        parts[partitioning(hash)].push_back(hash);
      return parts;
    }));
    return nb::make_tuple(ToPartitions(by_partition), bad);
  }

  // The hashes of the elements that come to the filter at a place of the chain.
  nb::object Elements(nb::handle batch, size_t place) {
    const auto taken = BatchOf(batch);
    return ToPython(Value(WithoutLock([&] { return HashesOfElements(kernel_.get(), *taken, place); })));
  }

  // Adds the documents of a batch to sums of hosts; the places of rows that are not UTF-8.
  std::vector<int64_t> SumHosts(nb::handle batch, HostSums& sums) {
    const auto taken = BatchOf(batch);
    std::vector<int64_t> bad;
    Check(WithoutLock([&] {
      return meter_->Measure(
          *taken, [&sums](std::string_view host, std::span<const NameSum> of_one) { return sums.Add(host, of_one); },
          [&bad](int64_t row) {
            bad.push_back(row);
            return arrow::Status::OK();
          });
    }));
    return bad;
  }
  // How many documents have been added to them, and how many of these have no host.
  std::pair<int64_t, int64_t> host_counts() const { return {meter_->documents(), meter_->without_host()}; }

  // What elements of the documents that come now repeat earlier ones: for places of the chain, batches of one column of
  // int64, as GivenRepeats takes them.
  void SetRepeats(const nb::dict& by_place) {
    std::map<size_t, std::span<const int64_t>> repeats;
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
    for (const auto& [place, batch] : by_place) {
      batches.push_back(BatchOf(batch));
      const auto& elements = static_cast<const arrow::Int64Array&>(*batches.back()->column(0));
      repeats[nb::cast<size_t>(place)] = {elements.raw_values(), static_cast<size_t>(elements.length())};
    }
    repeats_.emplace(repeats);
    batches_of_repeats_ = std::move(batches);
    kernel_->set_repeats(&*repeats_);
  }
  // After the last of these documents. Errors: they are others than those that were compared.
  void CheckRepeats() const {
    if (repeats_) Check(repeats_->Finish());
  }

  // Looks up another index from now on.
  void set_index(Index index) {
    index_ = std::move(index);
    kernel_->set_index(index_.get());
  }

  // What becomes of one text, as JSON: its paragraphs with what removed each, and what removed the whole. A text
  // without id is known by its hash.
  std::string FilterText(const std::string& text, const std::optional<std::string>& id,
                         const std::map<std::string, std::string>& known) {
    return Value(WithoutLock([&]() -> arrow::Result<std::string> {
      ARROW_RETURN_NOT_OK(chain_->CheckWantsNothing());
      arrow::StringBuilder texts;
      arrow::StringBuilder ids;
      ARROW_RETURN_NOT_OK(texts.Append(text));
      ARROW_RETURN_NOT_OK(id ? ids.Append(*id) : ids.AppendNull());
      arrow::ArrayVector columns(2);
      ARROW_RETURN_NOT_OK(texts.Finish(&columns[0]));
      ARROW_RETURN_NOT_OK(ids.Finish(&columns[1]));
      arrow::FieldVector fields = {arrow::field(options_.text_column, arrow::utf8()),
                                   arrow::field(options_.id_column, arrow::utf8())};
      for (const auto& [name, value] : known) {
        arrow::StringBuilder values;
        ARROW_RETURN_NOT_OK(values.Append(value));
        ARROW_RETURN_NOT_OK(values.Finish(&columns.emplace_back()));
        fields.push_back(arrow::field(name, arrow::utf8()));
      }
      const auto batch = arrow::RecordBatch::Make(arrow::schema(std::move(fields)), 1, std::move(columns));
      ARROW_ASSIGN_OR_RAISE(const auto documents, kernel_->Documents(*batch));
      FilterScratch scratch;
      const ChainOutcome outcome = chain_->Apply(&documents[0], &scratch);
      ARROW_RETURN_NOT_OK(TakeFailure(documents[0], &scratch));
      nlohmann::json json = {{"doc_id", documents[0].doc_id()}, {"paragraphs", nlohmann::json::array()}};
      if (outcome.removed_by != kAlive) {
        json["removed"] = Removal(outcome.removed_by, outcome.reason, outcome.metric);
        const auto& by = *chain_->steps()[static_cast<size_t>(outcome.removed_by)].filter;
        json["removed"]["detail"] = by.Detail(outcome.reason, documents[0]);
      }
      for (const FilterParagraph& paragraph : documents[0].paragraphs()) {
        json["paragraphs"].push_back(
            {{"path", paragraph.path}, {"marked", paragraph.marked}, {"score", paragraph.score}});
        if (paragraph.shown) json["paragraphs"].back()["structure"] = paragraph.structure;
        if (!paragraph.alive()) {
          json["paragraphs"].back()["removed"] = Removal(paragraph.removed_by, 0, paragraph.metric);
        }
      }
      return json.dump();
    }));
  }

  std::string totals() const {
    const FilterTotals& totals = kernel_->totals();
    nlohmann::json removed = nlohmann::json::array();
    for (const FilterCounts& counts : totals.removed) removed.push_back(ToJson(counts));
    return nlohmann::json({{"input", ToJson(totals.input)},
                           {"passed", ToJson(totals.passed)},
                           {"empty", ToJson(totals.empty)},
                           {"removed", removed}})
        .dump();
  }

 private:
  static FilterKernelOptions Options(const nlohmann::json& json) {
    FilterKernelOptions options;
    options.text_column = json.value("text_column", options.text_column);
    options.id_column = json.value("id_column", options.id_column);
    options.url_column = json.value("url_column", options.url_column);
    options.partitioned = json.value("partitioned", false);
    options.empty_rows = json.value("empty_rows", false);
    options.keep_markup = json.value("keep_markup", false);
    options.is_plain = json.value("is_plain", false);
    options.separator = json.value("separator", options.separator);
    return options;
  }

  nlohmann::json Removal(int step, size_t reason, double metric) const {
    const FilterChain::Step& by = chain_->steps()[static_cast<size_t>(step)];
    return {{"filter", by.name()},
            {"step", step},
            {"reason", by.reasons[reason]},
            {"metric", metric},
            {"bound", by.filter->Bound(reason)}};
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> MeasureBatch(const arrow::RecordBatch& batch) {
    MeasuredDocuments measured;
    ARROW_RETURN_NOT_OK(kernel_->Measure(batch, &measured));
    arrow::FieldVector fields = {arrow::field("docId", arrow::utf8(), false)};
    arrow::ArrayVector columns(1);
    arrow::StringBuilder id_builder;
    ARROW_RETURN_NOT_OK(id_builder.AppendValues(measured.ids));
    ARROW_RETURN_NOT_OK(id_builder.Finish(&columns[0]));
    const size_t rows = measured.ids.size();
    const size_t width = chain_->columns().size();
    for (size_t column = 0; column < width; ++column) {
      arrow::DoubleBuilder builder;
      for (size_t row = 0; row < rows; ++row) {
        ARROW_RETURN_NOT_OK(builder.Append(measured.metrics[row * width + column]));
      }
      fields.push_back(arrow::field(chain_->columns()[column], arrow::float64(), false));
      ARROW_RETURN_NOT_OK(builder.Finish(&columns.emplace_back()));
    }
    for (size_t column = 0; column < kSizeColumns.size(); ++column) {
      arrow::Int64Builder builder;
      for (const TextSizes& sizes : measured.sizes) ARROW_RETURN_NOT_OK(builder.Append(ValuesOf(sizes)[column]));
      fields.push_back(arrow::field(kSizeColumns[column], arrow::int64(), false));
      ARROW_RETURN_NOT_OK(builder.Finish(&columns.emplace_back()));
    }
    return arrow::RecordBatch::Make(arrow::schema(fields), static_cast<int64_t>(rows), std::move(columns));
  }

  Chain chain_;
  Index index_;
  FilterKernelOptions options_;
  std::unique_ptr<FilterKernel> kernel_;
  std::unique_ptr<HostMeter> meter_;
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches_of_repeats_;
  std::optional<GivenRepeats> repeats_;  // of these
};

nlohmann::json ToJson(const FilterParameter& parameter) {
  nlohmann::json json = {{"name", parameter.name}, {"help", parameter.help}, {"choices", parameter.choices}};
  json["type"] = parameter.type == FilterParameter::Type::kInt     ? "int"
                 : parameter.type == FilterParameter::Type::kFloat ? "float"
                 : parameter.type == FilterParameter::Type::kText  ? "str"
                                                                   : "list[str]";
  if (parameter.default_value)
    std::visit([&json](const auto& value) { json["default"] = value; }, *parameter.default_value);
  if (parameter.type == FilterParameter::Type::kInt || parameter.type == FilterParameter::Type::kFloat)
    json["range"] = {parameter.least, parameter.most};
  return json;
}

// What columns of metrics are held against: column, reason, and the bound for a reader.
std::vector<std::tuple<std::string, std::string, std::string>> Bounds(const FilterChain& chain) {
  std::vector<std::tuple<std::string, std::string, std::string>> bounds;
  for (const FilterChain::Step& step : chain.steps()) {
    for (size_t reason = 0; reason < step.reasons.size(); ++reason) {
      bounds.emplace_back(chain.columns()[step.column + step.filter->MetricOf(reason)], step.reasons[reason],
                          step.filter->Bound(reason));
    }
  }
  return bounds;
}

// The declarations of all filters, as JSON.
std::string Declarations() {
  nlohmann::json filters = nlohmann::json::array();
  for (const FilterDeclaration& filter : FilterDeclarations()) {
    nlohmann::json parameters = nlohmann::json::array();
    for (const FilterParameter& parameter : filter.parameters) parameters.push_back(ToJson(parameter));
    nlohmann::json metrics = nlohmann::json::array();
    for (const DeclaredMetric& metric : filter.metrics) metrics.push_back({metric.name, metric.help});
    filters.push_back({{"name", filter.name},
                       {"kind", filter.kind},
                       {"summary", filter.summary},
                       {"metric", filter.metric},
                       {"metric_meaning", filter.metric_help},
                       {"metrics", metrics},
                       {"parameters", parameters}});
  }
  return filters.dump();
}

}  // namespace

void DeclareFilters(nb::module_& module) {
  nb::class_<FilterChain>(module, "FilterChain")
      .def_static(
          "read",
          [](const std::filesystem::path& path, const std::map<std::string, std::string>& properties,
             bool may_compare) {
            auto chain = ChainOf(WithoutLock([&] { return FilterChain::Read(path, properties); }), may_compare);
            for (const std::string& warning : MissingIncludes(FindChainFile(path.string()).string())) {
              nb::module_::import_("warnings").attr("warn")(Text(warning), nb::handle(PyExc_RuntimeWarning), 3);
            }
            return chain;
          },
          nb::arg("path"), nb::arg("properties"), nb::arg("may_compare") = false)
      .def_static(
          "make",
          [](const std::string& filters, bool may_compare) {
            return ChainOf(WithoutLock([&] { return FilterChain::Make(Json(filters)); }), may_compare);
          },
          nb::arg("filters"), nb::arg("may_compare") = false)
      .def("comparing_steps", &FilterChain::comparing_steps)
      .def("contents", [](const FilterChain& self) { return self.Contents().dump(); })
      .def("to_json", [](const FilterChain& self) { return self.ToJson().dump(); })
      .def("columns", [](const FilterChain& self) { return self.columns(); })
      .def(
          "find_column",
          [](const FilterChain& self, const std::string& name) {
            const arrow::Result<size_t> found = self.FindColumn(name);
            if (found.ok()) return *found;
            Raise(found.status().WithMessage("--sorted-by ", name, ": ", found.status().message()));
          },
          nb::arg("name"))
      .def(
          "known_columns",
          [](const FilterChain& self) {
            std::vector<std::string> names;
            for (size_t i = 0; i < kKnownColumns.size(); ++i) {
              if (self.looks_at(static_cast<KnownColumn>(i))) names.emplace_back(kKnownColumns[i]);
            }
            return names;
          },
          "The columns, besides texts and ids, that its filters look at.")
      .def("check_wants_nothing", [](const FilterChain& self) { Check(self.CheckWantsNothing()); })
      .def(
          "with_shares",
          [](const Chain& self, const std::string& metrics, const std::string& inputs, const std::string& statistics,
             const std::string& text_column, const std::string& id_column, int threads) {
            return Value(WithoutLock([&]() -> arrow::Result<Chain> {
              ARROW_ASSIGN_OR_RAISE(
                  const MetricsFolder table,
                  MetricsFolder::Open(metrics, Json(inputs), Json(statistics), text_column, id_column));
              ARROW_ASSIGN_OR_RAISE(const auto chain, WithShares(self, table, threads));
              return std::const_pointer_cast<FilterChain>(chain);
            }));
          },
          nb::arg("metrics"), nb::arg("inputs"), nb::arg("statistics"), nb::arg("text_column"), nb::arg("id_column"),
          nb::arg("threads"))
      .def("reasons", [](const FilterChain& self) { return FilterKernel::Reasons(self); })
      .def("steps",
           [](const FilterChain& self) {
             std::vector<std::pair<std::string, std::vector<std::string>>> steps;
             for (const FilterChain::Step& step : self.steps()) steps.emplace_back(step.name(), step.reasons);
             return steps;
           })
      .def("bounds", &Bounds);
  module.def(
      "metrics_chain",
      [](const std::string& config, const std::map<std::string, std::string>& properties,
         const std::vector<std::string>& metrics, const std::string& tokenizer) {
        const MetricsChain chain = {config, properties, metrics, tokenizer};
        std::vector<MissingFilter> missing;
        auto made = ChainOf(WithoutLock([&] { return chain.Make(&missing); }), false);
        return std::make_pair(std::move(made), LeftOutOfMetrics(missing).dump());
      },
      nb::arg("config"), nb::arg("properties"), nb::arg("metrics"), nb::arg("tokenizer"));
  module.def(
      "metrics_columns", [](const FilterChain& chain) { return MetricsColumns(chain).dump(); }, nb::arg("chain"));
  module.def("chain_rules", [](const FilterChain& chain) { return RulesOf(chain).dump(); }, nb::arg("chain"));
  module.attr("SIZE_COLUMNS") = std::vector<std::string>(kSizeColumns.begin(), kSizeColumns.end());
  module.def(
      "check_known_columns",
      [](const FilterChain& chain, nb::handle schema, const std::string& url_column) {
        FilterKernelOptions options;
        options.url_column = url_column;
        Check(FilterKernel::CheckKnownColumns(chain, *SchemaOf(schema), options));
      },
      nb::arg("chain"), nb::arg("schema"), nb::arg("url_column") = FilterKernelOptions().url_column);
  nb::class_<KernelForPython>(module, "FilterKernel")
      .def(nb::init<Chain, Index, const std::string&>(), nb::arg("chain"), nb::arg("index").none(), nb::arg("options"))
      .def("filter", &KernelForPython::Filter, nb::arg("batch"),
           nb::sig("def filter(self, batch: object) -> tuple[list[tuple[int, ArrowBatch]], list[int]]"))
      .def("measure", &KernelForPython::Measure, nb::arg("batch"))
      .def("filter_text", &KernelForPython::FilterText, nb::arg("text"), nb::arg("doc_id").none(), nb::arg("known"))
      .def("hashes", &KernelForPython::Hashes, nb::arg("batch"), nb::arg("partition_bits"),
           nb::sig("def hashes(self, batch: object, partition_bits: int) -> tuple[list[tuple[int, bytes]], list[int]]"))
      .def("elements", &KernelForPython::Elements, nb::arg("batch"), nb::arg("place"))
      .def("set_repeats", &KernelForPython::SetRepeats, nb::arg("by_place"),
           nb::sig("def set_repeats(self, by_place: dict[int, object]) -> None"))
      .def("check_repeats", &KernelForPython::CheckRepeats)
      .def("sum_hosts", &KernelForPython::SumHosts, nb::arg("batch"), nb::arg("sums"),
           nb::sig("def sum_hosts(self, batch: object, sums: HostSums) -> list[int]"))
      .def("host_counts", &KernelForPython::host_counts)
      .def("set_index", &KernelForPython::set_index, nb::arg("index"))
      .def("totals", &KernelForPython::totals);
  module.def(
      "json_lines",
      [](nb::handle object) {
        const auto batch = BatchOf(object);
        return ToPython(Value(WithoutLock([&] { return JsonLines(*batch); })));
      },
      nb::arg("batch"));
  module.def("filters", &Declarations);
}

}  // namespace uzushio::python
