// The language of a text.
#pragma once

#include <string>
#include <string_view>

namespace uzushio {

// The language of a document's text (in the markup of document/markup.h): ISO 639-1 code, with `zh-Hant` for
// traditional Chinese, or `und`. Looks at a sample of a few kilobytes from all over the text.
std::string IdentifyLanguage(std::string_view document);

}  // namespace uzushio
