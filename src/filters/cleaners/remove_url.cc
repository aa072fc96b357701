#include "filters/cleaners/elements.h"
#include "filters/list.h"

namespace uzushio {
namespace {

bool IsOfUrl(char c) {
  const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  return is_word || std::string_view("/:%#$&?()~.=+-").find(c) != std::string_view::npos;
}

class RemoveURL final : public ElementFilter {
 public:
  std::vector<std::string> Reasons() const override { return {"RemoveURL"}; }
  bool Keeps(std::string_view text, double* /*metric*/) const override {
    constexpr std::string_view kMark = "://";
    for (size_t at = 0; (at = text.find(kMark, at)) != std::string_view::npos; ++at) {
      const std::string_view before = text.substr(0, at);
      const std::string_view after = text.substr(at + kMark.size());
      // `sft` is what the original takes, too.
      const bool has_scheme =
          before.ends_with("http") || before.ends_with("https") || before.ends_with("sftp") || before.ends_with("sft");
      if (has_scheme && !after.empty() && IsOfUrl(after[0])) return false;
    }
    return true;
  }
};

}  // namespace

FilterDeclaration DeclareRemoveURL() {
  return Declare<RemoveURL>("RemoveURL", "paragraphs", "Removes elements that contain an http, https or sftp URL.")
      .Metric("RemoveURL", "share of the text in such elements")
      .Done();
}

}  // namespace uzushio
