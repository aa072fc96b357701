#include "html/tree_bytes.h"

#include <algorithm>

namespace uzushio {

void TreeBytes::Arena::Begin(const lexbor_mem_t* mem) {
  mem_ = mem;
  chunk_ = mem->chunk_first;
  before_ = 0;
  if (first_size_ == 0) first_size_ = chunk_->size;
}

// Only the last chunk grows.
size_t TreeBytes::Arena::Bytes() {
  for (const lexbor_mem_chunk_t* chunk = mem_->chunk; chunk != chunk_; chunk = chunk->prev) {
    before_ += chunk->prev->size;
  }
  chunk_ = mem_->chunk;
  return before_ + chunk_->length;
}

std::array<const lexbor_mem_t*, 4> TreeBytes::ArenasOf(const lxb_dom_document_t& document) {
  return {document.mraw->mem, document.text->mem, document.attrs->mraw->mem, document.tags->mraw->mem};
}

void TreeBytes::Begin(lxb_html_document_t* document) {
  document_ = &document->dom_document;
  tokenizer_ = static_cast<lxb_html_parser_t*>(document_->parser)->tkz;
  const auto arenas = ArenasOf(*document_);
  for (size_t i = 0; i < arenas.size(); ++i) arenas_[i].Begin(arenas[i]);
}

bool TreeBytes::IsAsNew(const lxb_html_document_t* document) const {
  const auto arenas = ArenasOf(document->dom_document);
  return std::ranges::equal(arenas_, arenas,
                            [](const Arena& arena, const lexbor_mem_t* mem) { return arena.IsAsNew(mem); });
}

size_t TreeBytes::Bytes() {
  size_t bytes = Attributes() * sizeof(lxb_html_token_attr_t) + Names() * sizeof(lxb_dom_attr_data_t);
  for (Arena& arena : arenas_) bytes += arena.Bytes();
  return bytes;
}

size_t TreeBytes::Names() const {
  return lexbor_hash_entries_count(document_->attrs) + lexbor_hash_entries_count(document_->tags);
}

size_t TreeBytes::Attributes() const { return lexbor_dobject_allocated(tokenizer_->dobj_token_attr); }

}  // namespace uzushio
