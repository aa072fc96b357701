#include "html/main_content/text_measure.h"

#include <xxhash.h>

#include <algorithm>
#include <array>

#include "document/markup.h"
#include "html/main_content/ascii_classes.h"
#include "html/main_content/characters.h"

namespace uzushio {
namespace {

enum class Sign : uint8_t {
  kOther,  // ends a word
  kSpace,
  kLetter,
  kCapital,
  kDigit,
  kApostrophe,  // goes on with a word
  kWide,
  kEnd,      // of a sentence, where it ends a word
  kFullEnd,  // of a sentence
  kComma,
  kSeparator,
  kCurrency,
  kWideCurrency,
  kCopyright,
  kLine,
  kLinkStart,
  kLinkEnd,
  kMark,  // another one
};

constexpr std::array<Sign, 128> kAscii = [] {
  std::array<Sign, 128> signs{};
  for (char c = 'a'; c <= 'z'; ++c) signs[c] = Sign::kLetter;
  for (char c = 'A'; c <= 'Z'; ++c) signs[c] = Sign::kCapital;
  for (char c = '0'; c <= '9'; ++c) signs[c] = Sign::kDigit;
  for (const char c : {'.', '!', '?'}) signs[c] = Sign::kEnd;
  for (const char c : {',', ';'}) signs[c] = Sign::kComma;
  for (const char c : {'|', '/', '>'}) signs[c] = Sign::kSeparator;
  signs[' '] = Sign::kSpace;
  signs['\''] = Sign::kApostrophe;
  signs['$'] = Sign::kCurrency;
  signs['\n'] = Sign::kLine;
  for (size_t c = 0; c < signs.size(); ++c) signs[c] = kIsMark[c] ? Sign::kMark : signs[c];
  signs[kLinkStart] = Sign::kLinkStart;
  signs[kLinkEnd] = Sign::kLinkEnd;
  return signs;
}();

// Kana and Chinese characters without those that SignOf names: nearly all of a Japanese text.
bool IsOrdinaryWide(char32_t c) { return (c >= U'ぁ' && c < U'・') || (c >= 0x3400 && c < 0xA000 && c != U'円'); }

Sign SignOf(char32_t c) {
  switch (c) {
    case U'©':
      return Sign::kCopyright;
    case U'»':
    case U'«':
    case U'·':
    case U'›':
    case U'‹':
    case U'•':
    case U'→':
    case U'｜':
    case U'・':
    case U'／':
      return Sign::kSeparator;
    case U'£':
    case U'¥':
    case U'€':
      return Sign::kCurrency;
    case U'円':
      return Sign::kWideCurrency;
    case U'…':
    case U'。':
    case U'！':
    case U'？':
    case U'．':
      return Sign::kFullEnd;
    case U'、':
    case U'，':
      return Sign::kComma;
    case U'’':
      return Sign::kApostrophe;
    default:
      break;
  }
  if (c < 0xC0 || (c >= 0x2000 && c < 0x3000)) return Sign::kOther;  // signs of Latin-1; punctuation, arrows, boxes …
  return c < 0x3000 ? Sign::kLetter : Sign::kWide;  // kana, Chinese characters, hangul and all that is beyond
}

class Measurer {
 public:
  TextMeasure Measure(std::string_view text) {
    measure_.hash = static_cast<uint32_t>(XXH3_64bits(text.data(), text.size()));
    MeasureEnds(text);
    while (!text.empty()) {
      const auto byte = static_cast<unsigned char>(text.front());
      if (IsLower(text.front())) {
        TakeLetters(&text);
      } else if (byte < 0x80) {
        text.remove_prefix(1);
        Take(kAscii[byte], text);
      } else if (const char32_t c = TakeCharacter(&text); IsOrdinaryWide(c)) {
        TakeWideOnes(&text);
      } else {
        Take(SignOf(c), text);
      }
    }
    measure_.words += (measure_.wide + 1) / 2;
    return measure_;
  }

 private:
  [[gnu::always_inline]] void Take(Sign sign, std::string_view rest) {
    if (sign == Sign::kLetter || sign == Sign::kCapital || sign == Sign::kDigit) return TakeLetter(sign);
    if (sign == Sign::kWide) return TakeWide();
    if (sign == Sign::kSpace) {
      in_word_ = false;
      return;
    }
    TakeOther(sign, rest);
  }

  void TakeOther(Sign sign, std::string_view rest) {
    switch (sign) {
      case Sign::kApostrophe:
      case Sign::kMark:
        return;
      case Sign::kWideCurrency:
        ++measure_.currency;
        return TakeWide();
      case Sign::kEnd:
        measure_.sentences += rest.empty() || rest[0] == ' ' || rest[0] == '\n' || rest[0] == '"' || rest[0] == ')';
        break;
      case Sign::kFullEnd:
        ++measure_.sentences;
        break;
      case Sign::kComma:
        ++measure_.commas;
        break;
      case Sign::kSeparator:
        ++measure_.separators;
        break;
      case Sign::kCurrency:
        ++measure_.currency;
        break;
      case Sign::kCopyright:
        measure_.copyright = true;
        break;
      case Sign::kLine:
        ++measure_.lines;
        break;
      case Sign::kLinkStart:
        in_link_ = true;
        ++measure_.links;
        break;
      case Sign::kLinkEnd:
        in_link_ = false;
        break;
      default:
        break;
    }
    in_word_ = false;
  }

  void TakeWide(int32_t count = 1) {
    measure_.wide += count;
    measure_.width += 2 * count;
    measure_.link_width += in_link_ ? 2 * count : 0;
    in_word_ = false;
  }

  // A run of ordinary wide characters behind a first one.
  void TakeWideOnes(std::string_view* text) {
    int32_t count = 1;
    while (!text->empty() && static_cast<unsigned char>(text->front()) >= 0x80) {
      std::string_view rest = *text;
      if (!IsOrdinaryWide(TakeCharacter(&rest))) break;
      *text = rest;
      ++count;
    }
    TakeWide(count);
  }

  // A run of small letters, the first of which is known to be one.
  void TakeLetters(std::string_view* text) {
    size_t count = 1;
    while (count < text->size() && IsLower((*text)[count])) ++count;
    text->remove_prefix(count);
    measure_.words += in_word_ ? 0 : 1;
    in_word_ = true;
    measure_.width += static_cast<int32_t>(count);
    measure_.link_width += in_link_ ? static_cast<int32_t>(count) : 0;
  }

  void TakeLetter(Sign sign) {
    if (!in_word_) {
      ++measure_.words;
      measure_.capitals += sign == Sign::kCapital;
      in_word_ = true;
    }
    ++measure_.width;
    measure_.link_width += in_link_;
    measure_.digits += sign == Sign::kDigit;
  }

  void MeasureEnds(std::string_view text) {
    const std::string_view start = text.substr(text.starts_with(kLinkStart) ? 1 : 0);
    measure_.starts_digit = !start.empty() && IsDigit(start[0]);
    while (text.ends_with(kLinkEnd) || text.ends_with('"') || text.ends_with(')')) text.remove_suffix(1);
    if (text.empty()) return;
    const char last = text.back();
    measure_.ends_sentence = last == '.' || last == '!' || last == '?';
    measure_.ends_colon = last == ':';
    if (static_cast<unsigned char>(last) < 0x80 || text.size() < 3) return;
    std::array<char, 3> wide;
    std::ranges::copy(text.substr(text.size() - wide.size()), wide.begin());
    for (const std::string_view end : {"。", "！", "？", "…", "」"}) {
      measure_.ends_sentence |= wide[0] == end[0] && wide[1] == end[1] && wide[2] == end[2];
    }
    constexpr std::string_view kColon = "：";
    measure_.ends_colon = wide[0] == kColon[0] && wide[1] == kColon[1] && wide[2] == kColon[2];
  }

  TextMeasure measure_;
  bool in_link_ = false;
  bool in_word_ = false;
};

}  // namespace

TextMeasure MeasureText(std::string_view text) { return Measurer().Measure(text); }

}  // namespace uzushio
