// What a page's markup says of it before it is parsed.
#pragma once

#include <string>
#include <string_view>

#include "html/html_parser.h"

namespace uzushio {

// More of a title is not looked at.
inline constexpr size_t kMaxTitleMarkup = 4096;

// Found by looking at tags, without a tree. The views are of the page.
struct PageHead {
  std::string_view language;  // the `lang`, else the `xml:lang`, of the first html tag; or empty
  std::string_view title;     // the markup in the first title element, at most kMaxTitleMarkup; or empty
};

// Comments, scripts and styles are passed over. The page may be in any encoding that has the characters of ASCII in
// their places.
PageHead SniffHead(std::string_view page);

// The text of a title's markup, UTF-8: character references are replaced. Empty where the parser's limits are passed.
// What the parser had parsed before is gone.
std::string TitleText(std::string_view markup, HtmlParser* parser);

}  // namespace uzushio
