// The page of `uzushio report` before it has data.
#pragma once

#include <string_view>

namespace uzushio {

// UTF-8. kPageData stands in it once, where the data goes: JSON in which `<`, `>`, `&`, U+2028 and U+2029 are escaped.
std::string_view PageTemplate();

inline constexpr std::string_view kPageData = "@REPORT_DATA@";

}  // namespace uzushio
