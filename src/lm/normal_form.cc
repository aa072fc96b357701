#include "lm/normal_form.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/utf8.h"

namespace uzushio {
namespace {

// Whether a character is its own NFKC, and neither changes nor is changed by one before it: ASCII that can be printed,
// Japanese punctuation, kana, unified ideographs. A mark behind it may still join it.
constexpr bool StaysAlone(char32_t point) {
  return (point >= 0x20 && point < 0x7F) || point == '\n' || (point >= 0x3001 && point <= 0x3029) ||
         (point >= 0x3041 && point <= 0x3096) || (point >= 0x30A1 && point <= 0x30FE) ||
         (point >= 0x4E00 && point <= 0x9FFF);
}

void AppendPoint(utf8proc_int32_t point, std::string* to) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto size = utf8proc_encode_char(point, bytes.data());
  to->append(reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(size));
}

constexpr auto kOptions = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
constexpr size_t kMostDecomposed = 32;  // of one character; Unicode's longest compatibility decomposition has 18

// The canonical ordering (Unicode Standard, 3.11): each run of marks by their combining classes, equal ones as they
// are. utf8proc's own swaps neighbours, which takes hours for a text of a few MiB of marks.
void OrderMarks(std::vector<utf8proc_int32_t>* points) {
  const auto class_of = [](utf8proc_int32_t point) { return utf8proc_get_property(point)->combining_class; };
  for (auto begin = points->begin(); begin != points->end();) {
    begin = std::find_if(begin, points->end(), [&](utf8proc_int32_t point) { return class_of(point) != 0; });
    const auto end = std::find_if(begin, points->end(), [&](utf8proc_int32_t point) { return class_of(point) == 0; });
    std::stable_sort(begin, end, [&](utf8proc_int32_t a, utf8proc_int32_t b) { return class_of(a) < class_of(b); });
    begin = end;
  }
}

// Of a piece of valid UTF-8.
void AppendNfkc(std::string_view piece, std::vector<utf8proc_int32_t>* points, std::string* to) {
  points->clear();
  std::array<utf8proc_int32_t, kMostDecomposed> parts{};
  for (size_t at = 0; at < piece.size();) {
    const size_t length = Utf8Length(piece[at]);
    const auto point = static_cast<utf8proc_int32_t>(PointAt(piece.substr(at), length));
    const auto count = utf8proc_decompose_char(point, parts.data(), kMostDecomposed, kOptions, nullptr);
    for (utf8proc_ssize_t i = 0; i < std::min<utf8proc_ssize_t>(count, kMostDecomposed); ++i) {
      points->push_back(parts[static_cast<size_t>(i)]);
    }
    at += length;
  }
  OrderMarks(points);
  const auto count = utf8proc_normalize_utf32(points->data(), static_cast<utf8proc_ssize_t>(points->size()), kOptions);
  for (utf8proc_ssize_t i = 0; i < count; ++i) AppendPoint((*points)[static_cast<size_t>(i)], to);
}

}  // namespace

void NormalizeNfkc(std::string_view text, std::string* to) {
  to->clear();
  std::vector<utf8proc_int32_t> points;
  size_t copied = 0;    // the text before is in `to`
  size_t previous = 0;  // where the last character that stays begins
  for (size_t at = 0; at < text.size();) {
    const size_t length = Utf8Length(text[at]);
    if (StaysAlone(PointAt(text.substr(at), length))) {
      previous = at;
      at += length;
      continue;
    }
    size_t end = at;
    while (end < text.size()) {
      const size_t next = Utf8Length(text[end]);
      if (StaysAlone(PointAt(text.substr(end), next))) break;
      end += next;
    }
    const size_t begin = std::max(previous, copied);
    to->append(text.substr(copied, begin - copied));
    AppendNfkc(text.substr(begin, end - begin), &points, to);
    copied = previous = at = end;
  }
  to->append(text.substr(copied));
}

void LowerCase(std::string_view text, std::string* to) {
  to->clear();
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    const size_t length = Utf8Length(c);
    // There are no two cases in U+2E80-A63F: kana, ideographs.
    const char32_t point = PointAt(text.substr(at), length);
    if (length == 1) {
      to->push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
    } else if (point >= 0x2E80 && point < 0xA640) {
      to->append(text, at, length);
    } else {
      AppendPoint(utf8proc_tolower(static_cast<utf8proc_int32_t>(point)), to);
    }
    at += length;
  }
}

std::string_view FirstCharacters(std::string_view text, int64_t characters) {
  if (static_cast<int64_t>(text.size()) <= characters) return text;
  size_t at = 0;
  for (; at < text.size() && characters > 0; --characters) at += Utf8Length(text[at]);
  return text.substr(0, std::min(at, text.size()));
}

}  // namespace uzushio
