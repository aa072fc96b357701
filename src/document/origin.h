// Origins of URLs: what one robots.txt is for.
#pragma once

#include <string>
#include <string_view>

namespace uzushio {

// Where the robots.txt of an origin lies.
inline constexpr std::string_view kRobotsPath = "/robots.txt";

// The parts of a URL of http or https, as the WHATWG's URL standard reads it (by Ada).
struct UrlOrigin {
  std::string origin;  // `https://example.com`, `http://example.com:8080`: without a port that is the scheme's
  std::string host;    // as document/host.h has it
  std::string path;    // from "/" on, with the query, without fragment

  // Sets it to the parts of an absolute URL, or of one that is relative to `base`. False, and nothing in it, where it
  // is none, of another scheme, or of a host that can not be. It may be any bytes.
  bool Parse(std::string_view url, std::string_view base = {});
};

// The origin of the same host with the other scheme, where neither has a port: `http://a.jp` for `https://a.jp`.
// Empty where there is none.
std::string OtherScheme(std::string_view origin);

}  // namespace uzushio
