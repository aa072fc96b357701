#include "html/tree_bytes.h"

namespace uzushio {

// The first chunk stays from page to page, with the size that it has grown to.
void TreeBytes::Arena::Begin(lexbor_mem_t* mem) {
  mem_ = mem;
  lexbor_mem_chunk_t* const first = mem->chunk_first;
  chunk_ = first;
  before_ = 0;
  if (first_size_ == 0) first_size_ = first->size;
  if (first->size == first_size_ || first->length > 0) return;
  lexbor_free(first->data);
  first->data = static_cast<uint8_t*>(lexbor_malloc(first_size_));
  first->size = first_size_;
}

// Only the last chunk grows.
size_t TreeBytes::Arena::Bytes() {
  for (const lexbor_mem_chunk_t* chunk = mem_->chunk; chunk != chunk_; chunk = chunk->prev) {
    before_ += chunk->prev->size;
  }
  chunk_ = mem_->chunk;
  return before_ + chunk_->length;
}

void TreeBytes::Begin(lxb_html_document_t* document) {
  document_ = &document->dom_document;
  tokenizer_ = static_cast<lxb_html_parser_t*>(document_->parser)->tkz;
  const std::array<lexbor_mem_t*, 4> arenas = {document_->mraw->mem, document_->text->mem, document_->attrs->mraw->mem,
                                               document_->tags->mraw->mem};
  for (size_t i = 0; i < arenas.size(); ++i) arenas_[i].Begin(arenas[i]);
}

size_t TreeBytes::Bytes() {
  size_t bytes = Attributes() * sizeof(lxb_html_token_attr_t) + Names() * sizeof(lxb_dom_attr_data_t);
  for (Arena& arena : arenas_) bytes += arena.Bytes();
  return bytes;
}

}  // namespace uzushio
