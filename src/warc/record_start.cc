#include "warc/record_start.h"

#include <algorithm>

#include "base/ascii.h"
#include "warc/arc.h"

namespace uzushio {
namespace {

constexpr std::string_view kWarcMagic = "WARC/";
constexpr size_t kVersionSize = 8;  // of the shortest version line, without its end
// Line ends behind a record that are taken for its end: two are due (in ARC, one), and some writers add more.
constexpr size_t kMaxLineEnds = 16;
// A longer line of ARC is not found by a search.
constexpr size_t kMaxFoundLine = size_t{16} << 10;

// A whole version line, as WARC/1.0 or WARC/0.18.
bool BeginsWithVersionLine(std::string_view text) {
  constexpr size_t kMostDigits = 4;
  if (!BeginsRecord(ArchiveFormat::kWarc, text)) return false;
  text.remove_prefix(kWarcMagic.size() + 2);
  size_t digits = 0;
  while (digits < text.size() && digits < kMostDigits && IsAsciiDigit(text[digits])) ++digits;
  text.remove_prefix(digits);
  return digits > 0 && (text.starts_with('\n') || text.starts_with("\r\n"));
}

size_t FindVersionLine(std::string_view text, size_t from) {
  for (size_t at = text.find(kWarcMagic, from); at != std::string_view::npos; at = text.find(kWarcMagic, at + 1)) {
    if (at > 0 && text[at - 1] == '\n' && BeginsRecord(ArchiveFormat::kWarc, text.substr(at))) return at;
  }
  return std::string_view::npos;
}

size_t FindArcLine(std::string_view text, size_t from) {
  for (size_t at = text.find('\n', from - 1); at != std::string_view::npos;) {
    const size_t begin = at + 1;
    at = text.find('\n', begin);
    if (at != std::string_view::npos && at - begin <= kMaxFoundLine && ParseArcLine(text.substr(begin, at - begin))) {
      return begin;
    }
  }
  return std::string_view::npos;
}

}  // namespace

size_t LineEnds(std::string_view text) {
  const size_t end = text.find_first_not_of("\r\n");
  return end == std::string_view::npos ? text.size() : end;
}

bool BeginsRecord(ArchiveFormat format, std::string_view text) {
  if (format == ArchiveFormat::kArc) return BeginsArcRecord(text);
  return text.size() >= kVersionSize && text.starts_with(kWarcMagic) && IsAsciiDigit(text[5]) && text[6] == '.';
}

bool MayBeginRecord(ArchiveFormat format, std::string_view text) {
  if (format == ArchiveFormat::kArc) return MayBeginArcRecord(text);
  const bool is_start = text.size() < kVersionSize && !text.empty();
  return BeginsRecord(format, text) || (is_start && kWarcMagic.starts_with(text.substr(0, kWarcMagic.size())));
}

std::optional<ArchiveFormat> FormatOfRecord(std::string_view text) {
  if (text.starts_with(kWarcMagic)) return ArchiveFormat::kWarc;
  return BeginsArcRecord(text) ? std::optional(ArchiveFormat::kArc) : std::nullopt;
}

bool BeginsWithRecord(std::string_view text) { return FormatOfRecord(text.substr(LineEnds(text))).has_value(); }

size_t FindRecord(ArchiveFormat format, std::string_view text, size_t from) {
  return format == ArchiveFormat::kWarc ? FindVersionLine(text, from) : FindArcLine(text, from);
}

size_t BytesToSeeAgain(ArchiveFormat format, std::string_view text) {
  if (format == ArchiveFormat::kWarc) return std::min(kWarcLookBehind, text.size());
  const size_t last = text.rfind('\n');
  const size_t line = last == std::string_view::npos ? 0 : text.size() - last;
  return line <= kMaxFoundLine ? line : 0;
}

std::optional<size_t> LineEndsOfRecord(ArchiveFormat format, std::string_view behind, bool is_sound_end) {
  const size_t line_ends = LineEnds(behind.substr(0, kMaxLineEnds));
  if (line_ends == behind.size()) return is_sound_end ? std::optional(line_ends) : std::nullopt;
  const std::string_view next = behind.substr(line_ends);
  // Some writers leave the line ends out. Then the next record has to begin as most do: with a scheme that has not lost
  // its first letters to a false length, or a whole version line.
  if (format == ArchiveFormat::kArc) {
    const bool is_next = MayBeginArcRecord(next) && (line_ends > 0 || HasCommonScheme(next));
    return is_next ? std::optional(line_ends) : std::nullopt;
  }
  const bool is_next =
      line_ends > 0 ? kWarcMagic.starts_with(next.substr(0, kWarcMagic.size())) : BeginsWithVersionLine(next);
  return is_next ? std::optional(line_ends) : std::nullopt;
}

}  // namespace uzushio
