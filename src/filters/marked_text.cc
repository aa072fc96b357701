#include "filters/marked_text.h"

namespace uzushio {

std::string WithMarksOf(std::string_view marked, std::string_view plain, std::string_view rewritten) {
  if (StripMarks(marked) != plain) return std::string(rewritten);
  std::string text;
  text.reserve(marked.size());
  size_t at = 0;
  for (const char c : marked) text += IsMark(c) ? c : rewritten[at++];
  return text;
}

CutText CutMarked(std::string_view marked, std::string_view plain, size_t end) {
  if (StripMarks(marked) != plain) return {std::string(plain.substr(0, end)), std::string(plain.substr(end))};
  size_t at = 0;
  bool in_link = false;
  for (size_t left = end; at < marked.size() && (left > 0 || marked[at] == kLinkEnd); ++at) {
    if (IsMark(marked[at])) {
      if (marked[at] == kLinkStart || marked[at] == kLinkEnd) in_link = marked[at] == kLinkStart;
    } else {
      --left;
    }
  }
  CutText cut = {std::string(marked.substr(0, at)), std::string(marked.substr(at))};
  if (in_link) {
    cut.before += kLinkEnd;
    cut.after.insert(cut.after.begin(), kLinkStart);
  }
  return cut;
}

}  // namespace uzushio
