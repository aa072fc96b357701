#include "html/title_text.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/utf8.h"
#include "document/markup.h"

namespace uzushio {
namespace {

// What parts titles from names of sites. Those of the second kind stand without spaces, too.
constexpr std::array<std::string_view, 11> kSpacedMarks = {"-", "–", "—", "―", "－", "»", "«", "›", "·", "•", "::"};
constexpr std::array<std::string_view, 3> kTitleMarks = {"|", "｜", "│"};

// The bytes of the mark that parts begin behind at `at`, spaces included, or 0.
size_t MarkAt(std::string_view text, size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest[0] != ' ' && rest[0] != '|' && rest[0] != '\xEF' && rest[0] != '\xE2') return 0;  // as most
  const size_t space = rest.starts_with(' ') ? 1 : 0;
  for (const std::string_view mark : kTitleMarks) {
    if (rest.substr(space).starts_with(mark)) return space + mark.size();
  }
  for (const std::string_view mark : kSpacedMarks) {
    const bool spaced = space > 0 && rest.substr(1).starts_with(mark);
    if (spaced && rest.substr(1 + mark.size()).starts_with(' ')) return mark.size() + 1;
  }
  return 0;
}

bool IsLetter(utf8proc_int32_t point) {
  switch (utf8proc_category(point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return true;
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SO: {
      constexpr utf8proc_int32_t kFirst = 0xC0;
      return point >= kFirst;
    }
    default:
      return false;
  }
}

// Those of a line in ASCII, which needs no tables.
std::u32string AsciiLetters(std::string_view line) {
  std::u32string letters;
  for (const char c : line) {
    if (IsAsciiLetter(c) || IsAsciiDigit(c)) letters.push_back(static_cast<unsigned char>(LowerAscii(c)));
  }
  return letters;
}

bool IsPartOf(const std::u32string& part, const std::u32string& whole) {
  return !part.empty() && whole.find(part) != std::u32string::npos;
}

// The line, and its parts where it has several.
std::vector<std::string_view> LineAndParts(std::string_view line) {
  std::vector<std::string_view> all = TitleParts(line);
  if (all.size() == 1) return all;
  all.insert(all.begin(), line);
  return all;
}

}  // namespace

std::string OnOneLine(std::string_view text) {
  std::string line;
  bool space = false;
  text = Utf8Prefix(text, kMaxTitleLooked);
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (IsMark(c)) continue;
    const size_t wide = c == '\xC2' && text.substr(i + 1).starts_with('\xA0') ? 2 : WideSpacePrefix(text.substr(i));
    if (wide > 0 || static_cast<unsigned char>(c) <= ' ') {
      space = true;
      i += std::max<size_t>(wide, 1) - 1;
      continue;
    }
    if (space && !line.empty()) line += ' ';
    space = false;
    line += c;
  }
  return line;
}

std::string_view TrimSpaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> TitleParts(std::string_view line) {
  std::vector<std::string_view> parts;
  const auto add = [&parts](std::string_view part) {
    part = TrimSpaces(part);
    if (!part.empty()) parts.push_back(part);
  };
  size_t begin = 0;
  for (size_t at = 0; at < line.size();) {
    const size_t mark = MarkAt(line, at);
    if (mark > 0) {
      add(line.substr(begin, at - begin));
      begin = at + mark;
    }
    at += std::max<size_t>(mark, 1);
  }
  add(line.substr(begin));
  return parts;
}

std::u32string TitleLetters(std::string_view line) {
  constexpr auto kOptions =
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD);
  line = Utf8Prefix(line, kMaxTitleLooked);
  if (std::ranges::all_of(line, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return AsciiLetters(line);
  std::vector<utf8proc_int32_t> points(2 * line.size());
  const auto fold = [&] {
    return utf8proc_decompose(reinterpret_cast<const utf8proc_uint8_t*>(line.data()),
                              static_cast<utf8proc_ssize_t>(line.size()), points.data(),
                              static_cast<utf8proc_ssize_t>(points.size()), kOptions);
  };
  utf8proc_ssize_t size = fold();
  if (size > static_cast<utf8proc_ssize_t>(points.size())) {
    points.resize(static_cast<size_t>(size));
    size = fold();
  }
  std::u32string letters;
  if (size <= 0) return letters;  // no valid UTF-8 has no letters
  size = utf8proc_normalize_utf32(points.data(), size, kOptions);
  for (utf8proc_ssize_t i = 0; i < size; ++i) {
    const utf8proc_int32_t point = points[static_cast<size_t>(i)];
    if (IsLetter(point)) letters.push_back(static_cast<char32_t>(point));
  }
  return letters;
}

bool HeadingRepeatsTitle(std::string_view title, std::string_view heading) {
  const std::u32string said = TitleLetters(OnOneLine(heading));
  const std::u32string all = TitleLetters(OnOneLine(title));
  return IsPartOf(all, said) || IsPartOf(said, all);
}

bool ParagraphRepeatsTitle(std::string_view title, std::string_view paragraph) {
  constexpr size_t kMostTimes = 3;
  const std::string line = OnOneLine(title);
  const std::u32string said = TitleLetters(OnOneLine(paragraph));
  const std::u32string all = TitleLetters(line);
  if (IsPartOf(all, said) && said.size() < kMostTimes * all.size()) return true;
  if (IsPartOf(said, all) && 2 * said.size() >= all.size()) return true;
  std::vector<std::string_view> parts = LineAndParts(line);
  if (parts.size() > 1) parts.pop_back();
  return std::ranges::any_of(parts, [&said](std::string_view part) {
    const std::u32string letters = TitleLetters(part);
    return !letters.empty() && said.starts_with(letters);
  });
}

}  // namespace uzushio
