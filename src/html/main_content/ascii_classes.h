// Classes of ASCII characters, whatever the locale.
#pragma once

namespace uzushio {

inline bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
inline bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline char Small(char c) { return IsUpper(c) ? static_cast<char>(c + 32) : c; }

}  // namespace uzushio
