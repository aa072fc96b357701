// The test that spares foreign pages the parser.
#pragma once

#include <cstddef>
#include <string_view>

namespace uzushio {

// A page with fewer kana than this, markup included, is not Japanese. The precise test (lang/identify.h) asks for as
// many in the text alone.
inline constexpr size_t kMinKana = 10;
// Nor is one with fewer kana than one in this many bytes, unless it says that it is: foreign pages of Japanese sites
// have some Japanese in their navigation and scripts.
inline constexpr size_t kMaxBytesPerKana = 5000;

// Whether a page can't be Japanese, from its text in UTF-8 with the markup. Where the page's encoding has no kana
// (`kana_as_bytes` false), `page` may be its bytes as they are, and only character references are looked for.
bool CantBeJapanese(std::string_view page, bool kana_as_bytes);

}  // namespace uzushio
