// What a page says of itself in its head, and by its URL.
#pragma once

#include <array>
#include <string_view>

#include "html/main_content/content_marker.h"
#include "html/main_content/linked_data.h"

namespace uzushio {

struct PageKind {
  int og = 0;  // og:type: 0 none, 1 website, 2 article, 3 product, 4 another
  LinkedData linked_data;
  int url_depth = 0;
  int url_digits = 0;
  int url_dashes = 0;
  bool url_query = false;
  bool url_slash = false;
  std::string_view title;
  std::array<std::string_view, 2> descriptions;
};

// Of the page; what `kind` was of another one before is forgotten, its memory used again.
void ReadKind(const PageForContent& page, PageKind* kind);

// Whether a paragraph stands in the page's title.
bool InTitle(std::string_view text, const PageKind& kind);

// Whether a paragraph opens as a part of the page's description, or the description as a part of it.
bool InDescription(std::string_view text, const PageKind& kind);

}  // namespace uzushio
