// Decoders that tell that memory has run out as they tell that bytes are damaged; see base/library_memory.h.
#pragma once

#include <brotli/decode.h>
#include <lz4frame.h>

#include <cstddef>
#include <cstring>
#include <new>

namespace uzushio {

// Whether the result of a function of LZ4's frames, whose errors have names alone, is another error.
inline bool IsLz4Error(size_t result) {
  if (LZ4F_isError(result) == 0) return false;
  if (std::strcmp(LZ4F_getErrorName(result), "ERROR_allocation_failed") == 0) throw std::bad_alloc();
  return true;
}

inline bool IsBrotliError(const BrotliDecoderState* decoder, BrotliDecoderResult result) {
  if (result != BROTLI_DECODER_RESULT_ERROR) return false;
  const BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(decoder);
  const bool lacks_memory =
      code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES && code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
  if (lacks_memory) throw std::bad_alloc();
  return true;
}

}  // namespace uzushio
