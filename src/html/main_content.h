// Which paragraphs of a page are its main content.
#pragma once

#include <lexbor/html/html.h>

#include <memory>
#include <string_view>
#include <vector>

#include "html/outline.h"

namespace uzushio {

// What is decided of a paragraph.
struct ContentMark {
  float score;   // 0 … 1, how surely it is content
  bool content;  // whether it is kept
};

// A page as extraction has it. Views into the caller's memory.
struct PageForContent {
  lxb_html_document_t* tree;
  std::string_view url;
  std::string_view text;  // in the markup of document/markup.h
  const PageOutline* outline;
};

}  // namespace uzushio
