#include "personal/phrase.h"

#include <algorithm>
#include <initializer_list>

#include "base/utf8.h"

namespace uzushio {
namespace {

char PlainSignOf(char32_t point) {
  if (point < 0x80) {
    if (point == '\'') return kMinuteSign;
    if (point == '"') return kSecondSign;
    return point >= 0x20 && point < 0x7F ? static_cast<char>(point) : '\0';
  }
  if (point >= 0xFF01 && point <= 0xFF5E) return PlainSignOf(point - 0xFF01 + 0x21);
  switch (point) {
    case 0xA0:
    case 0x3000:
      return ' ';
    case 0x2010:  // hyphens, dashes, minus
    case 0x2011:
    case 0x2012:
    case 0x2013:
    case 0x2014:
    case 0x2015:
    case 0x2212:
    case 0x2500:  // lines that are drawn
    case 0x2501:
    case 0x30FC:  // the mark of long vowels
    case 0xFF70:
      return '-';
    case U'、':
      return ',';
    case 0xB0:
    case 0xBA:
    case U'度':
      return kDegreeSign;
    case 0x2019:
    case 0x2032:
    case U'分':
      return kMinuteSign;
    case 0x201D:
    case 0x2033:
    case U'秒':
      return kSecondSign;
    default:
      return kOtherSign;
  }
}

// Whether a phrase goes on behind a sign.
constexpr auto kGoesOn = [] {
  std::array<bool, 128> goes{};
  for (const char c :
       {'-', ' ', '(', ')', '.', ':', ',', '/', '+', 'N', 'S', 'E', 'W', kDegreeSign, kMinuteSign, kSecondSign}) {
    goes[static_cast<unsigned char>(c)] = true;
  }
  for (size_t c = 0; c < goes.size(); ++c) goes[c] = goes[c] || IsHexDigit(static_cast<char>(c));
  return goes;
}();

bool IsFiller(char c) {
  constexpr std::string_view kFiller = " :.()[]<>=/|-,*\"'\n\t\x01\x02\x03";
  return kFiller.find(c) != std::string_view::npos;
}

constexpr auto kWideFiller =
    std::to_array<std::string_view>({"・", "【",   "】", "「", "『", "」", "』",   "→",    "〔", "〕", "■",
                                     "●",  "番号", "は", "が", "no", "№",  "直通", "代表", "◆",  "▶"});

}  // namespace

PlainCharacter PlainAt(std::string_view text, size_t at) {
  if (at >= text.size()) return {};
  const size_t bytes = std::min(Utf8Length(text[at]), text.size() - at);
  return {PlainSignOf(PointAt(text.substr(at), bytes)), static_cast<uint8_t>(bytes)};
}

PlainCharacter PlainBefore(std::string_view text, size_t at) {
  if (at == 0) return {};
  size_t begin = at - 1;
  while (begin > 0 && at - begin < 4 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  return {PlainSignOf(PointAt(text.substr(begin), at - begin)), static_cast<uint8_t>(at - begin)};
}

Phrase::Phrase(std::string_view text, size_t at) : start_(at) {
  size_t offset = 0;
  offsets_[0] = 0;
  while (size_ < kMost) {
    const PlainCharacter next = PlainAt(text, at + offset);
    if (next.bytes == 0 || next.sign == '\0') break;
    signs_[size_++] = next.sign;
    offset += next.bytes;
    offsets_[size_] = static_cast<uint16_t>(offset);
    if (!kGoesOn[static_cast<unsigned char>(next.sign)]) break;
  }
}

size_t Phrase::DigitsAt(size_t i) const {
  size_t end = i;
  while (end < size_ && IsAsciiDigit(signs_[end])) ++end;
  return end - i;
}

bool IsWholeAt(const Phrase& phrase, size_t i) {
  const char next = phrase[i];
  if (IsAsciiDigit(next) || IsAsciiLetter(next) || next == '_') return false;
  const char after = phrase[i + 1];
  if (next == '-' || next == '+' || next == '=') return !IsAsciiDigit(after) && !IsAsciiLetter(after);
  if (next == '.') return !IsAsciiDigit(after) && !IsAsciiLetter(after);
  return true;
}

std::string_view DigitGroups::Digits(const Phrase& phrase, size_t of, std::array<char, 32>* buffer) const {
  size_t size = 0;
  for (size_t i = 0; i < of; ++i) {
    const size_t take = std::min(groups[i].size, buffer->size() - size);
    phrase.View(groups[i].begin, take).copy(buffer->data() + size, take);
    size += take;
  }
  return {buffer->data(), size};
}

bool DigitGroups::AreJoinedBy(char separator, size_t of) const {
  for (size_t i = 1; i < of; ++i) {
    if (groups[i].separator != separator) return false;
  }
  return true;
}

bool DigitGroups::HaveSizes(std::initializer_list<size_t> sizes) const {
  size_t i = 0;
  for (const size_t size : sizes) {
    if (i >= count || groups[i].size != size) return false;
    ++i;
  }
  return true;
}

DigitGroups GroupsOf(const Phrase& phrase) {
  constexpr size_t kMostDigits = 20;
  DigitGroups found;
  size_t at = 0;
  char separator = '\0';
  while (found.count < DigitGroups::kMost) {
    const size_t digits = phrase.DigitsAt(at);
    if (digits == 0 || digits > kMostDigits) break;
    found.groups[found.count++] = {at, digits, separator};
    at += digits;
    // A hyphen or a dot, or brackets, with a space on either side; or a space.
    size_t next = at;
    size_t spaces = 0;
    size_t hyphens = 0;
    size_t dots = 0;
    size_t brackets = 0;
    for (; next - at < 4 && !IsAsciiDigit(phrase[next]); ++next) {
      const char c = phrase[next];
      spaces += c == ' ' ? 1 : 0;
      hyphens += c == '-' ? 1 : 0;
      dots += c == '.' ? 1 : 0;
      brackets += c == '(' || c == ')' ? 1 : 0;
    }
    const bool is_known = spaces + hyphens + dots + brackets == next - at;
    if (next == at || !is_known || spaces > 2 || hyphens + dots > 1 || brackets > 2) break;
    separator = brackets > 0 ? '(' : hyphens > 0 ? '-' : dots > 0 ? '.' : ' ';
    if (separator == ' ' && spaces > 1) break;
    if (separator == '.' && spaces > 0) break;
    at = next;
  }
  return found;
}

Behind::Behind(std::string_view text, size_t at) {
  // From as many bytes before as are in the buffer, and a character's beginning.
  size_t begin = at > kMost ? at - kMost : 0;
  while (begin < at && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) ++begin;
  while (begin < at) {
    const PlainCharacter next = PlainAt(text, begin);
    // The mark of long vowels is a letter of labels.
    const bool is_plain = next.sign >= ' ' && !(next.sign == '-' && text[begin] == '\xE3');
    if (is_plain) {
      bytes_[size_++] = next.sign >= 'A' && next.sign <= 'Z' ? static_cast<char>(next.sign | 0x20) : next.sign;
    } else {
      text.copy(bytes_.data() + size_, next.bytes, begin);
      size_ += next.bytes;
    }
    begin += next.bytes;
  }
}

bool Behind::EndsWith(std::span<const std::string_view> labels) const {
  constexpr size_t kMostFillers = 8;
  std::string_view rest = text();
  for (size_t i = 0; i <= kMostFillers; ++i) {
    for (const std::string_view label : labels) {
      if (!rest.ends_with(label)) continue;
      // A label in Latin letters is a word.
      const size_t before = rest.size() - label.size();
      if (!IsAsciiLetter(label[0]) || before == 0 || !IsAsciiLetter(rest[before - 1])) return true;
    }
    if (rest.empty()) return false;
    if (IsFiller(rest.back())) {
      rest.remove_suffix(1);
      continue;
    }
    const auto filler = std::ranges::find_if(kWideFiller, [rest](std::string_view f) { return rest.ends_with(f); });
    if (filler == kWideFiller.end()) return false;
    rest.remove_suffix(filler->size());
  }
  return false;
}

bool Behind::Contains(std::span<const std::string_view> labels, size_t bytes) const {
  const std::string_view last = text().substr(size_ - std::min(size_, bytes));
  return std::ranges::any_of(labels, [last](std::string_view label) {
    const bool is_word = IsAsciiLetter(label[0]);
    for (size_t at = 0; (at = last.find(label, at)) != std::string_view::npos; ++at) {
      const size_t end = at + label.size();
      const bool begins = at == 0 || !IsAsciiLetter(last[at - 1]);
      const bool ends = end == last.size() || !IsAsciiLetter(last[end]);
      if (!is_word || (begins && ends)) return true;
    }
    return false;
  });
}

}  // namespace uzushio
