// HTTP responses as crawlers store them, read as browsers read them.
#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "warc/headers.h"

namespace uzushio {

// A parsed response; views of the text that was parsed.
struct HttpResponse {
  int status = 0;
  Headers headers;
  std::string_view body;  // as stored, codings not undone
};

// Parses a stored response. The status line may be of any version, lack its reason and end in LF alone. False when it
// is no response.
bool ParseHttpResponse(std::string_view message, HttpResponse* response);

enum class BodyOutcome { kOk, kTruncated, kFalseChecksum, kTooLarge, kInflated, kTooWide, kDamaged };

struct BodyLimits {
  size_t max_bytes;
  size_t max_inflation;  // decoded bytes for a stored byte, above 1 MiB
};

// Undoes the transfer codings of a response and then its content codings: chunked, gzip, deflate, br and zstd. On kOk
// `body` is the result: a view of the response, or of `buffer`. So it is on kTruncated, where it ends early: what
// arrived, if that is anything, and on kFalseChecksum: all of a gzip or zlib stream that is whole, but whose checksum
// or length is another's, which browsers do not look at. kTooWide: zstd with a window above 8 MiB (RFC 9659). A header
// that names a coding which the body is not in is not believed, since crawlers store decoded bodies with the headers of
// before.
BodyOutcome DecodeBody(const HttpResponse& response, const BodyLimits& limits, std::string* buffer,
                       std::string_view* body);

// A Content-Type, as views of the header.
struct ContentType {
  std::string_view essence;  // as text/html; empty where there is none
  std::string_view charset;  // without quotes, or empty

  bool operator==(const ContentType&) const = default;
};

// Reads one value. What separates its parameters may be blanks alone, as in `text/html charset=utf-8`.
ContentType ParseContentType(std::string_view value);

// Of all that a response has, the last that says something, with the charset of one before it that says the same but
// for the charset (WHATWG Fetch, "extract a MIME type").
ContentType ContentTypeOf(const Headers& headers);

enum class MediaType { kHtml, kText, kOther };

// What the body is, from its type or, where that is missing or generic, from its first bytes (WHATWG MIME Sniffing,
// section 7.1). A text/plain body that begins with an HTML document type or <html> is HTML, and so is XML that begins
// with one of these.
MediaType ClassifyMedia(std::string_view essence, std::string_view body);

}  // namespace uzushio
