// A chain of filters, as a configuration names it.
#pragma once

#include <arrow/result.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/memory_plan.h"
#include "filters/filter_document.h"

namespace uzushio {

class ChainFile;
class Filter;
struct FilterDeclaration;
struct FilterScratch;
struct Resources;

// What became of a document.
struct ChainOutcome {
  int removed_by = kAlive;  // the place of the filter
  size_t reason = 0;        // of that filter
  double metric = 0;        // that this reason looks at
};

class FilterChain {
 public:
  struct Step {
    const FilterDeclaration* declaration = nullptr;
    std::shared_ptr<const Filter> filter;
    nlohmann::ordered_json parameters;  // all, defaults too
    std::vector<std::string> reasons;
    size_t column = 0;            // of its first metric
    std::vector<size_t> sources;  // columns that its metrics are made of, of a filter that goes by others
    // Of the declaration and the filter, for who knows no more of them (filters/filter.h).
    const std::string& name() const;
    size_t metrics() const;
    bool changes_paragraphs() const;
    bool looks_at(KnownColumn column) const;
    // The reason that removes a document of these metrics, of columns() numbers, if one does.
    std::optional<size_t> Decide(std::span<const double> metrics, const FilterDocument& document) const;
  };

  FilterChain(const FilterChain&) = delete;
  FilterChain& operator=(const FilterChain&) = delete;

  // Reads a HOCON file `filters: [{class: NAME, parameter: value, …}, …]` (or `stages`), by its path or by the name of
  // one that was installed (filters/preset.h). `properties` are looked up for `${name}`, before the environment. Errors
  // name file, line and key, and the nearest right name.
  // `memory` bounds what filters hold of files that grow with the data, while these are read; 0: no bound.
  static arrow::Result<std::unique_ptr<FilterChain>> Read(const std::string& name,
                                                          const std::map<std::string, std::string>& properties,
                                                          int64_t memory = 0);
  // The chain of a file that was read.
  static arrow::Result<std::unique_ptr<FilterChain>> Of(const ChainFile& file, int64_t memory = 0);
  // The same from a list of objects. Errors name the key.
  static arrow::Result<std::unique_ptr<FilterChain>> Make(const nlohmann::json& filters);

  // The chain with other values of some parameters, by the places of the filters. Files that the other filters read
  // are not read again.
  arrow::Result<std::unique_ptr<FilterChain>> With(const std::map<size_t, nlohmann::json>& parameters) const;

  const std::vector<Step>& steps() const { return steps_; }
  // The places of the filters that need a table of metrics first (Filter::wanted_edges).
  std::vector<size_t> wanting_steps() const;
  // Errors: there is one; the error says how to make the table.
  arrow::Status CheckWantsNothing() const;
  // Whether a filter looks at this column of documents.
  bool looks_at(KnownColumn column) const;
  // The places of the filters that compare all documents of a run.
  std::vector<size_t> comparing_steps() const;
  // Errors: there is one. `who` cannot have it.
  arrow::Status CheckComparesNothing(const std::string& who) const;

  // The different metrics of the chain. A metric that is asked for twice, with no change of paragraphs between, is one.
  // Names are those of the declarations, with the key of the metric and `#2` and so on where needed.
  const std::vector<std::string>& columns() const { return columns_; }
  // What the values of a column depend on: the metric, and the filters that change paragraphs before it.
  const nlohmann::json& column_identity(size_t column) const { return identities_[column]; }

  // The chain's configuration, all parameters given, as Make takes it: equal chains, equal JSON.
  nlohmann::json ToJson() const;
  // The memory that a stage has for this chain's documents, where it takes `fixed` whatever they are: what is asked for
  // (base/resources.h), without what filters take. Errors: it is too little.
  arrow::Result<int64_t> ChooseMemory(const Resources& resources, const FixedMemory& fixed) const;
  // What filters say of the files that they read, by their places; null where none does. Runs are told apart by it.
  nlohmann::json Contents() const;

  // The column of a name: as it stands, or without key and number where only one has that name. Errors: none, with the
  // nearest name; several.
  arrow::Result<size_t> FindColumn(const std::string& name) const;

  // Who looks on while a document goes through the filters.
  class Observer {
   public:
    virtual ~Observer() = default;
    // Around a filter that changes paragraphs.
    virtual void Changing(size_t step) = 0;
    virtual void Changed(size_t step) = 0;
    // After one of documents: the reason that removes it, if one does.
    virtual void Decided(size_t step, std::span<const double> metrics, std::optional<size_t> reason) = 0;
  };

  // Runs the filters in order. A removed document skips the rest. `seconds`, of steps() numbers, has time added.
  // `known`, of columns() numbers, are metrics that are known, NaN the others.
  ChainOutcome Apply(FilterDocument* document, FilterScratch* scratch, double* seconds = nullptr,
                     const double* known = nullptr, Observer* observer = nullptr) const;
  // Runs the filters before `end`: whether the document is still there.
  bool ApplyUntil(size_t end, FilterDocument* document, FilterScratch* scratch) const;
  // Sets the metrics, of columns() numbers: each filter of paragraphs is applied, none of documents removes any.
  void Measure(FilterDocument* document, FilterScratch* scratch, double* metrics) const;

 private:
  FilterChain() = default;
  ChainOutcome ApplySteps(size_t end, FilterDocument* document, FilterScratch* scratch, double* seconds,
                          const double* known, Observer* observer) const;
  struct Naming;
  static nlohmann::json StepJson(const Step& step);
  static void MeasureStep(const Step& step, const FilterDocument& document, FilterScratch* scratch,
                          std::span<double> metrics);
  arrow::Status Add(const nlohmann::json& filter, const std::string& place, Naming* naming);
  arrow::Status AddStep(Step step, const std::string& place, Naming* naming);
  arrow::Result<size_t> FindSource(const std::string& name) const;

  std::vector<Step> steps_;
  std::vector<std::string> columns_;
  std::vector<nlohmann::json> identities_;
};

}  // namespace uzushio
