#include "html/page_title.h"

#include <lexbor/dom/interfaces/character_data.h>

#include <algorithm>
#include <vector>

#include "base/utf8.h"
#include "document/markup.h"
#include "html/path_tags.h"
#include "html/read_names.h"
#include "html/title_text.h"

namespace uzushio {
namespace {

constexpr size_t kMaxHeadings = 8;  // more of a page's h1 are not looked at

std::string_view Attribute(lxb_dom_node_t* node, ReadName read_name) {
  const std::string_view name = read_name;
  size_t length = 0;
  const lxb_char_t* value = lxb_dom_element_get_attribute(
      lxb_dom_interface_element(node), reinterpret_cast<const lxb_char_t*>(name.data()), name.size(), &length);
  return value == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(value), length);
}

std::string ChildText(lxb_dom_node_t* node) {
  std::string text;
  for (lxb_dom_node_t* child = node->first_child; child != nullptr; child = child->next) {
    if (child->type != LXB_DOM_NODE_TYPE_TEXT) continue;
    const lexbor_str_t& data = lxb_dom_interface_character_data(child)->data;
    text.append(reinterpret_cast<const char*>(data.data), data.length);
  }
  return OnOneLine(text);
}

// What the page says of itself; the first of each kind.
struct Metadata {
  std::string title;
  std::string og_title;
  std::string site_name;
  std::string application;

  void Read(lxb_dom_node_t* parent) {
    for (lxb_dom_node_t* node = parent->first_child; node != nullptr; node = node->next) {
      if (node->local_name == LXB_TAG_TITLE && title.empty()) title = ChildText(node);
      if (node->local_name != LXB_TAG_META) continue;
      std::string_view property = Attribute(node, "property");
      if (property.empty()) property = Attribute(node, "name");
      std::string* const to = property == "og:title"           ? &og_title
                              : property == "og:site_name"     ? &site_name
                              : property == "application-name" ? &application
                                                               : nullptr;
      if (to != nullptr && to->empty()) *to = OnOneLine(Attribute(node, "content"));
    }
  }
};

// What is left of a line when parts are left out at its ends; all of it when that were nothing.
std::string_view WithoutSite(std::string_view line, std::string_view site_name, bool drop_last) {
  std::vector<std::string_view> parts = TitleParts(line);
  const auto is_site = [&](std::string_view part) { return !site_name.empty() && part == site_name; };
  if (parts.empty()) return line;
  if (parts.size() > 1) {
    const bool is_last = is_site(parts.back());
    if (!is_last && is_site(parts.front())) {
      parts.erase(parts.begin());
    } else if (is_last || drop_last) {
      parts.pop_back();
    }
  }
  const char* const end = parts.back().data() + parts.back().size();
  return {parts.front().data(), static_cast<size_t>(end - parts.front().data())};
}

struct Heading {
  std::string text;
  bool in_content = false;  // in a main or an article
};

// Most paragraphs are not looked at: only those with "h1" somewhere. `text` is a document's, so that no more than two
// line ends follow one another.
std::vector<Heading> FirstHeadings(std::string_view text) {
  std::vector<Heading> headings;
  for (size_t at = 0; (at = text.find("h1", at)) != std::string_view::npos;) {
    const size_t separator = text.rfind(kParagraphSeparator, at);
    text.remove_prefix(separator == std::string_view::npos ? 0 : separator + kParagraphSeparator.size());
    const auto paragraph = ParagraphReader(text).Next();
    if (!paragraph) break;
    at = static_cast<size_t>(paragraph->text.data() - text.data()) + paragraph->text.size();
    if (HeadingLevel(paragraph->path) != 1) continue;
    std::string line = OnOneLine(paragraph->text);
    constexpr std::string_view kPilcrow = "¶";
    if (line.ends_with(kPilcrow)) line.resize(TrimSpaces(std::string_view(line).substr(0, line.size() - 2)).size());
    if (line.empty()) continue;
    bool in_content = false;
    ForEachTag(paragraph->path, [&](std::string_view tag) { in_content |= tag == "main" || tag == "article"; });
    headings.push_back({std::move(line), in_content});
    if (headings.size() == kMaxHeadings) break;
  }
  return headings;
}

// Which of the headings is the title, or null.
const Heading* TitleAmong(const std::vector<Heading>& headings, const Metadata& metadata) {
  const std::vector<std::string_view> parts = TitleParts(metadata.title);
  const auto is_site = [&](const Heading& heading) {
    const bool is_last = parts.size() > 1 && heading.text == parts.back();
    return (is_last && !heading.in_content) || heading.text == metadata.site_name;
  };
  const std::u32string title = TitleLetters(metadata.title);
  for (const Heading& heading : headings) {
    const std::u32string letters = TitleLetters(heading.text);
    const bool matches = !letters.empty() && !title.empty() &&
                         (title.find(letters) != std::u32string::npos || letters.find(title) != std::u32string::npos);
    if (matches && !is_site(heading)) return &heading;
  }
  const auto first = std::ranges::find_if_not(headings, is_site);
  if (first == headings.end()) return nullptr;
  const bool is_only =
      headings.size() < kMaxHeadings && std::find_if_not(first + 1, headings.end(), is_site) == headings.end();
  return is_only || metadata.title.empty() ? &*first : nullptr;
}

std::string TitleOf(const Metadata& metadata, std::string_view text) {
  const auto cut = [](std::string_view title) {
    title = TrimSpaces(Utf8Prefix(title, kMaxTitleBytes));
    return TitleLetters(title).empty() ? std::string() : std::string(title);
  };
  const std::string_view og_title = WithoutSite(metadata.og_title, metadata.site_name, false);
  if (og_title != metadata.site_name && !og_title.empty()) return cut(og_title);
  const std::vector<Heading> headings = FirstHeadings(text);
  if (const Heading* heading = TitleAmong(headings, metadata)) return cut(heading->text);
  const std::string_view title = WithoutSite(metadata.title, metadata.site_name, true);
  return cut(title.empty() ? og_title : title);
}

}  // namespace

PageTitle FindPageTitle(lxb_html_document_t* page, std::string_view text) {
  Metadata metadata;
  // What belongs into the head lies in the body where something else came before.
  if (page->head != nullptr) metadata.Read(lxb_dom_interface_node(page->head));
  if (page->body != nullptr) metadata.Read(lxb_dom_interface_node(page->body));
  PageTitle title;
  title.text = TitleOf(metadata, text);
  if (title.text.empty()) return title;
  const std::u32string letters = TitleLetters(title.text);
  title.is_site = letters == TitleLetters(metadata.site_name) || letters == TitleLetters(metadata.application);
  return title;
}

}  // namespace uzushio
