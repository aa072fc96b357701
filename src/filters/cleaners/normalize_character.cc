#include "base/count_places.h"
#include "base/utf8.h"
#include "filters/cleaners/elements.h"
#include "filters/cleaners/printable.h"
#include "filters/list.h"

namespace uzushio {
namespace {

// Whether there are other letters than those that Japanese text is mostly of, all of which can be printed: ASCII,
// U+3001-3096 but U+3040, U+3099-30FF, U+4E00-9FBF, U+FF01-FF7F. Sixteen bytes at once.
bool HasUncommonLetters(std::string_view text) {
  return CountPlaces<2>(text, [](const char* at) {
           const SixteenBytes a = LoadBytes(at);
           const SixteenBytes b = LoadBytes(at + 1);
           const SixteenBytes c = LoadBytes(at + 2);
           const auto kana = ((b == 0x80) & (c != 0x80)) | ((b == 0x81) & (c > 0x80)) |
                             ((b == 0x82) & (c != 0x97) & (c != 0x98)) | (b == 0x83);
           const auto common = ((a == 0xE3) & kana) | ((a == 0xE4) & (b >= 0xB8)) | ((a >= 0xE5) & (a <= 0xE8)) |
                               ((a == 0xE9) & (b < 0xBF)) | ((a == 0xEF) & (((b == 0xBC) & (c > 0x80)) | (b == 0xBD)));
           return (a < 0x20) | (a == 0x7F) | ((a >= 0xC0) & ~common);
         }) > 0;
}

class NormalizeCharacter final : public ElementRewriter {
 public:
  std::vector<std::string> Reasons() const override { return {"NormalizeCharacter"}; }
  bool Rewrite(std::string_view text, std::string* to) const override {
    if (!HasUncommonLetters(text)) return false;
    size_t kept = 0;
    bool changed = false;
    for (size_t at = 0; at < text.size();) {
      const size_t begin = at;
      at += Utf8Length(text[at]);
      if (Stays(text, begin, at - begin)) continue;
      to->append(text, kept, begin - kept);
      kept = at;
      changed = true;
    }
    if (changed) to->append(text, kept);
    return changed;
  }
  std::string MetricKey() const override { return keeps_space ? "keepWS" : ""; }
  bool keeps_space = false;

 private:
  // The character of `bytes` bytes at `at`.
  bool Stays(std::string_view text, size_t at, size_t bytes) const {
    const char c = text[at];
    if (bytes == 1) return (c >= 0x20 && c < 0x7F) || (keeps_space && c >= '\t' && c <= '\r');
    const char32_t point = PointAt(text.substr(at), bytes);
    return IsPrintable(point) || (keeps_space && point == U'\u3000');
  }
};

}  // namespace

FilterDeclaration DeclareNormalizeCharacter() {
  return Declare<NormalizeCharacter>("NormalizeCharacter", "rewrites",
                                     "Removes unprintable characters, as defined by Python's str.isprintable.")
      .Metric("NormalizeCharacter", "changed elements")
      .Flag("keepWS", &NormalizeCharacter::keeps_space, "keep tabs, line breaks and U+3000")
      .Done();
}

}  // namespace uzushio
