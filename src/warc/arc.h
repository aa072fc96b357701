// The header lines of ARC files, the format of web archives before WARC.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace uzushio {

// The fields of a record's only header line, as views of it (Burner and Kahle, "Arc File Format", 1996):
//   URL IP-address Archive-date Content-type Archive-length
// Version 2 has more fields between the last two, which are not looked at. Content follows; before the next record's
// line, one line end is due.
struct ArcLine {
  std::string_view url;   // may hold blanks
  std::string_view ip;    // or -
  std::string_view date;  // YYYYMMDDhhmm and more digits, as they are
  std::string_view type;  // may hold blanks, or be empty; with what version 2 has behind it
  std::string_view length;
};

// Reads a line, without its end. Nothing where it is none of a record: the URL has no scheme, or no address and date
// follow it. The length is as it is.
std::optional<ArcLine> ParseArcLine(std::string_view line);

// Whether `text` may begin with such a line. Of a line that ends in `text` all is looked at; of one that goes on, that
// it begins with a scheme and is text.
bool BeginsArcRecord(std::string_view text);
// The same of text that may end inside the scheme.
bool MayBeginArcRecord(std::string_view text);
// Whether it has one of the schemes of crawls, as http:. What is cut off at its front has none.
bool HasCommonScheme(std::string_view text);
// At most so much of a text is looked at.
inline constexpr size_t kArcLookAhead = size_t{4} << 10;

// The same as lines of a WARC header, with an empty line at the end: WARC-Type (`warcinfo` for the line of a file,
// `filedesc:`, else `response`), WARC-Target-URI, WARC-Date, WARC-IP-Address, Content-Type and Content-Length.
void WriteAsWarcHeader(const ArcLine& line, std::string* header);

}  // namespace uzushio
