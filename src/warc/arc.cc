#include "warc/arc.h"

#include <algorithm>

#include "base/ascii.h"
#include "warc/headers.h"

namespace uzushio {
namespace {

constexpr size_t kMaxScheme = 16;
// Of digits of a date: years to minutes at least; years to nanoseconds at most.
constexpr size_t kLeastDateDigits = 12;
constexpr size_t kMostDateDigits = 23;

// The bytes of the scheme that `text` begins with (RFC 3986, section 3.1), without its colon; 0 where there is none.
// One that the text ends in is as long as the text.
size_t SchemeSize(std::string_view text) {
  if (text.empty() || !IsAsciiLetter(text[0])) return 0;
  const auto is_no_part = [](char c) {
    return !IsAsciiLetter(c) && !IsAsciiDigit(c) && c != '+' && c != '-' && c != '.';
  };
  const auto end = static_cast<size_t>(std::ranges::find_if(text, is_no_part) - text.begin());
  return end <= kMaxScheme && (end == text.size() || text[end] == ':') ? end : 0;
}

bool IsAddress(std::string_view text) {
  if (text == "-") return true;
  const auto is_part = [](char c) {
    return IsAsciiDigit(c) || c == '.' || c == ':' || (LowerAscii(c) >= 'a' && LowerAscii(c) <= 'f');
  };
  return std::ranges::all_of(text, is_part) && text.find_first_of(".:") != std::string_view::npos;
}

bool IsDate(std::string_view text) {
  return text.size() >= kLeastDateDigits && text.size() <= kMostDateDigits && std::ranges::all_of(text, IsAsciiDigit);
}

std::string_view FirstWord(std::string_view text) { return text.substr(0, text.find(' ')); }

}  // namespace

std::optional<ArcLine> ParseArcLine(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const size_t scheme = SchemeSize(line);
  if (scheme == 0 || scheme == line.size()) return std::nullopt;
  for (size_t at = line.find(' ', scheme); at != std::string_view::npos; at = line.find(' ', at + 1)) {
    const std::string_view ip = FirstWord(line.substr(at + 1));
    if (!IsAddress(ip)) continue;
    const size_t date_at = at + 1 + ip.size() + 1;
    if (date_at >= line.size()) return std::nullopt;
    const std::string_view date = FirstWord(line.substr(date_at));
    if (!IsDate(date)) continue;
    const size_t type_at = date_at + date.size() + 1;
    if (type_at >= line.size()) return std::nullopt;
    const std::string_view rest = line.substr(type_at);
    const size_t last = rest.rfind(' ');
    const bool has_type = last != std::string_view::npos;
    return ArcLine{.url = line.substr(0, at),
                   .ip = ip,
                   .date = date,
                   .type = has_type ? rest.substr(0, last) : std::string_view(),
                   .length = has_type ? rest.substr(last + 1) : rest};
  }
  return std::nullopt;
}

bool BeginsArcRecord(std::string_view text) {
  text = text.substr(0, kArcLookAhead);
  const size_t scheme = SchemeSize(text);
  if (scheme == 0 || scheme == text.size()) return false;
  const size_t end = text.find('\n');
  if (end != std::string_view::npos) return ParseArcLine(text.substr(0, end)).has_value();
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\r'; });
}

bool MayBeginArcRecord(std::string_view text) {
  return BeginsArcRecord(text) || (!text.empty() && SchemeSize(text) == text.size());
}

bool HasCommonScheme(std::string_view text) {
  const auto begins = [text](std::string_view scheme) {
    return EqualsIgnoreCase(text.substr(0, scheme.size()), scheme);
  };
  return begins("http:") || begins("https:") || begins("ftp:") || begins("dns:");
}

void WriteAsWarcHeader(const ArcLine& line, std::string* header) {
  const auto add = [header](std::string_view name, std::string_view value) {
    if (!value.empty()) header->append(name).append(": ").append(value).append("\r\n");
  };
  header->clear();
  constexpr std::string_view kFile = "filedesc:";
  const bool is_file = EqualsIgnoreCase(line.url.substr(0, kFile.size()), kFile);
  add("WARC-Type", is_file ? "warcinfo" : "response");
  add("WARC-Target-URI", line.url);
  std::string date(line.date.substr(0, 4));
  constexpr std::string_view kBefore = "--T::";
  for (size_t i = 0; i < kBefore.size() && 4 + 2 * i + 2 <= line.date.size(); ++i) {
    date.append(1, kBefore[i]).append(line.date.substr(4 + 2 * i, 2));
  }
  add("WARC-Date", date.append("Z"));
  add("WARC-IP-Address", line.ip == "-" ? std::string_view() : line.ip);
  add("Content-Type", line.type);
  add("Content-Length", line.length);
  header->append("\r\n");
}

}  // namespace uzushio
