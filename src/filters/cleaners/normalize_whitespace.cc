#include "base/utf8.h"
#include "filters/cleaners/elements.h"
#include "filters/list.h"

namespace uzushio {
namespace {

// Bytes of the white space that a text begins with: one of \t \n \v \f \r, space and U+3000.
size_t SpaceBytes(std::string_view text) {
  const char c = text[0];
  if (c == ' ' || (c >= '\t' && c <= '\r')) return 1;
  return c == '\xE3' && text.starts_with("　") ? 3 : 0;
}

class NormalizeWhitespace final : public ElementRewriter {
 public:
  std::vector<std::string> Reasons() const override { return {"NormalizeWhitespace"}; }
  bool Rewrite(std::string_view text, std::string* to) const override {
    size_t kept = 0;
    bool changed = false;
    for (size_t at = 0; at < text.size();) {
      size_t bytes = SpaceBytes(text.substr(at));
      if (bytes == 0) {
        at += Utf8Length(text[at]);
        continue;
      }
      const size_t begin = at;
      for (; bytes > 0; bytes = at < text.size() ? SpaceBytes(text.substr(at)) : 0) at += bytes;
      if (at == begin + 1 && text[begin] == ' ') continue;
      to->append(text, kept, begin - kept);
      *to += ' ';
      kept = at;
      changed = true;
    }
    if (changed) to->append(text, kept);
    return changed;
  }
};

}  // namespace

FilterDeclaration DeclareNormalizeWhitespace() {
  return Declare<NormalizeWhitespace>("NormalizeWhitespace", "rewrites",
                                      "Makes each run of white space (ASCII's and U+3000) one space.")
      .Metric("NormalizeWhitespace", "elements that are changed")
      .Done();
}

}  // namespace uzushio
