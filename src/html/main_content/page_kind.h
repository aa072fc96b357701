// What a page says of itself in its head, and by its URL.
#pragma once

#include <array>
#include <string_view>

#include "html/main_content/content_marker.h"

namespace uzushio {

struct PageKind {
  int og = 0;  // og:type: 0 none, 1 website, 2 article, 3 product, 4 another
  // Kinds that linked data (JSON-LD) in the head names.
  bool article = false;
  bool product = false;
  bool forum = false;
  bool list = false;
  bool faq = false;
  int url_depth = 0;
  int url_digits = 0;
  int url_dashes = 0;
  bool url_query = false;
  bool url_slash = false;
  std::string_view title;
  std::array<std::string_view, 2> descriptions;
};

PageKind KindOf(const PageForContent& page);

// Whether a paragraph stands in the page's title.
bool InTitle(std::string_view text, const PageKind& kind);

// Whether a paragraph opens as a part of the page's description, or the description as a part of it.
bool InDescription(std::string_view text, const PageKind& kind);

}  // namespace uzushio
