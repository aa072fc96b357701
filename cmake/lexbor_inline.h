// What lexbor does most often, inlined where it does it: it takes room for a node, an attribute or a text from an
// arena, copies bytes of the page into its buffer, and looks for the end of a text or a value. Included before lexbor's
// sources, in place of core/mraw.c (cmake/Lexbor.cmake). Arenas hold the same bytes at the same places as without it.
#include "lexbor/core/mraw.c"
#include "lexbor/core/swar.h"
#include "lexbor/html/tokenizer.h"

#define UZUSHIO_INLINE static inline __attribute__((always_inline))

// Room at the end of the last chunk; null where there is none, or what was freed is to be used again.
UZUSHIO_INLINE void* uzushio_mraw_end(lexbor_mraw_t* mraw, size_t size) {
  const lexbor_bst_entry_t* freed = mraw->cache->root;
  if (freed != NULL && (freed->size >= size || freed->right != NULL)) return NULL;
  lexbor_mem_chunk_t* chunk = mraw->mem->chunk;
  const size_t bytes = size + lexbor_mraw_meta_size();
  if (chunk->size - chunk->length < bytes) return NULL;
  void* data = chunk->data + chunk->length + lexbor_mraw_meta_size();
  lexbor_mraw_data_size_set(data, size);
  chunk->length += bytes;
  ++mraw->ref_count;
  return data;
}

UZUSHIO_INLINE void* uzushio_mraw_alloc(lexbor_mraw_t* mraw, size_t size) {
  void* data = uzushio_mraw_end(mraw, lexbor_mem_align(size));
  return data != NULL ? data : lexbor_mraw_alloc(mraw, size);
}

UZUSHIO_INLINE void* uzushio_mraw_calloc(lexbor_mraw_t* mraw, size_t size) {
  void* data = uzushio_mraw_end(mraw, lexbor_mem_align(size));
  return data != NULL ? memset(data, 0, lexbor_mem_align(size)) : lexbor_mraw_calloc(mraw, size);
}

UZUSHIO_INLINE lxb_status_t uzushio_append_data(lxb_html_tokenizer_t* tkz, const lxb_char_t* data) {
  const size_t size = (size_t)(data - tkz->begin);
  if (size > (size_t)(tkz->end - tkz->pos)) return lxb_html_tokenizer_temp_append_data(tkz, data);
  tkz->pos = (lxb_char_t*)memcpy(tkz->pos, tkz->begin, size) + size;
  return LXB_STATUS_OK;
}

#ifdef __SSE2__
#include <emmintrin.h>

// Sixteen bytes at once, where lexbor looks at eight.
UZUSHIO_INLINE const lxb_char_t* uzushio_seek4(const lxb_char_t* data, const lxb_char_t* end, lxb_char_t c1,
                                               lxb_char_t c2, lxb_char_t c3, lxb_char_t c4) {
  for (; end - data >= 16; data += 16) {
    const __m128i bytes = _mm_loadu_si128((const __m128i*)data);
    const __m128i c12 =
        _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)c1)), _mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)c2)));
    const __m128i c34 =
        _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)c3)), _mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)c4)));
    const int found = _mm_movemask_epi8(_mm_or_si128(c12, c34));
    if (found != 0) return data + __builtin_ctz((unsigned)found);
  }
  return lexbor_swar_seek4(data, end, c1, c2, c3, c4);
}

#define lexbor_swar_seek4 uzushio_seek4
#endif

#define lexbor_mraw_alloc uzushio_mraw_alloc
#define lexbor_mraw_calloc uzushio_mraw_calloc
#define lxb_html_tokenizer_temp_append_data uzushio_append_data
