// The least number of edits between two texts.
#pragma once

#include <cstddef>
#include <string_view>

namespace uzushio {

// Levenshtein's distance in code points. Time grows with the product of the lengths.
size_t EditDistance(std::u32string_view a, std::u32string_view b);

}  // namespace uzushio
