#include "html/charset.h"

#include <uchardet/uchardet.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/native.h"
#include "base/utf8.h"
#include "html/native.h"
#include "html/tag_scan.h"

namespace uzushio {
namespace {

struct FreeDecoder {
  void operator()(UzDecoder* decoder) const { uz_decoder_free(decoder); }
};
using DecoderPtr = std::unique_ptr<UzDecoder, FreeDecoder>;

constexpr std::string_view kUtf8Bom = "\xEF\xBB\xBF";

// Bytes that code page 1252 leaves undefined; WHATWG maps them to control characters.
constexpr std::string_view kUndefinedIn1252 = "\x81\x8D\x8F\x90\x9D";

// The charset in the text of a content attribute (WHATWG HTML, "extracting a character encoding from a meta element").
std::string_view CharsetInContent(std::string_view content) {
  constexpr std::string_view kWord = "charset";
  for (size_t at = FindIgnoreCase(content, kWord); at != std::string_view::npos;
       at = FindIgnoreCase(content, kWord, at + 1)) {
    std::string_view rest = content.substr(at + kWord.size());
    while (!rest.empty() && IsMarkupSpace(rest.front())) rest.remove_prefix(1);
    if (!rest.starts_with('=')) continue;
    rest.remove_prefix(1);
    while (!rest.empty() && (IsMarkupSpace(rest.front()) || rest.front() == '"' || rest.front() == '\''))
      rest.remove_prefix(1);
    return rest.substr(0, rest.find_first_of(" \t\r\n\f;,\"'"));
  }
  return {};
}

// The charset that a meta tag names; `rest` stands behind `<meta`.
std::string_view CharsetOfMeta(std::string_view rest) {
  std::string_view name;
  std::string_view value;
  std::string_view charset;
  std::string_view content;
  while (NextAttribute(&rest, &name, &value)) {
    if (charset.empty() && FindIgnoreCase(name, "charset") == 0 && name.size() == 7) charset = value;
    if (content.empty() && FindIgnoreCase(name, "content") == 0 && name.size() == 7) content = CharsetInContent(value);
  }
  return charset.empty() ? content : charset;
}

std::string_view XmlDeclarationEncoding(std::string_view page) {
  const size_t start = page.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || !page.substr(start).starts_with("<?xml")) return {};
  page = page.substr(start, 256);
  page = page.substr(0, page.find('>'));
  const size_t at = page.find("encoding");
  if (at == std::string_view::npos) return {};
  const size_t quote = page.find_first_of("\"'", at);
  if (quote == std::string_view::npos) return {};
  const std::string_view value = page.substr(quote + 1);
  return value.substr(0, value.find(page[quote]));
}

// A meta tag cannot truly say UTF-16, since it could then not be read (WHATWG HTML, "prescan a byte stream").
std::optional<Encoding> EncodingOfMeta(std::string_view page) {
  const std::optional<Encoding> encoding = Encoding::ForLabel(SniffMetaCharset(page));
  if (encoding && encoding->name().starts_with("UTF-16")) return Encoding::Utf8();
  return encoding;
}

std::optional<Encoding> EncodingOfBom(std::string_view page) {
  if (page.starts_with(kUtf8Bom)) return Encoding::Utf8();
  if (page.starts_with("\xFE\xFF")) return Encoding::ForLabel("utf-16be");
  if (page.starts_with("\xFF\xFE")) return Encoding::ForLabel("utf-16le");
  return std::nullopt;
}

// The detector's guess from the first 16 KiB that are not plain ASCII. Bytes that are valid UTF-8 need no detector:
// other encodings are never valid UTF-8 over any length by chance.
std::optional<Encoding> GuessEncoding(std::string_view page) {
  const Encoding utf8 = Encoding::Utf8();
  const bool escapes = page.find('\x1b') != std::string_view::npos;
  if (!escapes && utf8.Decodes(page.substr(0, kCharsetSample))) {
    if (utf8.Decodes(page)) return utf8;
    page.remove_prefix(uz_ascii_valid_up_to(AsBytes(page), page.size()));
  }
  uchardet_t detector = uchardet_new();
  uchardet_handle_data(detector, page.data(), std::min(page.size(), kCharsetSample));
  uchardet_data_end(detector);
  const std::optional<Encoding> encoding = Encoding::ForLabel(uchardet_get_charset(detector));
  uchardet_delete(detector);
  return encoding;
}

}  // namespace

std::optional<Encoding> Encoding::ForLabel(std::string_view label) {
  constexpr std::string_view kAround = " \t\r\n\f;,\"'";
  const size_t begin = label.find_first_not_of(kAround);
  if (begin == std::string_view::npos) return std::nullopt;
  label = label.substr(begin, label.find_last_not_of(kAround) + 1 - begin);
  const UzEncoding* encoding = uz_encoding_for_label(AsBytes(label), label.size());
  if (encoding != nullptr) return Encoding(encoding);
  // Names that pages and the detector use beside the WHATWG's.
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kAliases = {{{"shift-jis", "shift_jis"},
                                                                                      {"shiftjis", "shift_jis"},
                                                                                      {"x-shift_jis", "shift_jis"},
                                                                                      {"cp932", "shift_jis"},
                                                                                      {"eucjp", "euc-jp"},
                                                                                      {"uhc", "euc-kr"}}};
  for (const auto& [alias, name] : kAliases) {
    if (label.size() == alias.size() && FindIgnoreCase(label, alias) == 0) return ForLabel(name);
  }
  return std::nullopt;
}

Encoding Encoding::Utf8() {
  static const UzEncoding* const kUtf8 = uz_encoding_for_label(AsBytes("utf-8"), 5);
  return Encoding(kUtf8);
}

std::string_view Encoding::name() const {
  size_t length = 0;
  const uint8_t* name = uz_encoding_name(encoding_, &length);
  return {reinterpret_cast<const char*>(name), length};
}

bool Encoding::can_hold_kana() const {
  constexpr std::array<std::string_view, 10> kWithKana = {"UTF-8",   "Shift_JIS", "EUC-JP", "ISO-2022-JP", "GBK",
                                                          "gb18030", "Big5",      "EUC-KR", "UTF-16BE",    "UTF-16LE"};
  return std::ranges::find(kWithKana, name()) != kWithKana.end();
}

bool Encoding::Decodes(std::string_view bytes) const {
  if (*this == Utf8()) {
    const size_t valid = uz_utf8_valid_up_to(AsBytes(bytes), bytes.size());
    if (valid == bytes.size()) return true;
    const std::string_view rest = bytes.substr(valid);
    // What is left may be the start of a character that the end cuts.
    const auto lead = static_cast<unsigned char>(rest[0]);
    const size_t needed = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || rest.size() >= needed) return false;
    return std::all_of(rest.begin() + 1, rest.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; });
  }
  if (name() == "windows-1252") {
    return std::ranges::none_of(kUndefinedIn1252, [bytes](char c) { return bytes.find(c) != std::string_view::npos; });
  }
  const DecoderPtr decoder(uz_decoder_new(encoding_));
  std::vector<uint8_t> scratch(uz_decoder_max_length(decoder.get(), bytes.size()));
  return uz_decodes(decoder.get(), AsBytes(bytes), bytes.size(), scratch.data(), scratch.size(), false);
}

std::string_view Encoding::Decode(std::string_view bytes, std::string* buffer, bool* replaced) const {
  if (replaced != nullptr) *replaced = false;
  if (*this == Utf8()) {
    if (bytes.starts_with(kUtf8Bom)) bytes.remove_prefix(kUtf8Bom.size());
    if (IsValidUtf8(bytes)) return bytes;
  }
  const DecoderPtr decoder(uz_decoder_new(encoding_));
  constexpr size_t kPiece = size_t{64} << 10;
  size_t length = 0;
  do {
    const std::string_view piece = bytes.substr(0, kPiece);
    bytes.remove_prefix(piece.size());
    const size_t most = uz_decoder_max_length(decoder.get(), piece.size());
    if (buffer->size() < length + most) buffer->resize(std::max(length + most, buffer->size() * 3 / 2));
    size_t written = 0;
    bool piece_replaced = false;
    uz_decode(decoder.get(), AsBytes(piece), piece.size(), reinterpret_cast<uint8_t*>(buffer->data()) + length,
              buffer->size() - length, bytes.empty(), &written, &piece_replaced);
    if (replaced != nullptr) *replaced = *replaced || piece_replaced;
    length += written;
  } while (!bytes.empty());
  return std::string_view(*buffer).substr(0, length);
}

std::string_view SniffMetaCharset(std::string_view page) {
  page = page.substr(0, kCharsetSample);
  for (size_t at = page.find('<'); at != std::string_view::npos; at = page.find('<', at + 1)) {
    const std::string_view tag = page.substr(at + 1);
    if (tag.starts_with("!--")) {
      const size_t end = page.find("-->", at + 2);  // <!--> is whole
      if (end == std::string_view::npos) break;
      at = end;
    } else if (BeginsTag(tag, "meta")) {
      const std::string_view charset = CharsetOfMeta(tag.substr(4));
      if (!charset.empty()) return charset;
    }
  }
  return XmlDeclarationEncoding(page);
}

std::optional<DecodedPage> DecodePage(std::string_view page, std::string_view http_charset, bool is_html,
                                      bool only_kana, std::string* buffer) {
  const std::string_view sample = page.substr(0, kCharsetSample);
  // A page that decodes whole has decoded its sample: most pages are gone over once.
  const auto try_encoding = [&](const std::optional<Encoding>& encoding) -> std::optional<DecodedPage> {
    if (!encoding) return std::nullopt;
    const bool single_byte = !encoding->can_hold_kana();
    if (single_byte && !encoding->Decodes(sample)) return std::nullopt;
    if (single_byte && only_kana) return DecodedPage{*encoding, page};
    bool replaced = false;
    const std::string_view utf8 = encoding->Decode(page, buffer, &replaced);
    if (replaced && !single_byte && !encoding->Decodes(sample)) return std::nullopt;
    return DecodedPage{*encoding, utf8};
  };
  if (auto decoded = try_encoding(EncodingOfBom(page))) return decoded;
  if (is_html) {
    if (auto decoded = try_encoding(EncodingOfMeta(page))) return decoded;
  }
  if (auto decoded = try_encoding(Encoding::ForLabel(http_charset))) return decoded;
  if (auto decoded = try_encoding(GuessEncoding(page))) return decoded;
  return try_encoding(Encoding::Utf8());
}

}  // namespace uzushio
