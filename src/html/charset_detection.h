// What a page is in, by its bytes alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "html/encoding.h"

namespace uzushio {

// How many bytes of a page are looked at.
inline constexpr size_t kCharsetSample = size_t{16} << 10;

// The part of a page that says most of its encoding: what follows the first byte that is no ASCII, or the first escape.
// Empty where there is none.
std::string_view CharsetSample(std::string_view page);

// The same, or, where that has few bytes beyond ASCII, and no zeros, as UTF-16 has, and the page goes on, the places of
// the whole page that have some, a line for each, up to as many bytes; in `buffer`.
std::string_view FullerSample(std::string_view page, std::string* buffer);

// The pieces between markup, white space, digits and signs of ASCII that have bytes beyond ASCII, each once, a line for
// each: what is often repeated says no more than what is said once.
std::string DistinctPieces(std::string_view sample);

// UTF-16 without a byte order mark: markup has a zero in every other byte.
std::optional<Encoding> DetectUtf16(std::string_view page);

// Whether the bytes are UTF-8 with several characters beyond ASCII, apart from a few that are damaged. Other encodings
// never look so by chance.
bool LooksLikeUtf8(std::string_view sample);

// Whether a text, or bytes in this encoding, are Japanese: a quarter of the characters beyond ASCII, and at least
// three, are hiragana.
bool IsInHiragana(std::string_view text);
bool IsInHiragana(const Encoding& encoding, std::string_view bytes);

struct DetectedCharset {
  Encoding encoding;
  bool sure;  // more than a declaration is; of encodings with more than a byte for a character alone
};

// Of a sample that is no UTF-8. chardetng takes an encoding for impossible as soon as it sees one byte that does not
// fit, so it is asked of sixteen parts, until it is known what gets most votes: damage reaches only some of them.
DetectedCharset DetectCharset(std::string_view sample);

}  // namespace uzushio
