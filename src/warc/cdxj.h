// Lines of CDXJ, the index of web archives that pywb and Common Crawl write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace uzushio {

// A record of an archive, as an index names it. Texts that are empty are not known.
struct Capture {
  std::string url;
  std::optional<int64_t> time;  // when it was fetched: milliseconds since 1970, UTC
  std::optional<int32_t> status;
  std::string digest;  // of the payload, without the name of its algorithm where that is sha1
  std::string mime;
  std::string mime_detected;
  std::string charset;
  std::string languages;
  std::string truncated;
  std::string file;
  int64_t offset = 0;
  int64_t length = 0;  // of the whole compressed member
};

// A line is the key by which it is sorted, 14 digits of a time, and a JSON object; the key may hold blanks. Numbers may
// stand as texts, and `-` is not known (pywb, "CDXJ format"; Common Crawl, "URL index"). Returns why the line is none,
// one of a fixed few reasons, or empty.
std::string_view ParseCdxj(std::string_view line, Capture* capture);

// Whether the line is about the file and no capture: `!meta`, ` CDX`, or an empty one.
bool IsCdxjHeader(std::string_view line);

// YYYYMMDDhhmmss, or an ISO 8601 date with or without a time in UTC, as milliseconds since 1970.
std::optional<int64_t> ParseCaptureTime(std::string_view text);

// `sha1:ABC` as `ABC`; others as they are.
std::string_view PlainDigest(std::string_view digest);

}  // namespace uzushio
