#include "filters/css_path.h"

namespace uzushio {

std::vector<PathSegment> ParsePath(std::string_view path) {
  std::vector<PathSegment> segments;
  if (path.empty()) return segments;
  segments.emplace_back();
  std::string* part = &segments.back().tag;
  for (size_t i = 0; i < path.size(); ++i) {
    PathSegment& segment = segments.back();
    switch (path[i]) {
      case '\\':
        if (++i < path.size()) *part += path[i];
        break;
      case '>':
        part = &segments.emplace_back().tag;
        break;
      case '.':
        part = &segment.classes.emplace_back();
        break;
      case '#':
        part = &segment.id;
        break;
      default:
        *part += path[i];
    }
  }
  return segments;
}

}  // namespace uzushio
