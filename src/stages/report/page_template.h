// The page of `uzushio report` before it has data: report/ bundled as one HTML file.
#pragma once

#include <string_view>

namespace uzushio {

// UTF-8. kPageMark stands in it once, near the beginning. kPageData stands in it once, where the data goes: JSON in
// which `<`, `>`, `&`, U+2028 and U+2029 are escaped. kPageConnects stands in it once, in the policy of content: a page
// that is served, which asks its server for counts, has kPageConnectsToServer there.
std::string_view PageTemplate();

inline constexpr std::string_view kPageMark = R"(<meta name="generator" content="uzushio report">)";
inline constexpr std::string_view kPageData = "@REPORT_DATA@";
inline constexpr std::string_view kPageConnects = "connect-src 'none'";
inline constexpr std::string_view kPageConnectsToServer = "connect-src 'self'";

}  // namespace uzushio
