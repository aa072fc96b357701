#include "document/url_key.h"

#include <ada.h>
#include <xxhash.h>

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace uzushio {
namespace {

constexpr std::array<std::string_view, 8> kCountingNames = {"dclid",   "fbclid", "gbraid", "gclid",
                                                            "msclkid", "twclid", "wbraid", "yclid"};

bool IsOfCounting(std::string_view parameter) {
  if (parameter.starts_with("utm_")) return true;
  return std::ranges::any_of(kCountingNames, [parameter](std::string_view name) {
    return parameter.starts_with(name) && (parameter.size() == name.size() || parameter[name.size()] == '=');
  });
}

}  // namespace

std::optional<std::string> NormalUrl(std::string_view url) {
  if (!IsValidUtf8(url)) return std::nullopt;
  const auto parsed = ada::parse<ada::url_aggregator>(url);
  if (!parsed) return std::nullopt;
  if (parsed->type != ada::scheme::type::HTTP && parsed->type != ada::scheme::type::HTTPS) return std::nullopt;
  std::string normal = "//";
  normal += parsed->get_host();  // with a port that is not the default
  normal += parsed->get_pathname();
  std::string_view query = parsed->get_search();
  char before = '?';
  if (!query.empty()) query.remove_prefix(1);
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view parameter = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (parameter.empty() || IsOfCounting(parameter)) continue;
    normal += before;
    normal += parameter;
    before = '&';
  }
  return normal;
}

UrlKey KeyOfUrl(std::string_view normal) {
  const XXH128_hash_t hash = XXH3_128bits(normal.data(), normal.size());
  return {hash.high64, hash.low64};
}

}  // namespace uzushio
