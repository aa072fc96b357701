#include "base/size.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace uzushio {

arrow::Result<int64_t> ParseSize(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, double>, 13> kUnits = {{{"", 1},
                                                                           {"B", 1},
                                                                           {"KiB", 1024.0},
                                                                           {"MiB", 1048576.0},
                                                                           {"GiB", 1073741824.0},
                                                                           {"TiB", 1099511627776.0},
                                                                           {"KB", 1e3},
                                                                           {"MB", 1e6},
                                                                           {"GB", 1e9},
                                                                           {"TB", 1e12},
                                                                           {"K", 1024.0},
                                                                           {"M", 1048576.0},
                                                                           {"G", 1073741824.0}}};
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end != text.c_str() && std::isfinite(number) && number > 0) {
    while (*end == ' ') ++end;
    for (const auto& [unit, factor] : kUnits) {
      if (unit == end && number * factor < 9e18) return static_cast<int64_t>(number * factor);
    }
  }
  return arrow::Status::Invalid("'", text, "' is no size; give a number and a unit, as 512MiB");
}

std::string SizeText(int64_t bytes) {
  constexpr std::array<std::pair<int64_t, const char*>, 3> kUnits = {
      {{int64_t{1} << 30, "GiB"}, {int64_t{1} << 20, "MiB"}, {int64_t{1} << 10, "KiB"}}};
  for (const auto& [unit, name] : kUnits) {
    if (bytes > 0 && bytes % unit == 0) return std::to_string(bytes / unit) + name;
  }
  return std::to_string(bytes) + "B";
}

}  // namespace uzushio
