#include "html/encoding.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/native.h"
#include "base/utf8.h"
#include "html/native_encoding.h"
#include "html/tag_scan.h"

namespace uzushio {
namespace {

struct FreeDecoder {
  void operator()(UzDecoder* decoder) const { uz_decoder_free(decoder); }
};
using DecoderPtr = std::unique_ptr<UzDecoder, FreeDecoder>;

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

// The characters of an escape of ISO-2022-JP behind it: ESC ( B, ESC ( J, ESC ( I, ESC $ @ or ESC $ B.
bool BeginsWithEscape(std::string_view bytes) {
  constexpr auto kEscapes = std::to_array<std::string_view>({"\x1b(B", "\x1b(J", "\x1b(I", "\x1b$@", "\x1b$B"});
  return std::ranges::any_of(kEscapes, [bytes](std::string_view escape) { return bytes.starts_with(escape); });
}

// ISO-2022-JP without escapes that another one follows at once. They say nothing, but the WHATWG's decoder, which
// guards against text that hides between bytes, has an error for each. `bytes` where there are none, else `buffer`.
std::string_view WithoutEmptyRuns(std::string_view bytes, std::string* buffer) {
  constexpr size_t kEscape = 3;
  size_t kept = 0;
  bool any = false;
  for (size_t at = bytes.find('\x1b'); at != std::string_view::npos; at = bytes.find('\x1b', at + 1)) {
    if (!BeginsWithEscape(bytes.substr(at)) || !BeginsWithEscape(bytes.substr(at + kEscape))) continue;
    if (!any) buffer->clear();
    any = true;
    buffer->append(bytes.substr(kept, at - kept));
    kept = at + kEscape;
    at = kept - 1;
  }
  if (any) buffer->append(bytes.substr(kept));
  return any ? std::string_view(*buffer) : bytes;
}

// Bytes that code page 1252 leaves undefined; WHATWG maps them to control characters.
constexpr std::string_view kUndefinedIn1252 = "\x81\x8D\x8F\x90\x9D";

}  // namespace

std::optional<Encoding> Encoding::ForLabel(std::string_view label) {
  constexpr std::string_view kAround = " \t\r\n\f;,\"'";
  const size_t begin = label.find_first_not_of(kAround);
  if (begin == std::string_view::npos) return std::nullopt;
  label = label.substr(begin, label.find_last_not_of(kAround) + 1 - begin);
  const UzEncoding* encoding = uz_encoding_for_label(AsBytes(label), label.size());
  if (encoding != nullptr) return Encoding(encoding);
  // Names that pages use beside the WHATWG's.
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kAliases = {{{"shift-jis", "shift_jis"},
                                                                                      {"shiftjis", "shift_jis"},
                                                                                      {"x-shift_jis", "shift_jis"},
                                                                                      {"cp932", "shift_jis"},
                                                                                      {"eucjp", "euc-jp"},
                                                                                      {"uhc", "euc-kr"}}};
  for (const auto& [alias, name] : kAliases) {
    if (IsWord(label, alias)) return ForLabel(name);
  }
  return std::nullopt;
}

Encoding Encoding::Guess(std::string_view bytes, bool japanese) {
  return Encoding(uz_guess_encoding(AsBytes(bytes), bytes.size(), japanese));
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

Faults Encoding::FaultsOf(std::string_view bytes, bool whole, size_t most) const {
  Faults faults;
  std::string whole_runs;
  if (escapes()) bytes = WithoutEmptyRuns(bytes, &whole_runs);
  uz_count_faults(encoding_, AsBytes(bytes), bytes.size(), whole, most, &faults.characters, &faults.faults);
  if (name() == "windows-1252") {
    faults.faults = static_cast<size_t>(
        std::ranges::count_if(bytes, [](char c) { return kUndefinedIn1252.find(c) != std::string_view::npos; }));
  }
  return faults;
}

bool Encoding::escapes() const { return name() == "ISO-2022-JP"; }

bool Encoding::Decodes(std::string_view bytes) const { return FaultsOf(bytes, false, 0).faults == 0; }

std::string_view Encoding::Decode(std::string_view bytes, std::string* buffer, int64_t* replaced) const {
  if (replaced != nullptr) *replaced = 0;
  if (*this == Utf8()) {
    std::string_view plain = bytes;  // the decoder below takes the mark off itself
    if (plain.starts_with(kUtf8Mark)) plain.remove_prefix(kUtf8Mark.size());
    if (IsValidUtf8(plain)) return plain;
  }
  std::string whole_runs;
  if (escapes()) bytes = WithoutEmptyRuns(bytes, &whole_runs);
  const DecoderPtr decoder(uz_decoder_new(encoding_));
  constexpr size_t kPiece = size_t{64} << 10;
  size_t length = 0;
  bool any_replaced = false;
  for (std::string_view rest = bytes;;) {
    const std::string_view piece = rest.substr(0, kPiece);
    rest.remove_prefix(piece.size());
    const size_t most = uz_decoder_max_length(decoder.get(), piece.size());
    if (buffer->size() < length + most) buffer->resize(std::max(length + most, buffer->size() * 3 / 2));
    size_t written = 0;
    bool piece_replaced = false;
    uz_decode(decoder.get(), AsBytes(piece), piece.size(), reinterpret_cast<uint8_t*>(buffer->data()) + length,
              buffer->size() - length, rest.empty(), &written, &piece_replaced);
    any_replaced |= piece_replaced;
    length += written;
    if (rest.empty()) break;
  }
  if (replaced != nullptr && any_replaced) {
    size_t characters = 0;
    size_t faults = 0;
    uz_count_faults(encoding_, AsBytes(bytes), bytes.size(), true, kAnyNumber, &characters, &faults);
    *replaced = static_cast<int64_t>(faults);
  }
  return std::string_view(*buffer).substr(0, length);
}

}  // namespace uzushio
