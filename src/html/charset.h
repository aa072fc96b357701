// The charset of a page, and its text in UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "html/encoding.h"

namespace uzushio {

// When an encoding is believed.
enum class CharsetRule : uint8_t {
  kTolerant,  // when few characters do not decode; DecodePage has how many
  kStrict,    // when the first 16 KiB decode, as in the seed paper (Uzushio, section 2, "Character Encoding Detection")
};

// A page's encoding and text.
struct DecodedPage {
  Encoding encoding;
  std::string_view utf8;  // a view of the page or of the buffer
  int64_t replaced = 0;   // how many U+FFFD stand in it for what does not decode
  bool believed = true;   // the encoding is not just the one in which least is wrong
};

// Decodes a page by the first of these that is believed: the byte order mark, the meta tag or XML declaration, the HTTP
// header's charset, a guess from the bytes, UTF-8.
//
// By the tolerant rule an encoding is believed while at most one of twenty characters beyond ASCII does not decode, in
// the 16 KiB from the first such character on, or two of ten or more; of encodings with one byte for each character,
// none. Bytes that speak for themselves come first: UTF-16, UTF-8 with several characters beyond ASCII, and an encoding
// that the detector is sure of, where a declaration says the same. Otherwise another encoding takes the place of the
// one believed, if the text takes fewer bits in it (html/charset_score.h) by more than a declaration is worth; not that
// of sound text with hiragana, or of a declaration of one byte for each character other than Latin-1. Where nothing is
// believed, it is the one with the fewest such characters, or nothing where they are more than half, or more than eight
// and one of five of the page's; with one byte for each character, more than one of twenty. Where more than one of
// twenty characters of the whole page does not decode in the encoding that is believed, it is the one that three
// quarters of the page are surely in, and, if there is none that has fewer such characters, nothing where they are more
// than one of five. Comments do not count where the rest of the page is in another encoding. By the strict rule an
// encoding is believed when the first 16 KiB decode.
//
// With `only_kana`, `utf8` is the page as it is where the encoding can hold no kana.
std::optional<DecodedPage> DecodePage(std::string_view page, std::string_view http_charset, bool is_html,
                                      CharsetRule rule, bool only_kana, std::string* buffer);

// The label of an encoding in the page's first <meta charset=…> or <meta http-equiv=content-type content=…> within the
// first 16 KiB, as browsers find it (HTML, section 13.2.3.2); where there is none, in the first that looks like one, be
// it in a value, be the label unknown; then that of the XML declaration, or empty.
std::string_view SniffMetaCharset(std::string_view page);

}  // namespace uzushio
