#include <algorithm>

#include "filters/cleaners/elements.h"
#include "filters/list.h"

namespace uzushio {
namespace {

bool IsOfHost(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

class RemoveEmail final : public ElementFilter {
 public:
  std::vector<std::string> Reasons() const override { return {"RemoveEmail"}; }
  // One or more of [A-Za-z0-9_-], `@`, one or more of them, a dot, and one more or another dot.
  bool Keeps(std::string_view text, double* /*metric*/) const override {
    for (size_t at = 0; (at = text.find('@', at)) != std::string_view::npos; ++at) {
      if (at == 0 || !IsOfHost(text[at - 1])) continue;
      const auto end = std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at) + 1, text.end(), IsOfHost);
      const std::string_view rest = text.substr(static_cast<size_t>(end - text.begin()));
      const bool has_host = rest.size() + at + 1 < text.size();
      if (has_host && rest.size() > 1 && rest[0] == '.' && (rest[1] == '.' || IsOfHost(rest[1]))) return false;
    }
    return true;
  }
};

}  // namespace

FilterDeclaration DeclareRemoveEmail() {
  return Declare<RemoveEmail>("RemoveEmail", "paragraphs", "Removes elements that contain a mail address.")
      .Metric("RemoveEmail", "share of the text in such elements")
      .Done();
}

}  // namespace uzushio
