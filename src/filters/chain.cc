#include "filters/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/nearest.h"
#include "base/resources.h"
#include "filters/chain_file.h"
#include "filters/list.h"

namespace uzushio {
namespace {

std::string Shown(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// A number, or a text that is one, as HOCON reads them.
arrow::Result<double> ToNumber(const nlohmann::json& value, const std::string& place) {
  double number = std::numeric_limits<double>::quiet_NaN();
  if (value.is_number()) number = value.get<double>();
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    char* end = nullptr;
    const double read = std::strtod(text.c_str(), &end);
    if (!text.empty() && *end == '\0') number = read;
  }
  if (std::isfinite(number)) return number;
  return arrow::Status::Invalid(place, ": ", Shown(value), " is no number, or none that is finite");
}

arrow::Result<std::vector<std::string>> ToTexts(const nlohmann::json& value, bool may_be_empty,
                                                const std::string& place) {
  std::vector<std::string> texts;
  const nlohmann::json list = value.is_array() ? value : nlohmann::json::array({value});
  for (const nlohmann::json& one : list) {
    if (!one.is_string()) return arrow::Status::Invalid(place, ": ", Shown(one), " is no text");
    texts.push_back(one.get<std::string>());
  }
  if (texts.empty() && !may_be_empty) return arrow::Status::Invalid(place, ": the list is empty");
  return texts;
}

arrow::Result<ParameterValue> ToValue(const FilterParameter& parameter, const nlohmann::json& value,
                                      const std::string& place) {
  if (parameter.type == FilterParameter::Type::kTexts) return ToTexts(value, parameter.may_be_empty, place);
  if (parameter.type == FilterParameter::Type::kText) {
    const bool is_flag = value.is_boolean() && !parameter.choices.empty();
    if (!value.is_string() && !value.is_number() && !is_flag) {
      return arrow::Status::Invalid(place, ": ", Shown(value), " is no text");
    }
    std::string text = value.is_string() ? value.get<std::string>() : Shown(value);
    if (!parameter.choices.empty() && std::ranges::find(parameter.choices, text) == parameter.choices.end()) {
      std::string choices;
      for (const std::string& choice : parameter.choices) choices += (choices.empty() ? "" : ", ") + choice;
      return arrow::Status::Invalid(place, ": ", Shown(value), " is none of ", choices,
                                    DidYouMean(text, parameter.choices));
    }
    return text;
  }
  ARROW_ASSIGN_OR_RAISE(const double number, ToNumber(value, place));
  if (!(number >= parameter.least && number <= parameter.most)) {
    const bool is_share = parameter.type == FilterParameter::Type::kFloat && parameter.most == 1;
    return arrow::Status::Invalid(place, ": ", Shown(value), " is not between ", JavaNumber(parameter.least), " and ",
                                  JavaNumber(parameter.most), is_share ? "; it is a share: 30 % are 0.3" : "");
  }
  if (parameter.type == FilterParameter::Type::kFloat) return number;
  if (number != std::floor(number)) return arrow::Status::Invalid(place, ": ", Shown(value), " is no whole number");
  if (number >= 0x1p63) return std::numeric_limits<int64_t>::max();
  return value.is_number_integer() ? value.get<int64_t>() : static_cast<int64_t>(number);
}

// `parameters` are all, `given` those of the configuration.
arrow::Status CheckBounds(const nlohmann::ordered_json& parameters, const nlohmann::json& given,
                          const std::string& name, const std::string& place) {
  const auto& low = parameters["low"];
  const auto& high = parameters["high"];
  if (low <= high) return arrow::Status::OK();
  const auto shown = [&](const char* bound) {
    return Shown(parameters[bound]) + (given.contains(bound) ? "" : " (the default)");
  };
  return arrow::Status::Invalid(place, ".low: ", shown("low"), " is above `high`, ", shown("high"), ": ", name,
                                " would remove every document; give a lower `low` or a higher `high`");
}

bool AreKnown(std::span<const double> metrics) {
  return std::ranges::none_of(metrics, [](double metric) { return std::isnan(metric); });
}

const FilterDeclaration* FindDeclaration(std::string_view name) {
  for (const FilterDeclaration& declaration : FilterDeclarations()) {
    if (declaration.name == name) return &declaration;
  }
  return nullptr;
}

// An error of the user's, and still one that more memory would spare.
arrow::Status InvalidAt(const arrow::Status& error, const std::string& place) {
  return arrow::Status::Invalid(place, ": ", error.message()).WithDetail(error.detail());
}

}  // namespace

// How columns are named while filters are added. A metric is known by its name, its key and the number of filters that
// may have changed paragraphs before.
struct FilterChain::Naming {
  std::map<std::pair<std::string, size_t>, size_t> known;
  std::map<std::string, size_t> uses;
  nlohmann::json before = nlohmann::json::array();
  int64_t memory = 0;  // of FilterDeclaration::make
};

arrow::Result<std::unique_ptr<FilterChain>> FilterChain::Read(const std::string& name,
                                                              const std::map<std::string, std::string>& properties,
                                                              int64_t memory) {
  ARROW_RETURN_NOT_OK(ChainFile::CheckProperties(name, properties));
  ARROW_ASSIGN_OR_RAISE(const ChainFile file, ChainFile::Read(name, properties));
  auto chain = Of(file, memory);
  return chain.ok() ? std::move(chain) : ChainFile::AtProperty(chain.status(), properties);
}

arrow::Result<std::unique_ptr<FilterChain>> FilterChain::Of(const ChainFile& file, int64_t memory) {
  const nlohmann::json& filters = file.filters();
  std::unique_ptr<FilterChain> chain(new FilterChain());
  Naming naming;
  naming.memory = memory;
  for (size_t i = 0; i < filters.size(); ++i) {
    const arrow::Status status = chain->Add(filters[i], fmt::format("{}[{}]", file.key(), i), &naming);
    if (!status.ok()) return InvalidAt(status, file.PlaceOf(i));
  }
  return chain;
}

const std::string& FilterChain::Step::name() const { return declaration->name; }
size_t FilterChain::Step::metrics() const { return declaration->metrics.size(); }
bool FilterChain::Step::changes_paragraphs() const { return filter->changes_paragraphs(); }
bool FilterChain::Step::looks_at(KnownColumn column) const { return filter->looks_at(column); }
std::optional<size_t> FilterChain::Step::Decide(std::span<const double> metrics, const FilterDocument& document) const {
  return filter->DecideAll(metrics.subspan(column, this->metrics()), document);
}

arrow::Result<std::unique_ptr<FilterChain>> FilterChain::Make(const nlohmann::json& filters) {
  if (!filters.is_array()) return arrow::Status::Invalid("filters: is no list");
  std::unique_ptr<FilterChain> chain(new FilterChain());
  Naming naming;
  for (size_t i = 0; i < filters.size(); ++i) {
    ARROW_RETURN_NOT_OK(chain->Add(filters[i], fmt::format("filters[{}]", i), &naming));
  }
  return chain;
}

arrow::Result<std::unique_ptr<FilterChain>> FilterChain::With(
    const std::map<size_t, nlohmann::json>& parameters) const {
  std::unique_ptr<FilterChain> chain(new FilterChain());
  Naming naming;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const std::string place = fmt::format("filters[{}]", i);
    const auto changed = parameters.find(i);
    if (changed == parameters.end()) {
      Step step = steps_[i];
      step.sources.clear();
      ARROW_RETURN_NOT_OK(chain->AddStep(std::move(step), place, &naming));
    } else {
      nlohmann::json filter = StepJson(steps_[i]);
      filter.update(changed->second);
      ARROW_RETURN_NOT_OK(chain->Add(filter, place, &naming));
    }
  }
  return chain;
}

arrow::Status FilterChain::Add(const nlohmann::json& filter, const std::string& place, Naming* naming) {
  if (!filter.is_object() || !filter.contains("class") || !filter["class"].is_string()) {
    return arrow::Status::Invalid(place, ": needs a `class`");
  }
  const std::string name = WithoutPackage(filter["class"].get<std::string>());
  Step step;
  step.declaration = FindDeclaration(name);
  if (step.declaration == nullptr) {
    std::vector<std::string> names;
    for (const FilterDeclaration& declaration : FilterDeclarations()) names.push_back(declaration.name);
    return arrow::Status::Invalid(place, ".class: there is no filter '", name, "'", DidYouMean(name, names));
  }
  std::vector<std::string> known;
  std::vector<ParameterValue> values;
  for (const FilterParameter& parameter : step.declaration->parameters) {
    known.push_back(parameter.name);
    const std::string at = place + "." + parameter.name;
    const auto given = filter.find(parameter.name);
    if (given == filter.end() && !parameter.default_value) {
      return arrow::Status::Invalid(at, ": missing, and ", name, " needs it: ", parameter.help);
    }
    ParameterValue value = given == filter.end() ? *parameter.default_value : ParameterValue();
    if (given != filter.end()) {
      ARROW_ASSIGN_OR_RAISE(value, ToValue(parameter, *given, at));
    }
    std::visit([&](const auto& v) { step.parameters[parameter.name] = v; }, value);
    values.push_back(std::move(value));
  }
  for (const auto& [key, value] : filter.items()) {
    if (key == "class" || std::ranges::find(known, key) != known.end()) continue;
    return arrow::Status::Invalid(place, ".", key, ": no such parameter of ", name, DidYouMean(key, known));
  }
  if (step.declaration->bounded) ARROW_RETURN_NOT_OK(CheckBounds(step.parameters, filter, name, place));
  auto made = step.declaration->make(values, naming->memory);
  if (!made.ok()) return InvalidAt(made.status(), fmt::format("{} ({})", place, name));
  step.filter = std::move(made).ValueUnsafe();
  step.reasons = step.filter->Reasons();
  return AddStep(std::move(step), place, naming);
}

nlohmann::json FilterChain::StepJson(const Step& step) {
  nlohmann::json json = step.parameters.is_null() ? nlohmann::json::object() : nlohmann::json(step.parameters);
  json["class"] = step.name();
  return json;
}

// A metric that a later filter goes by.
arrow::Result<size_t> FilterChain::FindSource(const std::string& name) const {
  if (columns_.empty()) return arrow::Status::Invalid("no filter before it has a metric");
  ARROW_ASSIGN_OR_RAISE(const size_t column, FindColumn(name));
  const bool is_measured = std::ranges::any_of(steps_, [column](const Step& step) {
    return !step.changes_paragraphs() && step.column <= column && column < step.column + step.metrics();
  });
  if (is_measured) return column;
  return arrow::Status::Invalid("it is the metric of a filter that changes paragraphs; one that removes documents is ",
                                "wanted");
}

arrow::Status FilterChain::AddStep(Step step, const std::string& place, Naming* naming) {
  nlohmann::json sources = nlohmann::json::array();
  for (const std::string& name : step.filter->Sources()) {
    const auto found = FindSource(name);
    if (!found.ok()) {
      return found.status().WithMessage(place, " (", step.name(), "): '", name, "' has to be a metric of a filter ",
                                        "before it: ", found.status().message());
    }
    step.sources.push_back(*found);
    sources.push_back(identities_[*found]);
  }
  if (step.filter->shares_column()) {
    step.column = step.sources.front();
    steps_.push_back(std::move(step));
    return arrow::Status::OK();
  }
  const std::string key = step.filter->MetricKey();
  const std::string suffix = key.empty() ? "" : "(" + key + ")";
  const auto [found, is_new] =
      naming->known.try_emplace({step.declaration->metric + suffix, naming->before.size()}, columns_.size());
  step.column = found->second;
  for (const DeclaredMetric& metric : step.declaration->metrics) {
    if (!is_new) break;
    const std::string name = metric.name + suffix;
    const size_t use = ++naming->uses[name];
    columns_.push_back(use == 1 ? name : name + "#" + std::to_string(use));
    nlohmann::json identity = {{"metric", name}, {"after", naming->before}};
    if (!sources.empty()) identity["sources"] = sources;
    if (const std::string contents = step.filter->Contents(); !contents.empty()) identity["contents"] = contents;
    identities_.push_back(std::move(identity));
  }
  if (step.changes_paragraphs()) {
    nlohmann::json before = StepJson(step);
    if (const std::string contents = step.filter->Contents(); !contents.empty()) before["contents"] = contents;
    naming->before.push_back(std::move(before));
  }
  steps_.push_back(std::move(step));
  return arrow::Status::OK();
}

nlohmann::json FilterChain::ToJson() const {
  nlohmann::json json = nlohmann::json::array();
  for (const Step& step : steps_) json.push_back(StepJson(step));
  return json;
}

arrow::Result<int64_t> FilterChain::ChooseMemory(const Resources& resources, const FixedMemory& fixed) const {
  int64_t taken = 0;
  for (const Step& step : steps_) taken += step.filter->memory().With(resources.threads);
  ARROW_ASSIGN_OR_RAISE(const int64_t memory, uzushio::ChooseMemory(resources, fixed.With(resources.threads) + taken));
  return memory - taken;
}

nlohmann::json FilterChain::Contents() const {
  nlohmann::json json;
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (std::string contents = steps_[i].filter->Contents(); !contents.empty()) json[std::to_string(i)] = contents;
  }
  return json;
}

bool FilterChain::looks_at(KnownColumn column) const {
  return std::ranges::any_of(steps_, [column](const Step& step) { return step.looks_at(column); });
}

std::vector<size_t> FilterChain::comparing_steps() const {
  std::vector<size_t> places;
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].filter->compares_documents()) places.push_back(i);
  }
  return places;
}

std::vector<size_t> FilterChain::wanting_steps() const {
  std::vector<size_t> places;
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].filter->wanted_edges()) places.push_back(i);
  }
  return places;
}

arrow::Status FilterChain::CheckWantsNothing() const {
  const std::vector<size_t> places = wanting_steps();
  if (places.empty()) return arrow::Status::OK();
  return arrow::Status::Invalid(
      "filters[", places[0], "]: ", steps_[places[0]].name(),
      " goes by shares of all documents, and needs a table of their metrics; make it with ",
      "`uzushio metrics DOCUMENTS --config CHAIN --output METRICS`, and give `uzushio filter` ", "`--metrics METRICS`");
}

arrow::Status FilterChain::CheckComparesNothing(const std::string& who) const {
  const std::vector<size_t> places = comparing_steps();
  if (places.empty()) return arrow::Status::OK();
  return arrow::Status::Invalid("filters[", places[0], "]: ", steps_[places[0]].name(),
                                " compares all documents of a run, and ", who,
                                "; take `uzushio filter` or `uzushio clean`");
}

arrow::Result<size_t> FilterChain::FindColumn(const std::string& name) const {
  std::vector<size_t> of_name;
  std::string all;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i] == name) return i;
    if (columns_[i].substr(0, columns_[i].find_first_of("(#")) == name) of_name.push_back(i);
    all += (all.empty() ? "" : ", ") + columns_[i];
  }
  if (of_name.size() == 1) return of_name.front();
  if (of_name.empty()) {
    return arrow::Status::Invalid("there is no such metric, only ", all, DidYouMean(name, columns_));
  }
  std::string several;
  for (const size_t i : of_name) several += (several.empty() ? "" : ", ") + columns_[i];
  return arrow::Status::Invalid("there are several such metrics; give one of ", several);
}

ChainOutcome FilterChain::Apply(FilterDocument* document, FilterScratch* scratch, double* seconds, const double* known,
                                Observer* observer) const {
  return ApplySteps(steps_.size(), document, scratch, seconds, known, observer);
}

bool FilterChain::ApplyUntil(size_t end, FilterDocument* document, FilterScratch* scratch) const {
  return ApplySteps(end, document, scratch, nullptr, nullptr, nullptr).removed_by == kAlive;
}

ChainOutcome FilterChain::ApplySteps(size_t end, FilterDocument* document, FilterScratch* scratch, double* seconds,
                                     const double* known, Observer* observer) const {
  using Clock = std::chrono::steady_clock;
  std::vector<double>& metrics = scratch->metrics;
  if (known == nullptr) {
    metrics.assign(columns_.size(), std::numeric_limits<double>::quiet_NaN());
  } else {
    metrics.assign(known, known + columns_.size());
  }
  auto before = seconds == nullptr ? Clock::time_point() : Clock::now();
  scratch->lm.Clear();
  ChainOutcome outcome;
  for (size_t i = 0; i < end && outcome.removed_by == kAlive; ++i) {
    const Step& step = steps_[i];
    if (step.changes_paragraphs()) {
      if (observer != nullptr) observer->Changing(i);
      step.filter->Change(document, static_cast<int>(i), scratch);
      if (observer != nullptr) observer->Changed(i);
    } else {
      const std::span<double> own = std::span(metrics).subspan(step.column, step.metrics());
      if (!AreKnown(own)) MeasureStep(step, *document, scratch, metrics);
      const auto reason = step.filter->DecideAll(own, *document);
      if (reason) outcome = {static_cast<int>(i), *reason, own[step.filter->MetricOf(*reason)]};
      if (observer != nullptr) observer->Decided(i, own, reason);
    }
    if (seconds == nullptr) continue;
    const auto now = Clock::now();
    seconds[i] += std::chrono::duration<double>(now - before).count();
    before = now;
  }
  return outcome;
}

// `metrics` are those of all columns, of which earlier filters have set theirs.
void FilterChain::MeasureStep(const Step& step, const FilterDocument& document, FilterScratch* scratch,
                              std::span<double> metrics) {
  const std::span<double> own = metrics.subspan(step.column, step.metrics());
  if (step.sources.empty()) {
    step.filter->MeasureAll(document, scratch, own);
    return;
  }
  if (step.filter->shares_column()) return;
  std::vector<double>& sources = scratch->sources;
  sources.clear();
  for (const size_t column : step.sources) sources.push_back(metrics[column]);
  step.filter->Combine(sources, own);
}

void FilterChain::Measure(FilterDocument* document, FilterScratch* scratch, double* metrics) const {
  std::fill_n(metrics, columns_.size(), std::numeric_limits<double>::quiet_NaN());
  scratch->lm.Clear();
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    const std::span<double> own(metrics + step.column, step.metrics());
    if (!AreKnown(own)) MeasureStep(step, *document, scratch, {metrics, columns_.size()});
    if (step.changes_paragraphs()) step.filter->Change(document, static_cast<int>(i), scratch);
  }
}

}  // namespace uzushio
