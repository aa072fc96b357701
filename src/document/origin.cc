#include "document/origin.h"

#include <ada.h>

#include "base/utf8.h"
#include "document/host.h"

namespace uzushio {

bool UrlOrigin::Parse(std::string_view url, std::string_view base) {
  origin.clear();
  host.clear();
  path.clear();
  if (!IsValidUtf8(url) || !IsValidUtf8(base)) return false;
  ada::result<ada::url_aggregator> of_base;
  if (!base.empty()) {
    of_base = ada::parse<ada::url_aggregator>(base);
    if (!of_base) return false;
  }
  const auto parsed = ada::parse<ada::url_aggregator>(url, base.empty() ? nullptr : &*of_base);
  if (!parsed) return false;
  const bool is_http = parsed->type == ada::scheme::type::HTTP || parsed->type == ada::scheme::type::HTTPS;
  Location location;
  if (!is_http || !location.Parse(parsed->get_href())) return false;
  host = std::move(location.host);
  path = std::move(location.path);
  origin = parsed->get_protocol();
  origin += "//";
  origin += host;
  if (const std::string_view port = parsed->get_port(); !port.empty()) (origin += ':') += port;
  return true;
}

std::string OtherScheme(std::string_view origin) {
  constexpr std::string_view kHttp = "http://";
  constexpr std::string_view kHttps = "https://";
  const bool is_secure = origin.starts_with(kHttps);
  if (!is_secure && !origin.starts_with(kHttp)) return {};
  const std::string_view rest = origin.substr(is_secure ? kHttps.size() : kHttp.size());
  if (rest.find(':', rest.starts_with('[') ? rest.find(']') : 0) != std::string_view::npos) return {};
  return std::string(is_secure ? kHttp : kHttps) + std::string(rest);
}

}  // namespace uzushio
