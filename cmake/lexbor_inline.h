// What lexbor does most often, inlined where it does it: it takes room for a node, an attribute or a text from an arena, and copies
// bytes of the page into its buffer. Included before lexbor's sources, in whose place it has core/mraw.c (cmake/Lexbor.cmake). Arenas
// hold the same bytes at the same places as without it.
#include "lexbor/core/mraw.c"
#include "lexbor/html/tokenizer.h"

#define UZUSHIO_INLINE static inline __attribute__((always_inline))

// Room at the end of the last chunk; null where there is none, or what was freed is to be used again.
UZUSHIO_INLINE void *uzushio_mraw_end(lexbor_mraw_t *mraw, size_t size) {
  const lexbor_bst_entry_t *freed = mraw->cache->root;
  if (freed != NULL && (freed->size >= size || freed->right != NULL)) return NULL;
  lexbor_mem_chunk_t *chunk = mraw->mem->chunk;
  const size_t bytes = size + lexbor_mraw_meta_size();
  if (chunk->size - chunk->length < bytes) return NULL;
  void *data = chunk->data + chunk->length + lexbor_mraw_meta_size();
  lexbor_mraw_data_size_set(data, size);
  chunk->length += bytes;
  ++mraw->ref_count;
  return data;
}

UZUSHIO_INLINE void *uzushio_mraw_alloc(lexbor_mraw_t *mraw, size_t size) {
  void *data = uzushio_mraw_end(mraw, lexbor_mem_align(size));
  return data != NULL ? data : lexbor_mraw_alloc(mraw, size);
}

UZUSHIO_INLINE void *uzushio_mraw_calloc(lexbor_mraw_t *mraw, size_t size) {
  void *data = uzushio_mraw_end(mraw, lexbor_mem_align(size));
  return data != NULL ? memset(data, 0, lexbor_mem_align(size)) : lexbor_mraw_calloc(mraw, size);
}

UZUSHIO_INLINE lxb_status_t uzushio_append_data(lxb_html_tokenizer_t *tkz, const lxb_char_t *data) {
  const size_t size = (size_t)(data - tkz->begin);
  if (size > (size_t)(tkz->end - tkz->pos)) return lxb_html_tokenizer_temp_append_data(tkz, data);
  tkz->pos = (lxb_char_t *)memcpy(tkz->pos, tkz->begin, size) + size;
  return LXB_STATUS_OK;
}

#define lexbor_mraw_alloc uzushio_mraw_alloc
#define lexbor_mraw_calloc uzushio_mraw_calloc
#define lxb_html_tokenizer_temp_append_data uzushio_append_data
