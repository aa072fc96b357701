// HTML pages to DOM trees (WHATWG parsing, by lexbor), at bounded cost.
#pragma once

#include <lexbor/html/html.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "html/license_gate.h"
#include "html/limits.h"
#include "html/tree_bytes.h"

namespace uzushio {

// kFailed: lexbor has given up, for no reason of these.
enum class ParseOutcome { kOk, kTooDeep, kTooManyAttributes, kTreeTooLarge, kFailed };

// A parser that is used for page after page; it keeps its memory. Not for several threads at once.
class HtmlParser {
 public:
  explicit HtmlParser(const PageLimits& limits);
  ~HtmlParser();
  HtmlParser(const HtmlParser&) = delete;
  HtmlParser& operator=(const HtmlParser&) = delete;

  // Parses a page of valid UTF-8. On kOk `document()` is its tree until the next call. Scripting is off: what is in
  // `noscript` are elements. Elements have the attributes that are read (html/read_attributes.h), and scripts and style
  // sheets no text (html/unread_text.h). Throws std::bad_alloc where memory runs out, and can be used again.
  ParseOutcome Parse(std::string_view utf8);
  lxb_html_document_t* document() const { return document_; }
  // What the tree takes, by which it is limited; after kOk.
  size_t tree_bytes() { return guard_.bytes.Bytes(); }
  // Whether html/page_rights.h may find a licence in it; after kOk.
  bool may_name_license() const { return guard_.licenses.is_open(); }

 private:
  // State of the page in hand, for the callback that limits it.
  struct Guard {
    PageLimits limits;
    TreeBytes bytes;
    size_t attributes = 0;  // of all tokens so far
    uint64_t searched = 0;  // names among which those of all tags were looked for
    ParseOutcome outcome = ParseOutcome::kOk;
    LicenseGate licenses;
    lxb_html_tree_t* tree = nullptr;
    lxb_html_tokenizer_token_f next = nullptr;
    void* next_context = nullptr;

    ParseOutcome CheckTag(lxb_html_tokenizer_t* tokenizer, lxb_html_token_t* token);
    ParseOutcome CheckTree();
  };

  static lxb_html_token_t* OnToken(lxb_html_tokenizer_t* tokenizer, lxb_html_token_t* token, void* context);
  bool Prepare();
  ParseOutcome CheckPiece();
  ParseOutcome ParsePieces(std::string_view utf8);

  Guard guard_;
  lxb_html_document_t* document_ = nullptr;
};

}  // namespace uzushio
