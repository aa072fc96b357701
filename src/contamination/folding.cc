#include "contamination/folding.h"

#include <utf8proc.h>

#include <algorithm>

#include "base/utf8.h"

namespace uzushio {
namespace {

constexpr char32_t kVoicedMark = 0x3099;
constexpr char32_t kSemiVoicedMark = 0x309A;
constexpr char32_t kWideVoicedMark = 0xFF9E;  // half-width, in fact; they fold to the two above
constexpr char32_t kWideSemiVoicedMark = 0xFF9F;

constexpr char32_t kHiraganaFirst = 0x3041;
constexpr char32_t kHiraganaLast = 0x3096;
constexpr char32_t kKatakanaFirst = 0x30A1;
constexpr char32_t kKatakanaLast = 0x30F6;
constexpr char32_t kKanaDistance = kKatakanaFirst - kHiraganaFirst;
constexpr char32_t kLongVowel = 0x30FC;

constexpr uint32_t kLongVowelCode = 87;
constexpr uint32_t kDigitCode = 88;
constexpr uint32_t kLetterCode = 98;
constexpr uint32_t kOtherCodes = 256 - kOtherCode;

char CodeOf(char32_t point) {
  uint32_t code = 0;
  if (point >= kHiraganaFirst && point <= kHiraganaLast) {
    code = point - kHiraganaFirst + 1;
  } else if (point == kLongVowel) {
    code = kLongVowelCode;
  } else if (point >= '0' && point <= '9') {
    code = point - '0' + kDigitCode;
  } else if (point >= 'a' && point <= 'z') {
    code = point - 'a' + kLetterCode;
  } else {
    code = kOtherCode + (static_cast<uint32_t>(point) * 0x9E3779B1U >> 16) % kOtherCodes;
  }
  return static_cast<char>(code);
}

bool IsVoiceMark(char32_t point) { return point == kVoicedMark || point == kSemiVoicedMark; }

// A kana with a mark of voice as one character; 0 where there is none.
char32_t Voiced(char32_t kana, char32_t mark) {
  std::array<utf8proc_int32_t, 2> points = {static_cast<utf8proc_int32_t>(kana), static_cast<utf8proc_int32_t>(mark)};
  const auto size = utf8proc_normalize_utf32(points.data(), 2, UTF8PROC_COMPOSE);
  return size == 1 ? static_cast<char32_t>(points[0]) : 0;
}

}  // namespace

Folding::Folding(const FoldingOptions& options) : options_(options), table_(kTablePoints) {
  for (char32_t point = 0; point < kTablePoints; ++point) {
    if (point >= 0xD800 && point < 0xE000) continue;
    if (IsVoiceMark(point) || (options.width && (point == kWideVoicedMark || point == kWideSemiVoicedMark))) {
      table_[point] = point == kVoicedMark || point == kWideVoicedMark ? kVoiced : kSemiVoiced;
      continue;
    }
    const std::string codes = CodesOf(point);
    if (codes.size() == 1) table_[point] = static_cast<unsigned char>(codes[0]);
    if (codes.size() < 2) continue;
    table_[point] = static_cast<uint16_t>(kSeveral + several_.size());
    several_.push_back(codes);
  }
}

// The characters that a character becomes.
std::u32string Folding::FoldPoint(char32_t point) const {
  constexpr size_t kMost = 64;  // U+FDFA becomes 18
  std::array<utf8proc_int32_t, kMost> parts{};
  int wanted = 0;
  if (options_.width) wanted |= UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT;
  if (options_.upper_case) wanted |= UTF8PROC_CASEFOLD;
  utf8proc_ssize_t size = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(point), parts.data(), kMost,
                                                  static_cast<utf8proc_option_t>(wanted), nullptr);
  if (size < 0 || size > static_cast<utf8proc_ssize_t>(kMost)) size = 0;
  std::u32string folded;
  for (utf8proc_ssize_t i = 0; i < size; ++i) {
    auto part = static_cast<char32_t>(parts[static_cast<size_t>(i)]);
    if (IsVoiceMark(part) && !folded.empty()) {
      if (const char32_t voiced = Voiced(folded.back(), part); voiced != 0) folded.back() = voiced;
      continue;
    }
    folded.push_back(part);
  }
  if (options_.kana) {
    for (char32_t& part : folded) {
      if (part >= kKatakanaFirst && part <= kKatakanaLast) part -= kKanaDistance;
    }
  }
  return folded;
}

std::string Folding::CodesOf(char32_t point) const {
  std::string codes;
  for (const char32_t part : FoldPoint(point)) {
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(part))) {
      case UTF8PROC_CATEGORY_CC:
      case UTF8PROC_CATEGORY_ZS:
      case UTF8PROC_CATEGORY_ZL:
      case UTF8PROC_CATEGORY_ZP:
        if (!options_.spaces) codes += CodeOf(' ');
        break;
      case UTF8PROC_CATEGORY_CF:
      case UTF8PROC_CATEGORY_CS:
      case UTF8PROC_CATEGORY_CN:
        break;
      case UTF8PROC_CATEGORY_MN:
      case UTF8PROC_CATEGORY_ME:
        if (!options_.width) codes += CodeOf(part);
        break;
      case UTF8PROC_CATEGORY_PC:
      case UTF8PROC_CATEGORY_PD:
      case UTF8PROC_CATEGORY_PS:
      case UTF8PROC_CATEGORY_PE:
      case UTF8PROC_CATEGORY_PI:
      case UTF8PROC_CATEGORY_PF:
      case UTF8PROC_CATEGORY_PO:
      case UTF8PROC_CATEGORY_SM:
      case UTF8PROC_CATEGORY_SC:
      case UTF8PROC_CATEGORY_SK:
      case UTF8PROC_CATEGORY_SO:
        if (!options_.punctuation) codes += CodeOf(part);
        break;
      default:
        codes += CodeOf(part);
    }
  }
  return codes;
}

// The codes of the character that `text` begins with, with a mark of voice; nothing where there is no such character.
std::string Folding::VoicedCodes(std::string_view text, char32_t mark) const {
  const std::u32string folded = FoldPoint(PointAt(text, Utf8Length(text[0])));
  if (folded.size() != 1) return {};
  const char32_t voiced = Voiced(folded[0], mark);
  return voiced == 0 ? std::string() : CodesOf(voiced);
}

// Takes the characters of one and three bytes from here on, as long as each has at most one code, and returns where the
// next one begins. Most texts are runs of them, so that of how many bytes the next one is can mostly be predicted. What
// is asked of the character before is looked up at the end of a run only.
size_t Folding::TakeRuns(std::string_view text, size_t at, Output* output) const {
  constexpr uint32_t kLead = 0xE0;  // of the first byte of three; its other bits are the code point's
  constexpr uint32_t kMarks = 0x80U << 6 ^ 0x80U;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  const uint16_t* const table = table_.data();
  const size_t end = text.size();
  const size_t end_of_three = end < 2 ? 0 : end - 2;  // where three bytes may begin
  char* const codes = output->codes;
  size_t size = output->size;
  const auto take = [&](uint16_t folded) {
    codes[size] = static_cast<char>(folded);
    size += folded > 0 ? 1 : 0;
  };
  const auto point_at = [bytes](size_t i) {
    return (bytes[i] ^ kLead) << 12 ^ uint32_t { bytes[i + 1] } << 6 ^ bytes[i + 2] ^ kMarks;
  };
  const auto end_run = [&](size_t before, uint16_t folded) {
    output->before = before;
    output->first = size - (folded > 0 ? 1 : 0);
    output->size = size;
  };
  while (true) {
    const size_t begin = at;
    for (; at < end && bytes[at] < 0x80; ++at) take(table[bytes[at]]);  // none of which has several codes
    if (at > begin) end_run(at - 1, table[bytes[at - 1]]);
    const size_t middle = at;
    bool is_other = false;
    for (; at < end_of_three && (bytes[at] ^ kLead) < 0x10; at += 3) {
      const uint16_t folded = table[point_at(at)];
      is_other = folded >= kVoiced;
      if (is_other) break;
      take(folded);
    }
    if (at > middle) end_run(at - 3, table[point_at(at - 3)]);
    if (is_other || at == begin) return at;
  }
}

void Folding::Append(std::string_view text, std::string* codes, std::vector<uint32_t>* places, uint32_t offset) const {
  constexpr size_t kMost = 64;  // codes of a character
  Output output = {nullptr, codes->size(), 0, codes->size()};
  codes->resize(output.size + text.size() + kMost);
  output.codes = codes->data();
  for (size_t at = 0; at < text.size();) {
    if (places == nullptr) {
      at = TakeRuns(text, at, &output);
      if (at == text.size()) break;
    }
    const size_t bytes = std::min(Utf8Length(text[at]), text.size() - at);
    const char32_t point = bytes == 3 ? PointAt(text.substr(at), 3) : PointAt(text.substr(at), bytes);
    const uint16_t folded = point < kTablePoints ? table_[point] : kSeveral;
    if (folded < kVoiced) {
      output.before = at;
      output.first = output.size;
      output.codes[output.size] = static_cast<char>(folded);
      output.size += folded > 0 ? 1 : 0;
    } else {
      std::string several;
      if (folded == kVoiced || folded == kSemiVoiced) {
        const char32_t mark = folded == kVoiced ? kVoicedMark : kSemiVoicedMark;
        if (output.first < output.size) several = VoicedCodes(text.substr(output.before), mark);
        if (!several.empty()) output.size = output.first;
      } else {
        output.before = at;
        output.first = output.size;
        several = point < kTablePoints ? several_[folded - kSeveral] : CodesOf(point);
      }
      const size_t wanted = output.size + several.size() + (text.size() - at) + kMost;
      if (wanted > codes->size()) {  // to twice as much: few texts grow
        codes->resize(std::max(wanted, 2 * codes->size()));
        output.codes = codes->data();
      }
      output.size += several.copy(output.codes + output.size, several.size());
    }
    at += bytes;
    if (places != nullptr) places->resize(output.size, offset + static_cast<uint32_t>(output.before));
  }
  codes->resize(output.size);
}

}  // namespace uzushio
