// Which characters can be printed.
#pragma once

namespace uzushio {

// As Python's str.isprintable has it: of no category of Unicode that is Other or Separator, but the space. By utf8proc,
// whose version of Unicode is the library's.
bool IsPrintable(char32_t c);

}  // namespace uzushio
