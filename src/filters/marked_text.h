// Texts with link marks, when filters rewrite the plain ones.
#pragma once

#include <string>
#include <string_view>

#include "document/markup.h"

namespace uzushio {

// The new plain text with the link marks of the old one, at the same bytes; both plain texts are of one length. Where
// the old text is another one without its marks (it had to be cleaned), there are none.
std::string WithMarksOf(std::string_view marked, std::string_view plain, std::string_view rewritten);

// The text with its link marks, cut in two at byte `end` of the plain text. A link that is cut goes on in the second
// part. Where the old text is another one without its marks, the parts are of the plain text.
struct CutText {
  std::string before;
  std::string after;
};
CutText CutMarked(std::string_view marked, std::string_view plain, size_t end);

}  // namespace uzushio
