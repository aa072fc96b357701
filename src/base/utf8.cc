#include "base/utf8.h"

#include "base/count_places.h"
#include "base/native.h"

namespace uzushio {

bool IsValidUtf8(std::string_view text) { return uz_utf8_valid_up_to(AsBytes(text), text.size()) == text.size(); }

int64_t CodePoints(std::string_view text) {
  return CountPlaces<0>(text, [](const char* at) { return (LoadBytes(at) & 0xC0) != 0x80; });
}

}  // namespace uzushio
