// What libraries in C say where memory runs out, as std::bad_alloc: to go on as if bytes were damaged would lose what
// is sound.
#pragma once

#include <zstd.h>
#include <zstd_errors.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace uzushio {

// What a library has made, or nothing, which is for lack of memory.
template <typename Made>
Made* Allocated(Made* made) {
  if (made == nullptr) throw std::bad_alloc();
  return made;
}

// An allocator for RapidJSON, whose own gives null, which its readers then write to.
class JsonAllocator {
 public:
  static constexpr bool kNeedFree = true;
  static void* Malloc(size_t size) { return size == 0 ? nullptr : Allocated(std::malloc(size)); }
  static void* Realloc(void* memory, size_t /*before*/, size_t size) {
    if (size > 0) return Allocated(std::realloc(memory, size));
    std::free(memory);
    return nullptr;
  }
  static void Free(void* memory) { std::free(memory); }
  bool operator==(const JsonAllocator&) const { return true; }
};

// Whether the result of a function of zstd is another error.
inline bool IsZstdError(size_t result) {
  if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) throw std::bad_alloc();
  return ZSTD_isError(result) != 0;
}

}  // namespace uzushio
