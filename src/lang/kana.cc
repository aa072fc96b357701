#include "lang/kana.h"

#include <charconv>
#include <cstring>

namespace uzushio {
namespace {

bool IsKana(unsigned code) {
  return (code >= 0x3041 && code <= 0x3096) || (code >= 0x30A1 && code <= 0x30FA) || code == 0x30FC;
}

}  // namespace

// The bytes of kana are E3 81 81 to E3 83 BC. memchr finds the lead byte at memory speed in text that has none.
size_t CountKana(std::string_view utf8, size_t enough) {
  size_t count = 0;
  const char* at = utf8.data();
  const char* const end = at + utf8.size();
  while (count < enough && end - at >= 3) {
    at = static_cast<const char*>(std::memchr(at, 0xE3, static_cast<size_t>(end - at - 2)));
    if (at == nullptr) break;
    // Japanese text has its kana side by side: go on without searching.
    while (end - at >= 3 && *at == '\xE3') {
      const unsigned code =
          0x3000u | (static_cast<unsigned char>(at[1]) & 0x3Fu) << 6 | (static_cast<unsigned char>(at[2]) & 0x3Fu);
      count += IsKana(code) ? 1 : 0;
      at += 3;
    }
  }
  return count;
}

size_t CountKanaReferences(std::string_view markup, size_t enough) {
  size_t count = 0;
  const char* at = markup.data();
  const char* const end = at + markup.size();
  while (count < enough && end - at > 2) {
    at = static_cast<const char*>(std::memchr(at, '&', static_cast<size_t>(end - at - 2)));
    if (at == nullptr) break;
    ++at;
    if (*at != '#') continue;
    ++at;
    const bool hexadecimal = *at == 'x' || *at == 'X';
    if (hexadecimal) ++at;
    unsigned code = 0;
    at = std::from_chars(at, end, code, hexadecimal ? 16 : 10).ptr;
    count += IsKana(code) ? 1 : 0;
  }
  return count;
}

}  // namespace uzushio
