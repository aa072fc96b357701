#include "html/paragraphs.h"

#include <lexbor/dom/interfaces/character_data.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "document/markup.h"
#include "document/paragraph_writer.h"
#include "html/attributes.h"
#include "html/tree_walk.h"

namespace uzushio {
namespace {

// What an element means for the text around it.
enum TagRole : uint8_t {
  kInline = 0,
  kBlock = 1,  // begins and ends a paragraph
  kLine = 2,   // begins and ends a line
  kCell = 4,   // parted from its neighbours by a space
  kBreak = 8,  // is a line break
  kLink = 16,
  kHidden = 32,  // never shown as text
};

constexpr auto kTagRoles = [] {
  std::array<uint8_t, LXB_TAG__LAST_ENTRY> roles{};
  for (auto tag :
       {LXB_TAG_ADDRESS, LXB_TAG_ARTICLE, LXB_TAG_ASIDE, LXB_TAG_BLOCKQUOTE, LXB_TAG_BODY,   LXB_TAG_CAPTION,
        LXB_TAG_CENTER,  LXB_TAG_DIALOG,  LXB_TAG_DIR,   LXB_TAG_DIV,        LXB_TAG_DL,     LXB_TAG_FIELDSET,
        LXB_TAG_FIGURE,  LXB_TAG_FOOTER,  LXB_TAG_FORM,  LXB_TAG_FRAME,      LXB_TAG_H1,     LXB_TAG_H2,
        LXB_TAG_H3,      LXB_TAG_H4,      LXB_TAG_H5,    LXB_TAG_H6,         LXB_TAG_HEADER, LXB_TAG_HR,
        LXB_TAG_LEGEND,  LXB_TAG_MAIN,    LXB_TAG_NAV,   LXB_TAG_NOSCRIPT,   LXB_TAG_OL,     LXB_TAG_OPTGROUP,
        LXB_TAG_OPTION,  LXB_TAG_P,       LXB_TAG_PRE,   LXB_TAG_SECTION,    LXB_TAG_TABLE,  LXB_TAG_TEXTAREA,
        LXB_TAG_TITLE,   LXB_TAG_UL,      LXB_TAG_XMP,   LXB_TAG_PLAINTEXT,  LXB_TAG_LISTING}) {
    roles[tag] = kBlock;
  }
  for (auto tag :
       {LXB_TAG_LI, LXB_TAG_DT, LXB_TAG_DD, LXB_TAG_TR, LXB_TAG_TBODY, LXB_TAG_THEAD, LXB_TAG_TFOOT, LXB_TAG_FIGCAPTION,
        LXB_TAG_SUMMARY, LXB_TAG_DETAILS, LXB_TAG_MENU, LXB_TAG_HGROUP, LXB_TAG_SEARCH, LXB_TAG_SELECT}) {
    roles[tag] = kLine;
  }
  for (auto tag : {LXB_TAG_TD, LXB_TAG_TH}) roles[tag] = kCell;
  for (auto tag : {LXB_TAG_SCRIPT, LXB_TAG_STYLE, LXB_TAG_TEMPLATE, LXB_TAG_IFRAME, LXB_TAG_NOEMBED, LXB_TAG_NOFRAMES,
                   LXB_TAG_DATALIST, LXB_TAG_AUDIO, LXB_TAG_VIDEO, LXB_TAG_CANVAS}) {
    roles[tag] = kHidden;
  }
  roles[LXB_TAG_BR] = kBreak;
  roles[LXB_TAG_A] = kLink;
  return roles;
}();

uint8_t RoleOf(const lxb_dom_node_t* node) {
  return node->local_name < kTagRoles.size() ? kTagRoles[node->local_name] : uint8_t{kInline};
}

void Separate(uint8_t role, ParagraphWriter* writer) {
  if (role & kBlock) {
    writer->EndParagraph();
  } else if (role & (kLine | kBreak)) {
    writer->LineBreak();
  } else if (role & kCell) {
    writer->Space();
  }
}

class Extraction final : public TreeWalk<Extraction> {
 public:
  Extraction(size_t max_bytes, std::string* document, PageOutline* outline)
      : TreeWalk(max_bytes, document, outline, nullptr), writer_(document) {
    writer_.set_path_source(&open_);
  }

  // Handles a node by itself; whether its children are to be visited.
  bool Visit(lxb_dom_node_t* node) {
    if (node->type == LXB_DOM_NODE_TYPE_TEXT) {
      const lexbor_str_t& data = lxb_dom_interface_character_data(node)->data;
      writer_.Text({reinterpret_cast<const char*>(data.data), data.length});
      return false;
    }
    const uint8_t role = RoleOf(node);
    if (role & kHidden) {
      if (outline_ != nullptr && IsLinkedData(node)) outline_->linked_data.push_back(node);
      return false;
    }
    return true;
  }

  void Empty(const lxb_dom_node_t* node) {
    Separate(RoleOf(node), &writer_);
    if (outline_ == nullptr) return;
    outline_->images += node->local_name == LXB_TAG_IMG;
    outline_->fields += node->local_name == LXB_TAG_INPUT;
  }

  void Enter(lxb_dom_node_t* node) {
    const uint8_t role = RoleOf(node);
    Separate(role, &writer_);
    open_.Push(node, role & kBlock);
    if (!(role & kLink)) return;
    writer_.LinkStart();
    BeginLink(writer_.text_bytes());
  }

  void Leave(lxb_dom_node_t* node) {
    const uint8_t role = RoleOf(node);
    if (role & kLink) {
      EndLink(node, writer_.text_bytes(), false);
      writer_.LinkEnd();
    }
    Separate(role, &writer_);
    open_.Pop(role & kBlock);
  }

  int64_t Finish() const { return writer_.paragraphs(); }

 private:
  ParagraphWriter writer_;
};

}  // namespace

std::optional<int64_t> ExtractParagraphs(lxb_html_document_t* page, size_t max_bytes, std::string* document,
                                         PageOutline* outline) {
  if (outline != nullptr) outline->Clear();
  if (page->body == nullptr) return 0;
  return Extraction(max_bytes, document, outline).Run(lxb_dom_interface_node(page->body));
}

std::string_view DeclaredLanguage(lxb_html_document_t* page) {
  lxb_dom_element_t* root = lxb_dom_document_element(&page->dom_document);
  if (root == nullptr) return {};
  for (const ReadName name : {ReadName("lang"), ReadName("xml:lang")}) {
    const std::string_view attribute = name;
    const std::string_view value = ValueOf(
        lxb_dom_element_attr_by_name(root, reinterpret_cast<const lxb_char_t*>(attribute.data()), attribute.size()));
    if (!value.empty()) return value;
  }
  return {};
}

std::optional<int64_t> ExtractPlainParagraphs(std::string_view text, size_t max_bytes, std::string* document) {
  const size_t limit = document->size() + max_bytes;
  ParagraphWriter writer(document);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r\f\v") == std::string_view::npos) {
      writer.EndParagraph();
    } else {
      writer.LineBreak();
      writer.Text(line);
    }
    if (document->size() > limit) return std::nullopt;
  }
  writer.EndParagraph();
  return writer.paragraphs();
}

}  // namespace uzushio
