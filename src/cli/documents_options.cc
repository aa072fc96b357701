#include "cli/documents_options.h"

#include "filters/preset.h"

namespace uzushio {

arrow::Result<std::unique_ptr<FilterChain>> ReadChain(const std::string& file,
                                                      const std::vector<std::string>& properties, int64_t memory) {
  ARROW_ASSIGN_OR_RAISE(const auto values, ParseProperties(properties));
  return file.empty() ? FilterChain::Make(nlohmann::json::array()) : FilterChain::Read(file, values, memory);
}

Places::Place PlaceOfChain(const std::string& file) {
  return {"--config", file.empty() ? "" : FindChainFile(file).string()};
}

}  // namespace uzushio
