#include "base/utf8.h"

#include "base/native.h"

namespace uzushio {

bool IsValidUtf8(std::string_view text) {
  return uz_utf8_valid_up_to(reinterpret_cast<const uint8_t*>(text.data()), text.size()) == text.size();
}

}  // namespace uzushio
