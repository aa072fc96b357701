// The language of a text.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace uzushio {

// Whether the language that a page says it is in is `ja`, or begins with `ja-`.
bool DeclaresJapanese(std::string_view declared);

// Whether a document's text (in the markup of document/markup.h) is Japanese: it has enough kana, and they make up
// enough of its letters. `declared` is the language that the page says it is in, or empty; a page that says `ja` may
// have less. What thresholds give on labelled pages is in docs/benchmarks.md.
bool IsJapanese(std::string_view document, std::string_view declared);

// The language of a text that is not Japanese: an ISO 639-1 code, `zh-Hant` for Chinese in traditional characters, or
// `und`. By CLD2, from a sample of a few kilobytes from all over the text.
std::string IdentifyForeign(std::string_view document);

// What documents' languages may be: `ja`, `und`, and what IdentifyForeign knows.
const std::set<std::string>& LanguageCodes();

}  // namespace uzushio
