#include "stages/filter/metrics_chain.h"

#include <algorithm>

#include "filters/list.h"
#include "filters/metric_names.h"
#include "lm/tokenizer.h"

namespace uzushio {
namespace {

constexpr const char* kTokenizer = "tokenizer";

bool TakesTokenizer(const std::string& filter) {
  return std::ranges::any_of(FilterDeclarations(), [&filter](const FilterDeclaration& declaration) {
    return declaration.name == filter && std::ranges::find(declaration.parameters, kTokenizer,
                                                           &FilterParameter::name) != declaration.parameters.end();
  });
}

arrow::Result<std::unique_ptr<FilterChain>> OfFile(const MetricsChain& chain, std::vector<MissingFilter>* missing,
                                                   int64_t memory) {
  ARROW_RETURN_NOT_OK(ChainFile::CheckProperties(chain.config, chain.properties));
  std::map<std::string, std::string> properties = chain.properties;
  if (!properties.contains("sudachi")) {
    if (const auto found = SudachiDictionary::Find(""); found.ok()) properties["sudachi"] = *found;
  }
  ARROW_ASSIGN_OR_RAISE(const ChainFile file, ChainFile::ReadAvailable(chain.config, properties, missing));
  auto made = FilterChain::Of(file, memory);
  return made.ok() ? std::move(made) : ChainFile::AtProperty(made.status(), chain.properties);
}

}  // namespace

arrow::Result<std::unique_ptr<FilterChain>> MetricsChain::Make(std::vector<MissingFilter>* missing,
                                                               int64_t memory) const {
  if (config.empty() == metrics.empty()) return arrow::Status::Invalid("give one of --config FILE and --metric NAME");
  bool takes = false;
  nlohmann::json filters = nlohmann::json::array();
  for (const std::string& name : metrics) {
    nlohmann::json filter = {{"class", FilterOfMetric(name)}};
    if (TakesTokenizer(filter["class"])) {
      if (tokenizer.empty()) return arrow::Status::Invalid("--metric ", name, " needs a tokenizer: --tokenizer FILE");
      filter[kTokenizer] = tokenizer;
      takes = true;
    }
    filters.push_back(std::move(filter));
  }
  if (!tokenizer.empty() && !takes) {
    return arrow::Status::Invalid("--tokenizer ", tokenizer, " is for --metric Tokens; a chain's filter Tokens has it ",
                                  "as its parameter `tokenizer`");
  }
  if (metrics.empty()) return OfFile(*this, missing, memory);
  auto chain = FilterChain::Make(filters);
  return chain.ok() ? std::move(chain) : chain.status().WithMessage("--metric: ", chain.status().message());
}

nlohmann::ordered_json LeftOutOfMetrics(const std::vector<MissingFilter>& missing) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const MissingFilter& one : missing) {
    json.push_back({{"stage", "metrics"}, {"filter", one.filter}, {"wanted", one.needs}});
  }
  return json;
}

}  // namespace uzushio
