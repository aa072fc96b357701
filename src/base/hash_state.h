// States of XXH3 and XXH64, for what comes in parts.
#pragma once

#include <xxhash.h>

#include <memory>

#include "base/library_memory.h"

namespace uzushio {

using Xxh3State = std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)>;
using Xxh64State = std::unique_ptr<XXH64_state_t, decltype(&XXH64_freeState)>;

// For XXH3_64bits_update, of nothing yet; for 128 bits it is reset first.
inline Xxh3State NewXxh3State() {
  Xxh3State state(Allocated(XXH3_createState()), &XXH3_freeState);
  XXH3_64bits_reset(state.get());
  return state;
}

// With the seed 0.
inline Xxh64State NewXxh64State() {
  Xxh64State state(Allocated(XXH64_createState()), &XXH64_freeState);
  XXH64_reset(state.get(), 0);
  return state;
}

}  // namespace uzushio
