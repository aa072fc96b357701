#include "stages/filter/metrics_chain.h"

#include <algorithm>

#include "filters/list.h"
#include "filters/metric_names.h"

namespace uzushio {
namespace {

constexpr const char* kTokenizer = "tokenizer";

bool TakesTokenizer(const std::string& filter) {
  return std::ranges::any_of(FilterDeclarations(), [&filter](const FilterDeclaration& declaration) {
    return declaration.name == filter && std::ranges::find(declaration.parameters, kTokenizer,
                                                           &FilterParameter::name) != declaration.parameters.end();
  });
}

}  // namespace

arrow::Result<std::unique_ptr<FilterChain>> MetricsChain::Make() const {
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
  if (metrics.empty()) return FilterChain::Read(config, properties);
  auto chain = FilterChain::Make(filters);
  return chain.ok() ? std::move(chain) : chain.status().WithMessage("--metric: ", chain.status().message());
}

}  // namespace uzushio
