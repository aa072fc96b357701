// Characters around a digit, with their forms of full width made ASCII.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/ascii.h"

namespace uzushio {

inline constexpr char kDegreeSign = 1;  // ° º 度
inline constexpr char kMinuteSign = 2;  // ' ′ ’ 分
inline constexpr char kSecondSign = 3;  // " ″ ” 秒
inline constexpr char kOtherSign = 4;   // any other character

constexpr bool IsHexDigit(char c) { return IsAsciiDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// A character as ASCII: digits, letters and signs of full width are those of ASCII, all hyphens and dashes `-`, white
// space within a line ` `, ideographic commas `,`. Ends of lines and cells, and marks, are '\0'.
struct PlainCharacter {
  char sign = '\0';
  uint8_t bytes = 0;  // 0 at the end of the text
};
PlainCharacter PlainAt(std::string_view text, size_t at);
// The character that ends before byte `at`.
PlainCharacter PlainBefore(std::string_view text, size_t at);

// What follows a place, as far as numbers, their separators, hexadecimal digits and the letters of directions go, and
// the first character behind it.
class Phrase {
 public:
  static constexpr size_t kMost = 72;

  Phrase(std::string_view text, size_t at);

  size_t size() const { return size_; }
  // '\0' behind the end.
  char operator[](size_t i) const { return i < size_ ? signs_[i] : '\0'; }
  // The byte of the text where character i begins; i is at most size().
  size_t ByteAt(size_t i) const { return start_ + offsets_[i]; }
  // The digits from i on.
  size_t DigitsAt(size_t i) const;
  std::string_view View(size_t begin, size_t size) const { return {signs_.data() + begin, size}; }

 private:
  size_t start_;
  size_t size_ = 0;
  std::array<char, kMost> signs_;
  std::array<uint16_t, kMost + 1> offsets_;
};

// Whether something that ends before character i of a phrase is whole there: neither a letter nor a digit follows, nor
// a sign that joins it with one.
bool IsWholeAt(const Phrase& phrase, size_t i);

// Runs of digits in a phrase, with what is between.
struct DigitGroups {
  static constexpr size_t kMost = 6;
  struct Group {
    size_t begin = 0;
    size_t size = 0;
    char separator = '\0';  // before it: `-`, ` `, `.`, `(` for any brackets
  };
  std::array<Group, kMost> groups;
  size_t count = 0;

  size_t EndOf(size_t group) const { return groups[group].begin + groups[group].size; }
  // The digits of the first groups, one after another.
  std::string_view Digits(const Phrase& phrase, size_t of, std::array<char, 32>* buffer) const;
  // Whether groups from the second to the last of the first `of` have this separator.
  bool AreJoinedBy(char separator, size_t of) const;
  bool HaveSizes(std::initializer_list<size_t> sizes) const;
};
// The groups from the phrase's beginning on, of up to 20 digits, separated by a hyphen, a space, a dot or brackets.
DigitGroups GroupsOf(const Phrase& phrase);

// What precedes a place, normalized as in a phrase, and in small letters.
class Behind {
 public:
  static constexpr size_t kMost = 96;  // bytes

  Behind(std::string_view text, size_t at);

  std::string_view text() const { return {bytes_.data(), size_}; }
  // Whether it ends with one of the labels, with nothing but brackets, colons, spaces and the like between.
  bool EndsWith(std::span<const std::string_view> labels) const;
  // Whether one is in its last `bytes` bytes; one of Latin letters as a word.
  bool Contains(std::span<const std::string_view> labels, size_t bytes = kMost) const;
  // Whether one is in it behind the last line break.
  bool LineContains(std::span<const std::string_view> labels) const {
    const size_t line = text().rfind('\n');
    return Contains(labels, line == std::string_view::npos ? size_ : size_ - line - 1);
  }

 private:
  size_t size_ = 0;
  std::array<char, kMost> bytes_;
};

}  // namespace uzushio
