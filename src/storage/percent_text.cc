#include "storage/percent_text.h"

#include <charconv>
#include <system_error>

namespace uzushio {

int EscapedByte(std::string_view text) {
  int byte = 0;
  if (text.size() < 3 || text[0] != '%') return -1;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + 3, byte, 16);
  return error == std::errc() && end == text.data() + 3 ? byte : -1;
}

std::string PercentDecoded(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const int byte = EscapedByte(text.substr(i));
    result += byte < 0 ? text[i] : static_cast<char>(byte);
    if (byte >= 0) i += 2;
  }
  return result;
}

}  // namespace uzushio
