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

enum class BodyOutcome { kOk, kTooLarge, kInflated, kDamaged };

struct BodyLimits {
  size_t max_bytes;
  size_t max_inflation;  // decoded bytes for a stored byte, above 1 MiB
};

// Undoes chunked transfer coding and gzip, deflate, br and zstd content codings. On kOk `body` is the result: a view of
// the response, or of `buffer`. A header that names a coding which the body is not in is not believed, since crawlers
// store decoded bodies with the headers of before.
BodyOutcome DecodeBody(const HttpResponse& response, const BodyLimits& limits, std::string* buffer,
                       std::string_view* body);

enum class MediaType { kHtml, kText, kOther };

// What the body is, from its Content-Type or, where that is missing or generic, from its first bytes (WHATWG MIME
// Sniffing, section 7.1). A text/plain body that begins with an HTML document type or <html> is HTML.
MediaType ClassifyMedia(std::string_view content_type, std::string_view body);

// The charset parameter of a Content-Type, without quotes, or empty.
std::string_view CharsetParameter(std::string_view content_type);

}  // namespace uzushio
