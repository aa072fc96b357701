// Bytes that URIs write as `%41`.
#pragma once

#include <string>
#include <string_view>

namespace uzushio {

// The byte that %XX at the beginning stands for, or -1.
int EscapedByte(std::string_view text);

// `%41` as `A`; what is no such is kept.
std::string PercentDecoded(std::string_view text);

}  // namespace uzushio
