#include "html/html_parser.h"

#include <algorithm>

namespace uzushio {
namespace {

// A tag of many attributes is seen by OnToken only when it is complete. Feeding a page by pieces bounds what the
// tokenizer holds until then.
constexpr size_t kPieceBytes = size_t{256} << 10;

}  // namespace

HtmlParser::HtmlParser(const PageLimits& limits) : guard_{.limits = limits} {}

HtmlParser::~HtmlParser() { lxb_html_document_destroy(document_); }

// Nodes are counted as the tree grows: a token makes itself and its attributes, and a start tag or text may make copies
// of all the formatting elements that a block has closed, which show in the stack of open elements.
lxb_html_token_t* HtmlParser::OnToken(lxb_html_tokenizer_t* tokenizer, lxb_html_token_t* token, void* context) {
  auto& guard = *static_cast<Guard*>(context);
  // The tokenizer keeps the attributes of all tokens until the page ends: those that came since are the token's.
  const size_t all_attributes = lexbor_dobject_allocated(tokenizer->dobj_token_attr);
  const size_t attributes = all_attributes - guard.attributes;
  guard.attributes = all_attributes;
  if (attributes > guard.limits.max_attributes) {
    guard.outcome = ParseOutcome::kTooManyAttributes;
  } else {
    const size_t open_before = lexbor_array_length(guard.tree->open_elements);
    token = guard.next(tokenizer, token, guard.next_context);
    const size_t open = lexbor_array_length(guard.tree->open_elements);
    guard.nodes += attributes + (open > open_before ? open - open_before : 1);
    if (guard.nodes > guard.limits.max_nodes) {
      guard.outcome = ParseOutcome::kTooManyNodes;
    } else if (std::max(open, lexbor_array_length(guard.tree->active_formatting)) > guard.limits.max_depth) {
      guard.outcome = ParseOutcome::kTooDeep;
    }
  }
  if (guard.outcome == ParseOutcome::kOk) return token;
  tokenizer->status = LXB_STATUS_ABORTED;
  return nullptr;
}

// Makes the document empty, or new.
bool HtmlParser::Prepare() {
  if (document_ == nullptr) {
    document_ = lxb_html_document_create();
    if (document_ == nullptr) return false;
  }
  guard_.nodes = 0;
  guard_.attributes = 0;
  guard_.outcome = ParseOutcome::kOk;
  if (lxb_html_document_parse_chunk_begin(document_) != LXB_STATUS_OK) return false;
  auto* parser = static_cast<lxb_html_parser_t*>(document_->dom_document.parser);
  if (parser->tkz->callback_token_done != OnToken) {
    guard_.next = parser->tkz->callback_token_done;
    guard_.next_context = parser->tkz->callback_token_ctx;
    lxb_html_tokenizer_callback_token_done_set(parser->tkz, OnToken, &guard_);
  }
  guard_.tree = parser->tree;
  return true;
}

ParseOutcome HtmlParser::Parse(std::string_view utf8) {
  bool ok = Prepare();
  while (ok && !utf8.empty()) {
    const std::string_view piece = utf8.substr(0, kPieceBytes);
    utf8.remove_prefix(piece.size());
    ok = lxb_html_document_parse_chunk(document_, reinterpret_cast<const lxb_char_t*>(piece.data()), piece.size()) ==
         LXB_STATUS_OK;
    const auto* parser = static_cast<lxb_html_parser_t*>(document_->dom_document.parser);
    if (ok && lexbor_dobject_allocated(parser->tkz->dobj_token_attr) > guard_.limits.max_nodes) {
      guard_.outcome = ParseOutcome::kTooManyNodes;
      ok = false;
    }
  }
  ok = ok && lxb_html_document_parse_chunk_end(document_) == LXB_STATUS_OK;
  if (ok && guard_.outcome == ParseOutcome::kOk) return ParseOutcome::kOk;
  // A parse that was broken off leaves the tree half-linked: it is not used again.
  document_ = lxb_html_document_destroy(document_);
  return guard_.outcome == ParseOutcome::kOk ? ParseOutcome::kOutOfMemory : guard_.outcome;
}

}  // namespace uzushio
