// HTML pages to DOM trees (WHATWG parsing, by lexbor), at bounded cost.
#pragma once

#include <lexbor/html/html.h>

#include <memory>
#include <string_view>

#include "html/limits.h"

namespace uzushio {

enum class ParseOutcome { kOk, kTooDeep, kTooManyAttributes, kTooManyNodes, kOutOfMemory };

// A parser that is used for page after page; it keeps its memory. Not for several threads at once.
class HtmlParser {
 public:
  explicit HtmlParser(const PageLimits& limits);
  ~HtmlParser();
  HtmlParser(const HtmlParser&) = delete;
  HtmlParser& operator=(const HtmlParser&) = delete;

  // Parses a page of valid UTF-8. On kOk `document()` is its tree until the next call. Scripting is off: what is in
  // `noscript` are elements.
  ParseOutcome Parse(std::string_view utf8);
  lxb_html_document_t* document() const { return document_; }

 private:
  // State of the page in hand, for the callback that counts.
  struct Guard {
    PageLimits limits;
    size_t nodes = 0;
    size_t attributes = 0;  // of all tokens so far
    ParseOutcome outcome = ParseOutcome::kOk;
    lxb_html_tree_t* tree = nullptr;
    lxb_html_tokenizer_token_f next = nullptr;
    void* next_context = nullptr;
  };

  static lxb_html_token_t* OnToken(lxb_html_tokenizer_t* tokenizer, lxb_html_token_t* token, void* context);
  bool Prepare();

  Guard guard_;
  lxb_html_document_t* document_ = nullptr;
};

}  // namespace uzushio
