#include "document/paragraph_hash.h"

#include <xxhash.h>

namespace uzushio {

int64_t ParagraphHash(std::string_view text) {
  constexpr uint64_t kSeed = 42;
  return static_cast<int64_t>(XXH64(text.data(), text.size(), kSeed));
}

}  // namespace uzushio
