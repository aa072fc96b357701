// The memory that the process holds.
#pragma once

#include <arrow/memory_pool.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace uzushio {

// Has the C library keep what is freed, up to `kept` bytes and in blocks up to `block` bytes: pages and partitions come
// and go by the thousand, and memory that is given back to the system has to be cleared again. For the whole process.
// What is kept this way counts in the memory that a stage is bound to.
inline void KeepFreedMemory(int block, int kept) {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, block);
  mallopt(M_TRIM_THRESHOLD, kept);
#endif
}

// Gives freed memory, Arrow's too, back to the system: between steps whose memory is shaped differently.
inline void ReturnFreedMemory() {
  arrow::default_memory_pool()->ReleaseUnused();
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace uzushio
