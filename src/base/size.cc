#include "base/size.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/machine.h"

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

arrow::Result<int64_t> ChooseMemory(const std::string& asked, int threads, int64_t least) {
  if (asked.empty()) return std::max(DefaultMemory(), least);
  ARROW_ASSIGN_OR_RAISE(const int64_t memory, ParseSize(asked));
  if (memory >= least) return memory;
  return arrow::Status::Invalid("--memory ", asked, ": ", threads, " threads need ", least >> 20, "MiB");
}

}  // namespace uzushio
