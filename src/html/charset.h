// The charset of a page, and its text in UTF-8.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct UzEncoding;

namespace uzushio {

// A WHATWG encoding.
class Encoding {
 public:
  // By label, any case, white space around allowed; nothing when the WHATWG knows no such label.
  static std::optional<Encoding> ForLabel(std::string_view label);
  static Encoding Utf8();

  std::string_view name() const;  // as the WHATWG writes it: UTF-8, Shift_JIS, windows-1252
  bool operator==(const Encoding&) const = default;

  // Whether `bytes` decode without an unmappable one. A character that their end cuts is no fault. For windows-1252,
  // which maps every byte, the five that the code page leaves undefined count as unmappable.
  bool Decodes(std::string_view bytes) const;

  // The bytes in UTF-8, with U+FFFD for what cannot be mapped: a view of `bytes` where they are that already, else of
  // `buffer`. A byte order mark is left out. Sets `*replaced`, if given, to whether there is a U+FFFD for something.
  std::string_view Decode(std::string_view bytes, std::string* buffer, bool* replaced = nullptr) const;

  // Whether texts in this encoding can hold kana as bytes.
  bool can_hold_kana() const;

 private:
  explicit Encoding(const UzEncoding* encoding) : encoding_(encoding) {}
  const UzEncoding* encoding_;
};

// How many bytes of a page have to decode for an encoding to be believed.
inline constexpr size_t kCharsetSample = size_t{16} << 10;

// A page's encoding and text.
struct DecodedPage {
  Encoding encoding;
  std::string_view utf8;  // a view of the page or of the buffer
};

// Decodes a page by the first of these that decodes its first 16 KiB: the byte order mark, the meta tag or XML
// declaration, the HTTP header's charset, a guess from the bytes (uchardet), UTF-8. Nothing when none does.
// The order is the seed paper's (Uzushio, section 2, "Character Encoding Detection").
//
// With `only_kana`, `utf8` is the page as it is where the encoding can hold no kana.
std::optional<DecodedPage> DecodePage(std::string_view page, std::string_view http_charset, bool is_html,
                                      bool only_kana, std::string* buffer);

// The label in the page's first <meta charset=…>, <meta http-equiv=content-type content=…> or XML declaration within
// the first 16 KiB, or empty.
std::string_view SniffMetaCharset(std::string_view page);

}  // namespace uzushio
