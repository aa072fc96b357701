// The path of a paragraph, taken apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace uzushio {

struct PathSegment {
  std::string tag;
  std::vector<std::string> classes;
  std::string id;
};

// The segments of `tag.class.class#id>tag…`, from the root; escapes are undone. Any text is taken.
std::vector<PathSegment> ParsePath(std::string_view path);

}  // namespace uzushio
