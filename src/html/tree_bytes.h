// How many bytes a page's tree takes.
#pragma once

#include <lexbor/html/html.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace uzushio {

// Counts what a parser's arenas hold of the page in hand: nodes, texts, values, names, and the attributes of all tags.
// The same page gives the same count, whatever pages came before it.
class TreeBytes {
 public:
  // Of a document that the parser has just begun, whose arenas are empty: lets them begin as new ones do, since counts
  // would tell of earlier pages else.
  void Begin(lxb_html_document_t* document);

  // Whether much may have come since Bytes was last asked: another chunk. Costs next to nothing.
  bool HasGrown() const { return arenas_[0].HasGrown() || arenas_[1].HasGrown(); }
  // In constant time, but for what was added since it was last asked.
  size_t Bytes();
  // Distinct names of attributes and elements that lexbor has no numbers for.
  size_t Names() const {
    return lexbor_hash_entries_count(document_->attrs) + lexbor_hash_entries_count(document_->tags);
  }
  // Attributes of all tags.
  size_t Attributes() const { return lexbor_dobject_allocated(tokenizer_->dobj_token_attr); }

 private:
  // The chunks of one arena.
  class Arena {
   public:
    void Begin(lexbor_mem_t* mem);
    bool HasGrown() const { return mem_->chunk != chunk_; }
    size_t Bytes();

   private:
    const lexbor_mem_t* mem_ = nullptr;
    const lexbor_mem_chunk_t* chunk_ = nullptr;  // the last one that was seen
    size_t before_ = 0;                          // bytes of those before it
    size_t first_size_ = 0;                      // of a new arena's first chunk
  };

  const lxb_dom_document_t* document_ = nullptr;
  lxb_html_tokenizer_t* tokenizer_ = nullptr;
  std::array<Arena, 4> arenas_;  // of nodes, texts, names of attributes, names of elements
};

}  // namespace uzushio
