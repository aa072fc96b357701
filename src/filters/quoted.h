// Texts as JSON has them, for keys of metrics.
#pragma once

#include <string>
#include <vector>

namespace uzushio {

std::string Quoted(const std::string& text);
std::string Quoted(const std::vector<std::string>& texts);

}  // namespace uzushio
