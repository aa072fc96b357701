// The table of robots.txt files, which `uzushio robots-txt` writes and the filter OptOut reads.
//
//   origin    utf8, as document/origin.h has it: `https://example.com`; each once, in order of OriginKey
//   host      utf8
//   status    int32, of the HTTP response
//   access    utf8: `rules` (2xx), `redirect` (3xx), `all` (4xx: all may be fetched), `unknown` (5xx and others)
//   date      utf8, when it was fetched: yyyy-mm-ddThh:mm:ss in UTC; empty: not known
//   redirect  utf8, of `redirect`: the origin whose robots.txt it leads to; empty: to something else
//   agents    utf8: the names in the rules, in order, one a line
//   rules     utf8: the groups, as document/robots_file.h has them
//   bytes     int64, of the file as it was fetched; above 500 KiB, the rest was not read
//   warc, offset, length   where the record is, as in documents
#pragma once

#include <xxhash.h>

#include <cstdint>
#include <string_view>

namespace uzushio {

inline constexpr const char* kRobotsTableFile = "robots.parquet";

inline constexpr std::string_view kAccessRules = "rules";
inline constexpr std::string_view kAccessRedirect = "redirect";
inline constexpr std::string_view kAccessAll = "all";
inline constexpr std::string_view kAccessUnknown = "unknown";

// A number for an origin. Those of different ones are equal with a probability of 2^-64.
inline uint64_t OriginKey(std::string_view origin) { return XXH3_64bits(origin.data(), origin.size()); }

}  // namespace uzushio
