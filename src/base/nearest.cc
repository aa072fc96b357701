#include "base/nearest.h"

#include "base/edit_distance.h"
#include "base/utf8.h"

namespace uzushio {
namespace {

std::u32string Points(const std::string& text) {
  std::u32string points;
  DecodeUtf8(text, &points);
  return points;
}

}  // namespace

std::string DidYouMean(const std::string& name, const std::vector<std::string>& names) {
  size_t best = 1 + name.size() / 3;
  std::string nearest;
  for (const std::string& candidate : names) {
    const size_t distance = EditDistance(Points(name), Points(candidate));
    if (distance > best || (distance == best && !nearest.empty())) continue;
    best = distance;
    nearest = candidate;
  }
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

}  // namespace uzushio
