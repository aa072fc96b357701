// Letters of ASCII, whatever the locale.
#pragma once

namespace uzushio {

inline char LowerAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

}  // namespace uzushio
