// The tags of a paragraph's path (document/markup.h), without taking it apart.
#pragma once

#include <string_view>

namespace uzushio {

// Calls `use` with the tag of each segment, the outermost first; of tags with escapes in them, what is before these.
template <typename Use>
void ForEachTag(std::string_view path, Use use) {
  while (!path.empty()) {
    use(path.substr(0, path.find_first_of("\\>.#")));
    size_t at = 0;
    while ((at = path.find_first_of("\\>", at)) != std::string_view::npos && path[at] == '\\') at += 2;
    path.remove_prefix(at < path.size() ? at + 1 : path.size());
  }
}

// 1 to 6 by the innermost heading around a paragraph; 0 where there is none.
inline int HeadingLevel(std::string_view path) {
  int level = 0;
  ForEachTag(path, [&level](std::string_view tag) {
    if (tag.size() == 2 && tag[0] == 'h' && tag[1] >= '1' && tag[1] <= '6') level = tag[1] - '0';
  });
  return level;
}

}  // namespace uzushio
