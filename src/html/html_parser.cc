#include "html/html_parser.h"

#include <algorithm>

#include "html/lexbor_memory.h"
#include "html/read_attributes.h"
#include "html/unread_text.h"

namespace uzushio {
namespace {

// A tag of many attributes is seen by OnToken only when it is complete. Feeding a page by pieces bounds what the
// tokenizer holds until then.
constexpr size_t kPieceBytes = size_t{64} << 10;

// Names of attributes and elements that lexbor has no numbers for are in a hash table of 128 lists, whose function
// anybody can compute: a tag's names may be compared with all that came before. Pages of a crawl reach some millions.
constexpr uint64_t kMostSearched = uint64_t{1} << 28;

// What is wrong in a page is noted, and not read.
void ForgetErrors(lexbor_array_obj_t* errors) {
  if (errors != nullptr) errors->length = 0;
}

}  // namespace

HtmlParser::HtmlParser(const PageLimits& limits) : guard_{.limits = limits, .bytes = {}} { CheckLexborMemory(); }

HtmlParser::~HtmlParser() { lxb_html_document_destroy(document_); }

// Before the tag becomes a part of the tree.
inline ParseOutcome HtmlParser::Guard::CheckTag(lxb_html_tokenizer_t* tokenizer, lxb_html_token_t* token) {
  if (token->attr_first == nullptr) {  // as most
    searched += bytes.Names();
    return searched > kMostSearched ? ParseOutcome::kTooManyAttributes : ParseOutcome::kOk;
  }
  // The tokenizer keeps the attributes of all tokens until the page ends: those that came since are the token's.
  const size_t own = bytes.Attributes() - attributes;
  if (own > limits.max_attributes) return ParseOutcome::kTooManyAttributes;
  searched += (own + 1) * bytes.Names();
  if (searched > kMostSearched) return ParseOutcome::kTooManyAttributes;
  KeepReadAttributes(tokenizer, token);
  attributes = bytes.Attributes();
  return ParseOutcome::kOk;
}

// A token makes itself and its attributes, and a start tag or text may make copies of all the formatting elements that
// a block has closed, `max_depth` at most, with kMostFormattingBytes each.
inline ParseOutcome HtmlParser::Guard::CheckTree() {
  if (bytes.HasGrown() && bytes.Bytes() > limits.max_tree_bytes) return ParseOutcome::kTreeTooLarge;
  const size_t depth = std::max(lexbor_array_length(tree->open_elements), lexbor_array_length(tree->active_formatting));
  return depth > limits.max_depth ? ParseOutcome::kTooDeep : ParseOutcome::kOk;
}

lxb_html_token_t* HtmlParser::OnToken(lxb_html_tokenizer_t* tokenizer, lxb_html_token_t* token, void* context) {
  auto& guard = *static_cast<Guard*>(context);
  if (token->tag_id != LXB_TAG__TEXT) guard.outcome = guard.CheckTag(tokenizer, token);
  if (guard.outcome == ParseOutcome::kOk) {
    guard.licenses.See(token);
    const lxb_tag_id_t tag = token->tag_id;
    token = guard.next(tokenizer, token, guard.next_context);
    if (tag == LXB_TAG_SCRIPT || tag == LXB_TAG_STYLE)
      PassUnreadText(tokenizer, lxb_html_tree_current_node(guard.tree));
    guard.outcome = guard.CheckTree();
    ForgetErrors(guard.tree->parse_errors);
  }
  if (guard.outcome == ParseOutcome::kOk) return token;
  tokenizer->status = LXB_STATUS_ABORTED;
  return nullptr;
}

// Makes the document empty, or new.
bool HtmlParser::Prepare() {
  if (document_ == nullptr) document_ = lxb_html_document_create();
  // lexbor keeps that of the page before.
  lxb_dom_interface_document(document_)->compat_mode = LXB_DOM_DOCUMENT_CMODE_NO_QUIRKS;
  guard_.attributes = 0;
  guard_.searched = 0;
  guard_.outcome = ParseOutcome::kOk;
  guard_.licenses.Begin();
  if (lxb_html_document_parse_chunk_begin(document_) != LXB_STATUS_OK) return false;
  auto* parser = static_cast<lxb_html_parser_t*>(document_->dom_document.parser);
  if (parser->tkz->callback_token_done != OnToken) {
    guard_.next = parser->tkz->callback_token_done;
    guard_.next_context = parser->tkz->callback_token_ctx;
    lxb_html_tokenizer_callback_token_done_set(parser->tkz, OnToken, &guard_);
  }
  guard_.tree = parser->tree;
  guard_.bytes.Begin(document_);
  return true;
}

// What the tokenizer holds of a tag that is not complete.
ParseOutcome HtmlParser::CheckPiece() {
  ForgetErrors(static_cast<lxb_html_parser_t*>(document_->dom_document.parser)->tkz->parse_errors);
  if (guard_.bytes.Attributes() - guard_.attributes > guard_.limits.max_attributes) {
    return ParseOutcome::kTooManyAttributes;
  }
  return guard_.bytes.Bytes() > guard_.limits.max_tree_bytes ? ParseOutcome::kTreeTooLarge : ParseOutcome::kOk;
}

ParseOutcome HtmlParser::Parse(std::string_view utf8) {
  try {
    return ParsePieces(utf8);
  } catch (...) {
    document_ = nullptr;  // half-made: what it holds is lost
    throw;
  }
}

ParseOutcome HtmlParser::ParsePieces(std::string_view utf8) {
  bool ok = Prepare();
  while (ok && !utf8.empty()) {
    const std::string_view piece = utf8.substr(0, kPieceBytes);
    utf8.remove_prefix(piece.size());
    ok = lxb_html_document_parse_chunk(document_, reinterpret_cast<const lxb_char_t*>(piece.data()), piece.size()) ==
         LXB_STATUS_OK;
    if (!ok) break;
    guard_.outcome = CheckPiece();
    ok = guard_.outcome == ParseOutcome::kOk;
  }
  if (ok && lxb_html_document_parse_chunk_end(document_) == LXB_STATUS_OK) {
    if (guard_.outcome == ParseOutcome::kOk) guard_.outcome = CheckPiece();
  } else {
    ok = false;
  }
  if (ok && guard_.outcome == ParseOutcome::kOk) return ParseOutcome::kOk;
  // A parse that was broken off leaves the tree half-linked: it is not used again.
  document_ = lxb_html_document_destroy(document_);
  return guard_.outcome == ParseOutcome::kOk ? ParseOutcome::kFailed : guard_.outcome;
}

}  // namespace uzushio
