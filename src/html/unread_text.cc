#include "html/unread_text.h"

#include <lexbor/html/tokenizer/state_rawtext.h>
#include <lexbor/html/tokenizer/state_script.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ascii.h"
#include "html/attributes.h"
#include "html/tag_scan.h"

namespace uzushio {
namespace {

using TokenizerState = lxb_html_tokenizer_state_f;

// Whether a text, or what there is of it so far, begins with a word in lower case.
bool MayBegin(std::string_view text, std::string_view word) {
  return std::ranges::equal(text.substr(0, word.size()), word.substr(0, text.size()), {}, LowerAscii);
}

// The first of the words, or what may become one in the next piece of the page; or the end.
template <size_t kWords>
size_t FindAny(const std::array<std::string_view, kWords>& words, std::string_view text) {
  for (size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    const std::string_view rest = text.substr(at);
    if (std::ranges::any_of(words, [rest](std::string_view word) { return MayBegin(rest, word); })) return at;
  }
  return text.size();
}

// From the first of the words on, `state` reads the text.
template <size_t kWords>
const lxb_char_t* PassTo(const std::array<std::string_view, kWords>& words, TokenizerState state,
                         lxb_html_tokenizer_t* tokenizer, const lxb_char_t* data, const lxb_char_t* end) {
  if (!tokenizer->is_eof) {
    data += FindAny(words, {reinterpret_cast<const char*>(data), static_cast<size_t>(end - data)});
    if (data == end) return end;
  }
  tokenizer->state = state;
  return data;
}

const lxb_char_t* PassStyle(lxb_html_tokenizer_t* tokenizer, const lxb_char_t* data, const lxb_char_t* end) {
  constexpr auto kEnd = std::to_array<std::string_view>({"</style"});
  return PassTo(kEnd, lxb_html_tokenizer_state_rawtext_before, tokenizer, data, end);
}

// Behind `<!--`, an end tag may end no script.
const lxb_char_t* PassScript(lxb_html_tokenizer_t* tokenizer, const lxb_char_t* data, const lxb_char_t* end) {
  constexpr auto kEnds = std::to_array<std::string_view>({"</script", "<!--"});
  return PassTo(kEnds, lxb_html_tokenizer_state_script_data_before, tokenizer, data, end);
}

bool IsProgram(const lxb_dom_node_t* script) {
  const std::string_view type = AttributeOf(script, "type").value_or("");
  return type.empty() || type == "module" || FindIgnoreCase(type, "javascript") != std::string_view::npos;
}

}  // namespace

void PassUnreadText(lxb_html_tokenizer_t* tokenizer, const lxb_dom_node_t* element) {
  // Other elements of these names, as those of SVG, have children.
  if (tokenizer->state == lxb_html_tokenizer_state_rawtext_before && element->local_name == LXB_TAG_STYLE) {
    tokenizer->state = PassStyle;
  } else if (tokenizer->state == lxb_html_tokenizer_state_script_data_before && IsProgram(element)) {
    tokenizer->state = PassScript;
  }
}

}  // namespace uzushio
