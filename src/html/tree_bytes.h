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
  // Of a document that the parser has just begun.
  void Begin(lxb_html_document_t* document);
  // Whether the document's arenas begin as a new one's. Else counts would tell of earlier pages, and it has to be made
  // anew.
  bool IsAsNew(const lxb_html_document_t* document) const;

  // In constant time, but for what was added since it was last asked.
  size_t Bytes();
  // Distinct names of attributes and elements that lexbor has no numbers for.
  size_t Names() const;
  // Attributes of all tags.
  size_t Attributes() const;

 private:
  // The chunks of one arena.
  class Arena {
   public:
    void Begin(const lexbor_mem_t* mem);
    bool IsAsNew(const lexbor_mem_t* mem) const { return mem->chunk_first->size == first_size_; }
    size_t Bytes();

   private:
    const lexbor_mem_t* mem_ = nullptr;
    const lexbor_mem_chunk_t* chunk_ = nullptr;  // the last one that was seen
    size_t before_ = 0;                          // bytes of those before it
    size_t first_size_ = 0;                      // of a new arena's first chunk
  };

  static std::array<const lexbor_mem_t*, 4> ArenasOf(const lxb_dom_document_t& document);

  const lxb_dom_document_t* document_ = nullptr;
  lxb_html_tokenizer_t* tokenizer_ = nullptr;
  std::array<Arena, 4> arenas_;
};

}  // namespace uzushio
