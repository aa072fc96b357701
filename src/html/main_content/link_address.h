// What a link's address says of where it leads: "/tag/…", "facebook.com", "#comments".
#pragma once

#include <string_view>

#include "html/main_content/tokens.h"

namespace uzushio {

// The host of an absolute URL, without user, port and "www."; empty where it has none. A view into the URL.
std::string_view PlainHost(std::string_view url);

enum class LinkTarget {
  kSite,   // a page of the same host
  kPage,   // a part of the page itself: "#name"
  kOther,  // another host
  kNone,   // no page: "mailto:", "javascript:", "#"
};

// Where an address leads from a page of `host` (PlainHost), and calls visitor->Token(hash) for what it says: its
// scheme, or its host where it is another one; folders, each by its name, or by how it looks where it has digits or
// many words; the parameters of its query, and the name of its fragment. Hashes are others than those of classes and
// words, so that one table has all. Read as it is written: `base` is not looked at, nor "WWW." taken off.
LinkTarget VisitAddress(std::string_view address, std::string_view host, TokenVisitor* visitor);

}  // namespace uzushio
