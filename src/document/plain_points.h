// The length of marked text.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/count_places.h"
#include "document/markup.h"

namespace uzushio {

// The code points of a paragraph's text that are no marks.
inline int64_t PlainPoints(std::string_view marked) {
  return CountPlaces<0>(marked, [](const char* at) {
    const SixteenBytes bytes = LoadBytes(at);
    const auto is_mark = (bytes == kLinkStart) | (bytes == kLinkEnd) | (bytes == kBlankLine) |
                         ((bytes >= kCodeStart) & (bytes <= kHeaderCell));
    return ((bytes & 0xC0) != 0x80) & ~is_mark;
  });
}

}  // namespace uzushio
