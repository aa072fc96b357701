// A hash of texts that strangers choose.
#pragma once

#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/random_odd.h"

namespace uzushio {

// For hash tables of names, paragraphs, labels: that of the standard library is known to all, so that texts with one
// hash can be made. This one is another in each process: nothing that is written may depend on it, or on the order of a
// table. Two texts have one hash with a probability of 2^-64, whoever chooses them.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const {
    static const uint64_t kSecret = RandomOdd();
    return XXH3_64bits_withSeed(text.data(), text.size(), kSecret);
  }
};

}  // namespace uzushio
