#include "base/count_places.h"
#include "base/utf8.h"
#include "filters/cleaners/elements.h"
#include "filters/list.h"

namespace uzushio {
namespace {

// Bytes of the white space that is at `at`: one of \t \n \v \f \r, space and U+3000.
size_t SpaceBytes(std::string_view text, size_t at) {
  const char c = text[at];
  if (c == ' ' || (c >= '\t' && c <= '\r')) return 1;
  return c == '\xE3' && at + 2 < text.size() && text[at + 1] == '\x80' && text[at + 2] == '\x80' ? 3 : 0;
}

// Sixteen bytes at once: most texts have single spaces only.
bool HasOtherThanSingleSpaces(std::string_view text) {
  return CountPlaces<2>(text, [](const char* at) {
           const SixteenBytes a = LoadBytes(at);
           const SixteenBytes b = LoadBytes(at + 1);
           const SixteenBytes c = LoadBytes(at + 2);
           return ((a >= '\t') & (a <= '\r')) | ((a == ' ') & (b == ' ')) | ((a == 0xE3) & (b == 0x80) & (c == 0x80));
         }) > 0;
}

class NormalizeWhitespace final : public ElementRewriter {
 public:
  std::vector<std::string> Reasons() const override { return {"NormalizeWhitespace"}; }
  bool Rewrite(std::string_view text, std::string* to) const override {
    if (!HasOtherThanSingleSpaces(text)) return false;
    size_t kept = 0;
    bool changed = false;
    for (size_t at = 0; at < text.size();) {
      size_t bytes = SpaceBytes(text, at);
      if (bytes == 0) {
        at += Utf8Length(text[at]);
        continue;
      }
      const size_t begin = at;
      for (; bytes > 0; bytes = at < text.size() ? SpaceBytes(text, at) : 0) at += bytes;
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
                                      "Replaces each run of white space (ASCII and U+3000) by one space.")
      .Metric("NormalizeWhitespace", "changed elements")
      .Done();
}

}  // namespace uzushio
