// The memory that the process holds.
#pragma once

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace uzushio {

// Gives freed memory back to the system: between steps whose memory is shaped differently.
inline void ReturnFreedMemory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace uzushio
