#include "html/lexbor_memory.h"

#include <lexbor/core/base.h>

#include <cstdlib>

#include "base/library_memory.h"

namespace uzushio {

void CheckLexborMemory() {
  static const lxb_status_t kSet = lexbor_memory_setup(
      [](size_t size) -> void* { return Allocated(std::malloc(size)); },
      [](void* memory, size_t size) -> void* { return Allocated(std::realloc(memory, size)); },
      [](size_t count, size_t size) -> void* { return Allocated(std::calloc(count, size)); }, std::free);
  static_cast<void>(kSet);
}

}  // namespace uzushio
