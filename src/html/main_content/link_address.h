// What a link's address says of where it leads: "/tag/…", "facebook.com", "#comments".
#pragma once

#include <memory>
#include <string_view>

#include "html/main_content/tokens.h"

namespace ada {
struct url_aggregator;
}

namespace uzushio {

// What of a page's URL its links are compared with. Of a view into the URL.
class PageAddress {
 public:
  explicit PageAddress(std::string_view url);
  PageAddress(const PageAddress&) = delete;
  PageAddress& operator=(const PageAddress&) = delete;
  ~PageAddress();

  // As it is written, without user, port and "www."; empty where the URL has none.
  std::string_view Host() const { return host_; }
  // Whether a link of the page to this address leads to the page itself, or to a part of it. False where the page has
  // no URL that can be read, or one longer than 4 KB, and for an address with backslashes.
  bool IsOwn(std::string_view address) const;

 private:
  std::string_view host_;
  std::unique_ptr<const ada::url_aggregator> url_;
};

enum class LinkTarget {
  kSite,   // a page of the same host
  kPage,   // a part of the page itself: "#name", or the page's own address before that
  kOther,  // another host
  kNone,   // no page: "mailto:", "javascript:", "#"
};

// Where an address leads from a page, and calls visitor->Token(hash) for what it says: its scheme, or its host where it
// is another one; folders, each by its name, or by how it looks where it has digits or many words; the parameters of
// its query, and the name of its fragment, which is all that an address in the page itself says. Hashes are others than
// those of classes and words, so that one table has all. The page's <base> is not looked at.
LinkTarget VisitAddress(std::string_view address, const PageAddress& page, TokenVisitor* visitor);

}  // namespace uzushio
