// Codes of languages.
#pragma once

#include <string_view>

namespace uzushio {

// The ISO 639-3 code of a language that lang/identify.h names, as Common Crawl's index has it: `jpn` for `ja`, `zho`
// for all of Chinese. Empty for `und` and what has no code.
std::string_view Iso639Part3(std::string_view code);

}  // namespace uzushio
