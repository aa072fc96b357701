// The hash that statistics are keyed by.
#pragma once

#include <cstdint>
#include <string_view>

namespace uzushio {

// Of a paragraph's plain text (document/paragraph_writer.h): XXH64 with seed 42 of the UTF-8, as Spark's xxhash64 has
// it. Hashes are ordered as signed numbers.
int64_t ParagraphHash(std::string_view text);

}  // namespace uzushio
