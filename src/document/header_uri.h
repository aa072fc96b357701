// URIs in WARC headers.
#pragma once

#include <string_view>

namespace uzushio {

// The URI of a field. WARC 1.0 puts URIs between angle brackets, which 1.1 leaves out around WARC-Target-URI (section 5
// of both); writers of either do as they like.
constexpr std::string_view WithoutAngleBrackets(std::string_view uri) {
  return uri.starts_with('<') && uri.ends_with('>') ? uri.substr(1, uri.size() - 2) : uri;
}

}  // namespace uzushio
