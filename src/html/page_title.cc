#include "html/page_title.h"

#include <lexbor/dom/interfaces/character_data.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/utf8.h"
#include "document/markup.h"
#include "html/path_tags.h"
#include "html/read_names.h"

namespace uzushio {
namespace {

// More is not looked at: of titles, and of a page's h1.
constexpr size_t kMaxLooked = 4 * kMaxTitleBytes;
constexpr size_t kMaxHeadings = 8;

std::string_view Attribute(lxb_dom_node_t* node, ReadName read_name) {
  const std::string_view name = read_name;
  size_t length = 0;
  const lxb_char_t* value = lxb_dom_element_get_attribute(
      lxb_dom_interface_element(node), reinterpret_cast<const lxb_char_t*>(name.data()), name.size(), &length);
  return value == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(value), length);
}

// On one line, white space as single spaces, without marks.
std::string OnOneLine(std::string_view raw) {
  std::string line;
  bool space = false;
  raw = Utf8Prefix(raw, kMaxLooked);
  for (size_t i = 0; i < raw.size(); ++i) {
    const char c = raw[i];
    if (IsMark(c)) continue;
    const size_t wide = c == '\xC2' && raw.substr(i + 1).starts_with('\xA0') ? 2 : WideSpacePrefix(raw.substr(i));
    if (wide > 0 || static_cast<unsigned char>(c) <= ' ') {
      space = true;
      i += std::max<size_t>(wide, 1) - 1;
      continue;
    }
    if (space && !line.empty()) line += ' ';
    space = false;
    line += c;
  }
  return line;
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

  void Read(lxb_dom_node_t* parent) {
    for (lxb_dom_node_t* node = parent->first_child; node != nullptr; node = node->next) {
      if (node->local_name == LXB_TAG_TITLE && title.empty()) title = ChildText(node);
      if (node->local_name != LXB_TAG_META) continue;
      std::string_view property = Attribute(node, "property");
      if (property.empty()) property = Attribute(node, "name");
      std::string* const to = property == "og:title" ? &og_title : property == "og:site_name" ? &site_name : nullptr;
      if (to != nullptr && to->empty()) *to = OnOneLine(Attribute(node, "content"));
    }
  }
};

// What parts titles from names of sites. Those of the second kind stand without spaces, too.
constexpr std::array<std::string_view, 11> kSpacedMarks = {"-", "–", "—", "―", "－", "»", "«", "›", "·", "•", "::"};
constexpr std::array<std::string_view, 3> kTitleMarks = {"|", "｜", "│"};

// The bytes of the mark that parts begin behind at `at`, spaces included, or 0.
size_t MarkAt(std::string_view text, size_t at) {
  const std::string_view rest = text.substr(at);
  const size_t space = rest.starts_with(' ') ? 1 : 0;
  for (const std::string_view mark : kTitleMarks) {
    if (rest.substr(space).starts_with(mark)) return space + mark.size();
  }
  for (const std::string_view mark : kSpacedMarks) {
    const bool spaced = space > 0 && rest.substr(1).starts_with(mark);
    if (spaced && rest.substr(1 + mark.size()).starts_with(' ')) return mark.size() + 1;
  }
  return 0;
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// The parts of a line with text, as they lie in it.
std::vector<std::string_view> Parts(std::string_view line) {
  std::vector<std::string_view> parts;
  const auto add = [&parts](std::string_view part) {
    part = Trimmed(part);
    if (!part.empty()) parts.push_back(part);
  };
  size_t begin = 0;
  for (size_t at = 0; at < line.size();) {
    const size_t mark = MarkAt(line, at);
    if (mark > 0) {
      add(line.substr(begin, at - begin));
      begin = at + mark;
    }
    at += std::max<size_t>(mark, 1);
  }
  add(line.substr(begin));
  return parts;
}

// What is left of a line when parts are left out at its ends; all of it when that were nothing.
std::string_view WithoutSite(std::string_view line, std::string_view site_name, bool drop_last) {
  std::vector<std::string_view> parts = Parts(line);
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
    if (line.ends_with(kPilcrow)) line.resize(Trimmed(std::string_view(line).substr(0, line.size() - 2)).size());
    if (line.empty()) continue;
    bool in_content = false;
    ForEachTag(paragraph->path, [&](std::string_view tag) { in_content |= tag == "main" || tag == "article"; });
    headings.push_back({std::move(line), in_content});
    if (headings.size() == kMaxHeadings) break;
  }
  return headings;
}

bool IsPunctuation(char32_t point) {
  return point < 0xC0 || (point >= 0x2000 && point < 0x2070) || (point >= 0x3000 && point < 0x3040 && point != U'々') ||
         (point >= 0xFF00 && point < 0xFF10) || point == U'・';
}

// Letters and digits, those of ASCII in lower case.
std::u32string Letters(std::string_view text) {
  std::u32string letters;
  DecodeUtf8(text, &letters);
  for (char32_t& point : letters) point += point >= 'A' && point <= 'Z' ? 'a' - 'A' : 0;
  std::erase_if(letters, [](char32_t point) {
    const bool is_ascii = (point >= 'a' && point <= 'z') || (point >= '0' && point <= '9');
    return !is_ascii && IsPunctuation(point);
  });
  return letters;
}

// Which of the headings is the title, or null.
const Heading* TitleAmong(const std::vector<Heading>& headings, const Metadata& metadata) {
  const std::vector<std::string_view> parts = Parts(metadata.title);
  const auto is_site = [&](const Heading& heading) {
    const bool is_last = parts.size() > 1 && heading.text == parts.back();
    return (is_last && !heading.in_content) || heading.text == metadata.site_name;
  };
  const std::u32string title = Letters(metadata.title);
  for (const Heading& heading : headings) {
    const std::u32string letters = Letters(heading.text);
    const bool matches = !letters.empty() && !title.empty() &&
                         (title.find(letters) != std::u32string::npos || letters.find(title) != std::u32string::npos);
    if (matches && !is_site(heading)) return &heading;
  }
  if (headings.size() == 1 && !is_site(headings.front())) return &headings.front();
  const auto first = std::ranges::find_if_not(headings, is_site);
  return metadata.title.empty() && first != headings.end() ? &*first : nullptr;
}

}  // namespace

std::string PageTitle(lxb_html_document_t* page, std::string_view text) {
  Metadata metadata;
  // What belongs into the head lies in the body where something else came before.
  if (page->head != nullptr) metadata.Read(lxb_dom_interface_node(page->head));
  if (page->body != nullptr) metadata.Read(lxb_dom_interface_node(page->body));
  const auto cut = [](std::string_view title) {
    title = Trimmed(Utf8Prefix(title, kMaxTitleBytes));
    return Letters(title).empty() ? std::string() : std::string(title);
  };
  const std::string_view og_title = WithoutSite(metadata.og_title, metadata.site_name, false);
  if (og_title != metadata.site_name && !og_title.empty()) return cut(og_title);
  const std::vector<Heading> headings = FirstHeadings(text);
  if (const Heading* heading = TitleAmong(headings, metadata)) return cut(heading->text);
  const std::string_view title = WithoutSite(metadata.title, metadata.site_name, true);
  return cut(title.empty() ? og_title : title);
}

bool IsSameTitle(std::string_view title, std::string_view heading) {
  const std::u32string a = Letters(OnOneLine(title));
  const std::u32string b = Letters(OnOneLine(heading));
  if (a == b) return true;
  const std::u32string& longer = a.size() > b.size() ? a : b;
  const std::u32string& shorter = a.size() > b.size() ? b : a;
  return longer.size() < 2 * shorter.size() && longer.find(shorter) != std::u32string::npos;
}

}  // namespace uzushio
