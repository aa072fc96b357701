#include "html/page_head.h"

#include <lexbor/dom/interfaces/character_data.h>

#include <algorithm>

#include "html/attributes.h"
#include "html/tag_scan.h"

namespace uzushio {
namespace {

std::string_view LanguageOf(std::string_view attributes) {
  std::string_view name;
  std::string_view value;
  std::string_view language;
  std::string_view xml_language;
  while (NextAttribute(&attributes, &name, &value)) {
    if (language.empty() && IsWord(name, "lang")) language = value;
    if (xml_language.empty() && IsWord(name, "xml:lang")) xml_language = value;
  }
  return language.empty() ? xml_language : language;
}

// `rest` stands behind `<title`.
std::string_view TitleMarkup(std::string_view rest) {
  std::string_view name;
  std::string_view value;
  while (NextAttribute(&rest, &name, &value)) {
  }
  const size_t begin = rest.find('>');
  if (begin == std::string_view::npos) return {};
  rest = rest.substr(begin + 1, kMaxTitleMarkup);
  return rest.substr(0, FindIgnoreCase(rest, "</title"));
}

}  // namespace

PageHead SniffHead(std::string_view page) {
  PageHead head;
  bool has_root = false;
  std::string_view raw;  // the script or style that this is in
  for (size_t at = page.find('<'); at != std::string_view::npos; at = page.find('<', at + 1)) {
    const std::string_view tag = page.substr(at + 1);
    if (!raw.empty()) {
      if (tag.starts_with('/') && BeginsTag(tag.substr(1), raw)) raw = {};
    } else if (tag.starts_with("!--")) {
      const size_t end = page.find("-->", at + 2);  // <!--> is whole
      if (end == std::string_view::npos) break;
      at = end;
    } else if (!has_root && BeginsTag(tag, "html")) {
      head.language = LanguageOf(tag.substr(4));
      has_root = true;
    } else if (BeginsTag(tag, "script")) {
      raw = "script";
    } else if (BeginsTag(tag, "style")) {
      raw = "style";
    } else if (BeginsTag(tag, "title")) {
      head.title = TitleMarkup(tag.substr(5));
      break;
    }
  }
  return head;
}

std::string TitleText(std::string_view markup, HtmlParser* parser) {
  if (markup.find('&') == std::string_view::npos) return std::string(markup);
  std::string text;
  if (parser->Parse("<title>" + std::string(markup)) != ParseOutcome::kOk) return text;
  const lxb_dom_node_t* const head = lxb_dom_interface_node(parser->document()->head);
  const lxb_dom_node_t* const title = head == nullptr ? nullptr : head->first_child;
  for (const lxb_dom_node_t* child = title == nullptr ? nullptr : title->first_child; child != nullptr;
       child = child->next) {
    if (child->type == LXB_DOM_NODE_TYPE_TEXT) text += View(&lxb_dom_interface_character_data(child)->data);
  }
  return text;
}

}  // namespace uzushio
