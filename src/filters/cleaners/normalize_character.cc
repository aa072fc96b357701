#include "base/utf8.h"
#include "filters/cleaners/elements.h"
#include "filters/cleaners/printable.h"
#include "filters/list.h"

namespace uzushio {
namespace {

// Letters that Japanese text is mostly of: U+3041-307F, U+30C0-30FF, U+4E00-8FFF.
bool IsPlainlyPrintable(std::string_view text) {
  const auto a = static_cast<unsigned char>(text[0]);
  const auto b = static_cast<unsigned char>(text[1]);
  const auto c = static_cast<unsigned char>(text[2]);
  return (a == 0xE3 && ((b == 0x81 && c > 0x80) || b == 0x83)) || (a >= 0xE5 && a <= 0xE8) || (a == 0xE4 && b >= 0xB8);
}

class NormalizeCharacter final : public ElementRewriter {
 public:
  std::vector<std::string> Reasons() const override { return {"NormalizeCharacter"}; }
  bool Rewrite(std::string_view text, std::string* to) const override {
    size_t kept = 0;
    bool changed = false;
    for (size_t at = 0; at < text.size();) {
      const std::string_view rest = text.substr(at);
      const size_t bytes = Utf8Length(rest[0]);
      at += bytes;
      if (Stays(rest, bytes)) continue;
      to->append(text, kept, at - bytes - kept);
      kept = at;
      changed = true;
    }
    if (changed) to->append(text, kept);
    return changed;
  }
  std::string MetricKey() const override { return keeps_space ? "keepWS" : ""; }
  bool keeps_space = false;

 private:
  bool Stays(std::string_view rest, size_t bytes) const {
    const char c = rest[0];
    if (bytes == 1) return (c >= 0x20 && c < 0x7F) || (keeps_space && c >= '\t' && c <= '\r');
    if (bytes == 3 && IsPlainlyPrintable(rest)) return true;
    if (keeps_space && rest.starts_with("　")) return true;
    return IsPrintable(PointAt(rest, bytes));
  }
};

}  // namespace

FilterDeclaration DeclareNormalizeCharacter() {
  return Declare<NormalizeCharacter>("NormalizeCharacter", "rewrites",
                                     "Removes characters that can not be printed, as Python's str.isprintable has it.")
      .Metric("NormalizeCharacter", "elements that are changed")
      .Flag("keepWS", &NormalizeCharacter::keeps_space, "whether tabs, line breaks and U+3000 stay")
      .Done();
}

}  // namespace uzushio
