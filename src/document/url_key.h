// Which URLs are one page's: their normal form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace uzushio {

// The normal form of an absolute URL of http or https; none for anything else. Two captures of one form are captures of
// one page.
//
//   1. The URL standard's parser and serializer (url.spec.whatwg.org, by Ada): scheme and host in lower case, hosts of
//      other scripts as `xn--…`, no default port, `.` and `..` resolved, `/` for an empty path, white space around it
//      left out, other characters percent-encoded.
//   2. Without scheme: http and https are the same. Without user and password.
//   3. Without fragment, which no server sees (RFC 3986, section 3.5).
//   4. Without the parameters by which campaigns and advertisements are counted: utm_… (Google Analytics), gclid,
//      gbraid, wbraid, dclid (Google Ads), fbclid (Meta), msclkid (Microsoft Advertising), yclid (Yahoo! JAPAN Ads,
//      Yandex), twclid (X). The order of the others stays. Without "?" where none is left.
//
// A slash at the end of a path stays: servers may answer otherwise without it (RFC 3986, section 6.2.4).
std::optional<std::string> NormalUrl(std::string_view url);

// A number for a normal form. Two forms have one number with a probability of 2^-128.
struct UrlKey {
  uint64_t high = 0;
  uint64_t low = 0;
  auto operator<=>(const UrlKey&) const = default;
};
UrlKey KeyOfUrl(std::string_view normal);

}  // namespace uzushio
