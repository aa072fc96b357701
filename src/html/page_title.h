// The title of a page.
#pragma once

#include <lexbor/html/html.h>

#include <string>
#include <string_view>

namespace uzushio {

inline constexpr size_t kMaxTitleBytes = 1024;

struct PageTitle {
  std::string text;      // on one line, at most kMaxTitleBytes; empty where the page has none
  bool is_site = false;  // it is the name of the site: `og:site_name`, or `application-name`
};

// The title of a page, without the site's name. `text` is what ExtractParagraphs made of the page. In order:
//
// 1. `og:title`, without a part that is `og:site_name`;
// 2. the first h1 that `<title>` has in it, or that has `<title>` in it;
// 3. the page's only h1;
// 4. `<title>`, without the site's name: the part that is `og:site_name`, else the last of several parts;
// 5. the first h1.
//
// Parts are those of html/title_text.h, and titles are compared by its letters. An h1 that is `og:site_name`, or that
// is the last of several parts of `<title>` and lies in no `main` or `article`, is the site's, and not asked. Of h1,
// the sign ¶ at the end is left out, which manuals link themselves by.
PageTitle FindPageTitle(lxb_html_document_t* page, std::string_view text);

}  // namespace uzushio
