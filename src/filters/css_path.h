// The path of a paragraph, taken apart.
#pragma once

#include <string>
#include <string_view>

namespace uzushio {

enum class PathName { kTag, kClass, kId };

// Calls `use(kind, name)` for each name of `tag.class.class#id>tag…`, from the root, until it returns true; whether it
// did. Escapes are undone. A name is there for the call only. Any text is taken.
template <typename Use>
bool AnyName(std::string_view path, Use use) {
  if (path.empty()) return false;
  std::string unescaped;
  for (PathName kind = PathName::kTag;;) {
    size_t end = 0;
    bool escaped = false;
    while (end < path.size() && path[end] != '>' && path[end] != '.' && path[end] != '#') {
      if (path[end] == '\\') escaped = true, ++end;
      ++end;
    }
    std::string_view name = path.substr(0, end);
    if (escaped) {
      unescaped.clear();
      bool taken = false;  // an escape takes what follows as it is
      for (const char c : name) {
        taken = c == '\\' && !taken;
        if (!taken) unescaped += c;
      }
      name = unescaped;
    }
    if (use(kind, name)) return true;
    if (end >= path.size()) return false;
    kind = path[end] == '>' ? PathName::kTag : path[end] == '.' ? PathName::kClass : PathName::kId;
    path.remove_prefix(end + 1);
  }
}

}  // namespace uzushio
