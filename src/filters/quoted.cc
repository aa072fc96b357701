#include "filters/quoted.h"

#include <nlohmann/json.hpp>

namespace uzushio {

std::string Quoted(const std::string& text) { return nlohmann::json(text).dump(); }
std::string Quoted(const std::vector<std::string>& texts) { return nlohmann::json(texts).dump(); }

}  // namespace uzushio
