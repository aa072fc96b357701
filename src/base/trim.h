// Texts without blanks at their ends, whatever is a blank.
#pragma once

#include <string_view>

namespace uzushio {

template <typename IsBlank>
std::string_view Trimmed(std::string_view text, IsBlank is_blank) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace uzushio
