#include "html/shown_text.h"

#include <lexbor/dom/interfaces/character_data.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "document/markup.h"
#include "document/structure.h"
#include "html/attributes.h"
#include "html/gaiji.h"
#include "html/shown_rules.h"
#include "html/shown_writer.h"
#include "html/tree_walk.h"

namespace uzushio {
namespace {

using BlockKind = StructureBlock::Kind;

// What an element is to its reader.
enum Role : uint32_t {
  kBlockElement = 1U << 0,  // begins and ends a paragraph
  kNever = 1U << 1,         // never shown as text
  kLinkElement = 1U << 2,
  kCodeText = 1U << 3,  // inline code
  kStrong = 1U << 4,
  kEmphasis = 1U << 5,
  kQuote = 1U << 6,
  kList = 1U << 7,
  kItem = 1U << 8,  // of a list; a term, or a description
  kHeading = 1U << 9,
  kPre = 1U << 10,
  kTableElement = 1U << 11,
  kRow = 1U << 12,
  kCellElement = 1U << 13,
  kScript = 1U << 14,  // superscript, subscript
  kRuby = 1U << 15,
  kRubyReading = 1U << 16,
  kCodeBox = 1U << 17,    // code without `pre`
  kCodeLine = 1U << 18,   // a line in it
  kCodeLines = 1U << 19,  // code in the text whose lines end at `<br>`
  kLineBlock = 1U << 20,  // lines that are one paragraph
  kBlockLine = 1U << 21,  // a block in it
  kAsked = 1U << 22,      // may be more, or nothing, by what is in it and around it
  // What became of an open element.
  kPreformatted = 1U << 24,
  kDataTable = 1U << 25,
  kStructure = 1U << 26,  // has a block in the structure
  kNoNumbers = 1U << 27,  // looked like line numbers, and is not
  kNoFormula = 1U << 28,  // looked like a formula, and is not
  kCaption = 1U << 29,
  kOwnRow = 1U << 30,  // of the table that is written, not of one in it
  kOwnCell = 1U << 31,
};

constexpr auto kShownRoles = [] {
  std::array<uint32_t, LXB_TAG__LAST_ENTRY> roles{};
  for (auto tag :
       {LXB_TAG_ADDRESS, LXB_TAG_ARTICLE, LXB_TAG_ASIDE,  LXB_TAG_BODY,     LXB_TAG_CAPTION,    LXB_TAG_CENTER,
        LXB_TAG_DETAILS, LXB_TAG_DIALOG,  LXB_TAG_DIV,    LXB_TAG_FIELDSET, LXB_TAG_FIGCAPTION, LXB_TAG_FIGURE,
        LXB_TAG_FOOTER,  LXB_TAG_FORM,    LXB_TAG_FRAME,  LXB_TAG_HEADER,   LXB_TAG_HGROUP,     LXB_TAG_HR,
        LXB_TAG_LEGEND,  LXB_TAG_MAIN,    LXB_TAG_NAV,    LXB_TAG_OPTGROUP, LXB_TAG_OPTION,     LXB_TAG_P,
        LXB_TAG_SEARCH,  LXB_TAG_SECTION, LXB_TAG_SELECT, LXB_TAG_SUMMARY,  LXB_TAG_TBODY,      LXB_TAG_THEAD,
        LXB_TAG_TFOOT,   LXB_TAG_NOSCRIPT}) {
    roles[tag] = kBlockElement;
  }
  for (auto tag : {LXB_TAG_H1, LXB_TAG_H2, LXB_TAG_H3, LXB_TAG_H4, LXB_TAG_H5, LXB_TAG_H6}) {
    roles[tag] = kBlockElement | kHeading;
  }
  for (auto tag : {LXB_TAG_UL, LXB_TAG_OL, LXB_TAG_MENU, LXB_TAG_DIR, LXB_TAG_DL}) roles[tag] = kBlockElement | kList;
  for (auto tag : {LXB_TAG_LI, LXB_TAG_DT, LXB_TAG_DD}) roles[tag] = kBlockElement | kItem;
  for (auto tag : {LXB_TAG_PRE, LXB_TAG_TEXTAREA, LXB_TAG_XMP, LXB_TAG_PLAINTEXT, LXB_TAG_LISTING}) {
    roles[tag] = kBlockElement | kPre;
  }
  roles[LXB_TAG_BLOCKQUOTE] = kBlockElement | kQuote;
  roles[LXB_TAG_TABLE] = kBlockElement | kTableElement;
  roles[LXB_TAG_TR] = kBlockElement | kRow;
  roles[LXB_TAG_TD] = roles[LXB_TAG_TH] = kBlockElement | kCellElement;
  for (auto tag :
       {LXB_TAG_SCRIPT, LXB_TAG_STYLE, LXB_TAG_IFRAME, LXB_TAG_NOEMBED, LXB_TAG_NOFRAMES, LXB_TAG_TITLE,
        LXB_TAG_DATALIST, LXB_TAG_AUDIO, LXB_TAG_VIDEO, LXB_TAG_CANVAS, LXB_TAG_RP, LXB_TAG_HEAD, LXB_TAG_TEMPLATE}) {
    roles[tag] = kNever;
  }
  roles[LXB_TAG_A] = kLinkElement;
  for (auto tag : {LXB_TAG_CODE, LXB_TAG_TT, LXB_TAG_SAMP, LXB_TAG_KBD}) roles[tag] = kCodeText;
  for (auto tag : {LXB_TAG_B, LXB_TAG_STRONG}) roles[tag] = kStrong;
  for (auto tag : {LXB_TAG_I, LXB_TAG_EM}) roles[tag] = kEmphasis;
  for (auto tag : {LXB_TAG_SUP, LXB_TAG_SUB}) roles[tag] = kScript;
  roles[LXB_TAG_RUBY] = kRuby;
  for (auto tag : {LXB_TAG_RT, LXB_TAG_RTC}) roles[tag] = kRubyReading;
  for (auto tag : {LXB_TAG_BR, LXB_TAG_BUTTON, LXB_TAG_DIALOG, LXB_TAG_DT, LXB_TAG_IMG, LXB_TAG_INPUT, LXB_TAG_MATH,
                   LXB_TAG_NOSCRIPT}) {
    roles[tag] |= kAsked;
  }
  for (uint32_t& role : roles) role |= role & (kNever | kLinkElement | kScript | kRubyReading) ? kAsked : 0U;
  return roles;
}();

bool IsNamed(const lxb_dom_node_t* node, std::string_view name) {
  size_t length = 0;
  auto* element = lxb_dom_interface_element(const_cast<lxb_dom_node_t*>(node));
  const lxb_char_t* own = lxb_dom_element_local_name(element, &length);
  return std::string_view(reinterpret_cast<const char*>(own), length) == name;
}

// In SVG and MathML, names of HTML's elements mean nothing; links are links.
uint32_t RoleInGraphics(const lxb_dom_node_t* node) {
  constexpr auto kNoText =
      std::to_array<lxb_tag_id_t>({LXB_TAG_SCRIPT, LXB_TAG_STYLE, LXB_TAG_TITLE, LXB_TAG_DESC, LXB_TAG_ANNOTATION_XML});
  if (std::ranges::find(kNoText, node->local_name) != kNoText.end() || IsNamed(node, "annotation")) return kNever;
  return node->local_name == LXB_TAG_A ? uint32_t{kLinkElement} : 0;
}

int64_t IntegerOf(const lxb_dom_node_t* element, ReadName name, int64_t otherwise) {
  constexpr int64_t kMost = int64_t{1} << 31;
  std::string_view text = AttributeOf(element, name).value_or("");
  while (!text.empty() && (text[0] == ' ' || text[0] == '\n' || text[0] == '+')) text.remove_prefix(1);
  int64_t value = otherwise;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) return otherwise;
  return std::clamp(value, -kMost, kMost);
}

std::string_view TextOf(const lxb_dom_node_t* node) {
  const lexbor_str_t& data = reinterpret_cast<const lxb_dom_character_data_t*>(node)->data;
  return {reinterpret_cast<const char*>(data.data), data.length};
}

bool IsOnlyWhite(std::string_view text) { return text.find_first_not_of(" \t\n\r\f") == std::string_view::npos; }

// Stands for a character in texts of Aozora Bunko; a note says which.
constexpr std::string_view kNoteMark = "※";

// A list that is open: what its next item is.
struct OpenList {
  bool ordered = false;
  int64_t next = 1;
  int64_t step = 1;
  char numerals = '1';
};

OpenList ListOf(const lxb_dom_node_t* list) {
  OpenList open;
  open.ordered = list->local_name == LXB_TAG_OL;
  if (!open.ordered) return open;
  const std::string_view type = AttributeOf(list, "type").value_or("");
  if (type.size() == 1 && std::string_view("aAiI").find(type[0]) != std::string_view::npos) open.numerals = type[0];
  int64_t first = 1;
  if (AttributeOf(list, "reversed")) {
    open.step = -1;
    first = 0;
    for (const auto* child = list->first_child; child != nullptr; child = child->next) {
      first += child->local_name == LXB_TAG_LI;
    }
  }
  open.next = IntegerOf(list, "start", first);
  return open;
}

class ShownExtraction final : public StructureSource, public TreeWalk<ShownExtraction> {
 public:
  ShownExtraction(RubyForm ruby, bool keep_hidden, size_t max_bytes, std::string* document, PageOutline* outline)
      : TreeWalk(max_bytes, document, outline, this),
        ruby_(ruby),
        keep_hidden_(keep_hidden),
        writer_(document, &open_) {}

  bool hides_most() const { return hidden_bytes_ > writer_.text_bytes(); }

  void AppendStructure(std::string* out) override {
    constexpr size_t kMostBlocks = 32;  // the outermost, and the paragraph's own
    const bool leaves_out = blocks_.size() > kMostBlocks || Has(kCaption);
    if (leaves_out) structure_ends_.clear();
    structure_.resize(structure_ends_.empty() ? 0 : structure_ends_.back());
    size_t unchanged = blocks_.size();  // of the next paragraph
    for (size_t i = structure_ends_.size(); i < blocks_.size(); ++i) {
      StructureBlock& block = blocks_[i];
      const bool is_left_out = leaves_out && ((i + 1 >= kMostBlocks && i + 1 < blocks_.size()) ||
                                              (block.kind == BlockKind::kTable && Has(kCaption)));
      if (!is_left_out) {
        AppendBlock(block, &structure_);
        const bool has_first = block.kind == BlockKind::kUnorderedItem || block.kind == BlockKind::kOrderedItem ||
                               block.kind == BlockKind::kDescription;
        if (has_first && !block.later) unchanged = std::min(unchanged, i);
        block.later = has_first;
      }
      structure_ends_.push_back(structure_.size());
    }
    *out += structure_;
    structure_ends_.resize(leaves_out ? 0 : unchanged);
  }

 private:
  friend class TreeWalk<ShownExtraction>;

  struct OpenRoles {
    uint32_t own;
    uint32_t all;  // with those of the elements around it
  };

  int64_t Finish() {
    writer_.EndParagraph();
    return writer_.paragraphs();
  }

  static uint32_t RoleOf(const lxb_dom_node_t* node) {
    if (node->type != LXB_DOM_NODE_TYPE_ELEMENT) return 0;
    if (node->ns != LXB_NS_HTML) return RoleInGraphics(node) | kAsked;
    return node->local_name < kShownRoles.size() ? kShownRoles[node->local_name] : 0;
  }

  // The roles of all open elements.
  uint32_t Around() const { return roles_.empty() ? 0 : roles_.back().all; }
  bool Has(uint32_t role) const { return (Around() & role) != 0; }

  // Handles a node by itself; whether its children are to be visited.
  bool Visit(lxb_dom_node_t* node) {
    if (node->type == LXB_DOM_NODE_TYPE_TEXT) {
      if (Has(kCodeLine)) {
        CodeText(node);
      } else if (Has(kCodeLines)) {
        BrokenCodeText(TextOf(node));
      } else if (!NotedCharacter(node) && (ruby_notes_.empty() || !NotedInRuby(node))) {
        NotedText(TextOf(node));
      }
      return false;
    }
    if (node->type != LXB_DOM_NODE_TYPE_ELEMENT) return false;
    const uint32_t role = RoleOf(node);
    asked_ = 0;
    traits_ = FirstAttribute(node) == nullptr ? 0 : TraitsOf(node);
    if (traits_ == 0 && !(role & kAsked)) return true;  // as most
    if (std::ranges::find(notes_, node) != notes_.end()) return false;
    if (traits_ & kNoteClass && IsNoteOfLayout(node)) return false;
    if (outline_ != nullptr && role & kNever && IsLinkedData(node)) outline_->linked_data.push_back(node);
    if (Formulas(node, role)) return false;
    if (role & kNever) return node->local_name == LXB_TAG_TEMPLATE && AttributeOf(node, "shadowrootmode");
    if (node->local_name == LXB_TAG_BR) {
      writer_.LineBreak();
      return false;
    }
    if (node->local_name == LXB_TAG_IMG) Image(node);
    if (outline_ != nullptr) outline_->fields += node->local_name == LXB_TAG_INPUT;
    if (IsHidden(node)) return false;
    if (node->local_name == LXB_TAG_BUTTON && code_depth_ > 0) return false;  // which copies the code
    if (traits_ & kCodeAgainClass && (node->local_name == LXB_TAG_TEXTAREA || Has(kCodeBox))) return false;
    if (role & kRubyReading && Has(kRuby) && IsReading(node)) return Reading(node);
    if (node->local_name == LXB_TAG_DT && ItemOfMark(node)) return false;
    if (traits_ & kKanbunClass && role & kScript && ruby_ == RubyForm::kBase) return false;
    if (role & kScript && writer_.touches_text()) {
      const auto text = ScriptText(node);
      if (text) writer_.Text(*text);
      return !text;
    }
    if (role & kLinkElement && IsAnchor(node)) return false;
    if (Has(kNoNumbers) || !LooksLikeLineNumbers(node, role)) return true;
    asked_ |= kNoNumbers;
    const bool is_number = HoldsOnlyDigits(node);
    if (is_number) line_number_ = node;
    return !is_number;
  }

  // Where a text ends in `※`, and a note behind it names the character that the mark stands for, as in Aozora Bunko,
  // writes the text with the character. Whether it does.
  bool NotedCharacter(const lxb_dom_node_t* text_node) {
    std::string_view text = TextOf(text_node);
    if (!text.ends_with(kNoteMark) || text_node->next == nullptr) return false;
    const std::string character = CharacterOfNoteIn(text_node->next);
    if (character.empty()) return false;
    notes_ = {text_node->next};
    text.remove_suffix(kNoteMark.size());
    writer_.Text(text);
    writer_.Text(character);
    return true;
  }

  // Writes a text with the characters that notes in it name, as those of Aozora Bunko's own files do; code as it is.
  void NotedText(std::string_view text) {
    if (Has(kCodeText | kPreformatted)) return writer_.Text(text);
    constexpr std::string_view kNote = "※［＃";
    constexpr std::string_view kEnd = "］";
    constexpr size_t kMostOfNote = 256;
    for (size_t note = text.find(kNote); note != std::string_view::npos;) {
      const size_t end = text.substr(note, kMostOfNote).find(kEnd);
      const bool is_whole = end != std::string_view::npos;
      const size_t size = is_whole ? end + kEnd.size() : kNote.size();
      const std::string character = is_whole ? CharacterOfNote(text.substr(note, size)) : std::string();
      if (character.empty()) {
        note = text.find(kNote, note + size);
        continue;
      }
      writer_.Text(text.substr(0, note));
      writer_.Text(character);
      text.remove_prefix(note + size);
      note = text.find(kNote);
    }
    writer_.Text(text);
  }

  // The notes for the marks in a ruby, and in those in it, stand behind it.
  void EnterRuby(const lxb_dom_node_t* ruby) {
    ruby_notes_.clear();
    const size_t marks = MarksInRuby(ruby);
    const auto* note = ruby->next;
    std::vector<const lxb_dom_node_t*> characters;
    for (; note != nullptr && ruby_notes_.size() < marks && IsNote(note); note = note->next) {
      ruby_notes_.push_back(CharacterOfNoteIn(note));
      if (!ruby_notes_.back().empty()) characters.push_back(note);
    }
    if (ruby_notes_.size() == marks) {
      if (!characters.empty()) notes_ = std::move(characters);
      std::ranges::reverse(ruby_notes_);
    } else {
      ruby_notes_.clear();
    }
  }

  // Writes a text of a ruby with the characters that its marks stand for. Whether it does.
  bool NotedInRuby(const lxb_dom_node_t* text_node) {
    if (ruby_notes_.empty() || !Has(kRuby) || Has(kRubyReading)) return false;
    std::string_view text = TextOf(text_node);
    for (size_t mark = text.find(kNoteMark); mark != std::string_view::npos && !ruby_notes_.empty();
         mark = text.find(kNoteMark)) {
      const std::string character = std::move(ruby_notes_.back());
      ruby_notes_.pop_back();
      writer_.Text(text.substr(0, mark + (character.empty() ? kNoteMark.size() : 0)));
      writer_.Text(character);
      text.remove_prefix(mark + kNoteMark.size());
    }
    writer_.Text(text);
    return true;
  }

  // Generators that lay code out without `pre` indent it by U+00A0; Doxygen has one more beside a line's number.
  void CodeText(lxb_dom_node_t* node) {
    constexpr std::string_view kBlank = "\xC2\xA0";
    std::string_view text = TextOf(node);
    if (node->prev != nullptr && node->prev == line_number_ && text.starts_with(kBlank)) {
      text.remove_prefix(kBlank.size());
    }
    for (size_t blank = text.find(kBlank); blank != std::string_view::npos; blank = text.find(kBlank)) {
      writer_.Text(text.substr(0, blank));
      writer_.Text(" ");
      text.remove_prefix(blank + kBlank.size());
    }
    writer_.Text(text);
  }

  // White space collapses, and U+00A0 is for indentation.
  void BrokenCodeText(std::string_view text) {
    constexpr std::string_view kBlank = "\xC2\xA0";
    constexpr std::string_view kWhite = " \t\n\r\f";
    constexpr std::string_view kStops = " \t\n\r\f\xC2";  // which begins other characters, too
    while (!text.empty()) {
      if (text.starts_with(kBlank)) {
        writer_.Text(" ");
        text.remove_prefix(kBlank.size());
        continue;
      }
      const size_t white = std::min(text.find_first_not_of(kWhite), text.size());
      if (white > 0) {
        if (writer_.touches_text()) writer_.Text(" ");
        text.remove_prefix(white);
        continue;
      }
      size_t end = text.find_first_of(kStops);
      while (end < text.size() && text[end] == kBlank[0] && !text.substr(end).starts_with(kBlank)) {
        end = text.find_first_of(kStops, end + 1);
      }
      end = std::min(end, text.size());
      writer_.Text(text.substr(0, end));
      text.remove_prefix(end);
    }
  }

  // Code that is written as a text with `<br>`: it has lines, and stands alone on them.
  bool IsCodeOfLines(const lxb_dom_node_t* node, uint32_t role) const {
    return role & kCodeText && heading_depth_ == 0 && !Has(kCodeText) && !writer_.preformatted() &&
           !(traits_ & kKeepsWhiteSpace) && HoldsLines(node) && EndsLine(node, &lxb_dom_node_t::prev) &&
           EndsLine(node, &lxb_dom_node_t::next);
  }

  // Whether text stands before and behind a `<br>` in an element without blocks.
  static bool HoldsLines(const lxb_dom_node_t* element) {
    constexpr int kMostNodes = 64;  // before the second line
    bool has_text = false;
    bool has_break = false;
    int nodes = 0;
    for (const auto* node = NextIn(element, element, true); node != nullptr && ++nodes < kMostNodes;
         node = NextIn(element, node, true)) {
      if (RoleOf(node) & (kBlockElement | kNever)) return false;
      if (node->type == LXB_DOM_NODE_TYPE_TEXT && !IsOnlyWhite(TextOf(node))) {
        if (has_break) return !HoldsBlocks(element);
        has_text = true;
      }
      has_break |= has_text && node->local_name == LXB_TAG_BR;
    }
    return false;
  }

  // Whether nothing is on the line on one side of an element.
  static bool EndsLine(const lxb_dom_node_t* node, lxb_dom_node_t* lxb_dom_node_t::* next) {
    constexpr int kMostNodes = 16;
    for (int nodes = 0; nodes < kMostNodes; ++nodes) {
      const lxb_dom_node_t* beside = node->*next;
      if (beside == nullptr) {
        node = node->parent;
        if (node == nullptr || RoleOf(node) & kBlockElement) return node != nullptr;
        continue;
      }
      if (beside->local_name == LXB_TAG_BR || RoleOf(beside) & kBlockElement) return true;
      const bool is_text = beside->type == LXB_DOM_NODE_TYPE_TEXT;
      if (is_text ? !IsOnlyWhite(TextOf(beside)) : beside->type == LXB_DOM_NODE_TYPE_ELEMENT) return false;
      node = beside;
    }
    return false;
  }

  // In code, or as a block beside its lines.
  bool LooksLikeLineNumbers(const lxb_dom_node_t* node, uint32_t role) const {
    if (code_depth_ > 0) return traits_ & kLineNumbers || (traits_ & kHasStyle && HasStyleOfLineNumbers(node));
    return traits_ & kLineNumbers && role & kBlockElement && !(role & kItem);
  }

  bool IsAnchor(const lxb_dom_node_t* link) const {
    return (heading_depth_ > 0 || traits_ & kAnchorClass) && IsHeadingAnchor(link);
  }

  // Whether a formula, or what repeats one, was all there is in the element.
  bool Formulas(lxb_dom_node_t* node, uint32_t role) {
    if (role & kNever && node->local_name != LXB_TAG_SCRIPT) return false;
    if (traits_ & kFormulaAgain && RepeatsFormula(node)) return true;
    const bool by_tag =
        node->local_name == LXB_TAG_MATH || node->local_name == LXB_TAG_SCRIPT || node->local_name == LXB_TAG_IMG;
    if (Has(kNoFormula) || !(by_tag || traits_ & kFormulaClass)) return false;
    if (!by_tag && role & kBlockElement && HoldsBlocks(node)) return false;
    const auto formula = FormulaOf(node);
    if (!formula) {
      asked_ |= kNoFormula;
      return false;
    }
    const std::string_view mark = formula->display ? "$$" : "$";
    writer_.BeginMark(kFormulaStart);
    writer_.Text(std::string(mark) + formula->tex + std::string(mark));
    writer_.EndMark();
    return true;
  }

  void Image(const lxb_dom_node_t* node) {
    if (outline_ != nullptr) ++outline_->images;
    const std::string character = CharacterOfImage(node);
    if (!character.empty()) writer_.Text(character);
  }

  bool IsHidden(lxb_dom_node_t* node) {
    if (node->local_name == LXB_TAG_DIALOG && !AttributeOf(node, "open")) return true;
    if (node->ns == LXB_NS_SVG && IsNamed(node, "metadata")) return true;
    const bool is_hidden = traits_ & kHiddenByMarkup || node->local_name == LXB_TAG_NOSCRIPT;
    if (keep_hidden_ || !is_hidden) return false;
    constexpr size_t kLeastInNoscript = 256;  // less is a request for scripts
    size_t bytes = 0;                         // without links: menus are hidden until they are opened
    for (const lxb_dom_node_t* at = node; at != nullptr;
         at = NextIn(node, at, !(RoleOf(at) & (kNever | kLinkElement)))) {
      if (at->type != LXB_DOM_NODE_TYPE_TEXT) continue;
      for (const char c : TextOf(at)) bytes += static_cast<unsigned char>(c) > ' ' ? 1 : 0;
    }
    if (node->local_name != LXB_TAG_NOSCRIPT || bytes >= kLeastInNoscript) hidden_bytes_ += bytes;
    return true;
  }

  // Readings are put together, and written once at the end of their ruby.
  bool Reading(lxb_dom_node_t* node) {
    if (ruby_ == RubyForm::kBase) return false;
    constexpr size_t kMostBytes = 1024;
    for (const lxb_dom_node_t* at = node; at != nullptr; at = NextIn(node, at, true)) {
      if (at->type == LXB_DOM_NODE_TYPE_TEXT && reading_.size() < kMostBytes) reading_ += TextOf(at);
    }
    return false;
  }

  // Between the element of this role and what is before or behind it.
  void Border(uint32_t role) {
    const bool is_line = role & kBlockLine || (!Has(kCaption) && (code_depth_ > 0 || Has(kDataTable)));
    if (is_line && !writer_.in_cell()) {
      writer_.LineBorder();
    } else {
      writer_.EndParagraph();
    }
  }

  void PushBlock(StructureBlock block, uint32_t* role) {
    blocks_.push_back(block);
    *role |= kStructure;
  }

  void PopBlock() {
    blocks_.pop_back();
    if (structure_ends_.size() > blocks_.size()) structure_ends_.pop_back();
  }

  void EnterItem(lxb_dom_node_t* node, uint32_t* role) {
    if (node->local_name == LXB_TAG_DT) return PushBlock({.kind = BlockKind::kTerm}, role);
    if (node->local_name == LXB_TAG_DD) {
      std::optional<StructureBlock> item = ItemOfMark(node);
      if (item && item->kind == BlockKind::kUnorderedItem) item->number = lists_.back().next++;
      return PushBlock(item.value_or(StructureBlock{.kind = BlockKind::kDescription}), role);
    }
    OpenList& list = lists_.back();
    const int64_t number = list.ordered ? IntegerOf(node, "value", list.next) : list.next;
    list.next = number + list.step;
    PushBlock({.kind = list.ordered ? BlockKind::kOrderedItem : BlockKind::kUnorderedItem,
               .number = number,
               .numerals = list.numerals},
              role);
  }

  void EnterCode(lxb_dom_node_t* node, uint32_t* role) {
    const bool is_code = node->local_name != LXB_TAG_TEXTAREA;
    StructureBlock block{.kind = is_code ? BlockKind::kCode : BlockKind::kPreformatted};
    if (is_code) block.language = LanguageOfCode(node);
    PushBlock(block, role);
    ++code_depth_;
  }

  void EnterCodeLine(uint32_t* role) {
    *role |= kCodeLine;
    writer_.BeginCodeLine();
  }

  // Empty cells and items count, too.
  void Empty(lxb_dom_node_t* node) {
    if (!(RoleOf(node) & kBlockElement)) return;
    Enter(node);
    Leave(node);
  }

  void Enter(lxb_dom_node_t* node) {
    uint32_t role = (RoleOf(node) & ~kAsked) | asked_;
    asked_ = 0;
    if (role == 0 && traits_ == 0) return Push(node, 0, Around());  // as most `span` are
    if (node->local_name == LXB_TAG_CAPTION) role |= kCaption;
    const bool in_pre = code_depth_ > 0;
    const bool in_table = Has(kDataTable);
    if (!in_pre && !in_table && IsCodeOfLines(node, role)) {
      role = (role & ~kCodeText) | kBlockElement | kCodeBox | kCodeLines;
    }
    if (traits_ & (kLineBlockClass | kCodeLineClass) && Has(kLineBlock)) role |= kBlockLine;
    if (traits_ & kLineBlockClass) role |= kLineBlock;
    if (role & kCaption) {
      writer_.EndParagraph();
    } else if (role & kBlockElement) {
      Border(role);
    }
    if (!in_pre && !in_table) {
      if (role & kQuote) PushBlock({.kind = BlockKind::kQuote}, &role);
      if (role & kItem) EnterItem(node, &role);
      if (role & kHeading) {
        PushBlock({.kind = BlockKind::kHeading, .number = static_cast<int64_t>(node->local_name - LXB_TAG_H1) + 1},
                  &role);
      }
      if ((traits_ & kCodeBoxClass || node->local_name == LXB_TAG_OL) && IsCodeBox(node)) role |= kCodeBox;
      if (role & (kPre | kCodeBox)) EnterCode(node, &role);
      if (role & kTableElement && !(role & kCodeBox) && IsDataTable(node)) {
        PushBlock({.kind = BlockKind::kTable}, &role);
        role |= kDataTable;
      }
    } else {
      role &= ~(kHeading | kPre);
      if (traits_ & kCodeLineClass && Has(kCodeBox) && !Has(kCodeLine)) EnterCodeLine(&role);
    }
    if (role & kList) lists_.push_back(ListOf(node));
    if (role & kHeading || node->local_name == LXB_TAG_DT) ++heading_depth_;
    uint32_t around = Around();
    // What goes on over blocks is a `code` that is not closed.
    if (role & kBlockElement && around & kCodeText && !in_pre) {
      writer_.DropMark(kCodeStart);
      around &= ~kCodeText;
    }
    EnterInline(around, &role);
    Push(node, role, around);
    EnterTablePart(node, role);
    if (role & kRuby) reading_.clear();
    if (role & kRuby && !(around & kRuby)) EnterRuby(node);
  }

  // `around` are the roles of the elements around the node.
  void Push(lxb_dom_node_t* node, uint32_t role, uint32_t around) {
    open_.Push(node, role & kBlockElement);
    roles_.push_back({role, around | role});
  }

  void EnterInline(uint32_t around, uint32_t* role) {
    if (*role & (kPre | kCodeLines) || traits_ & kKeepsWhiteSpace) {
      *role |= kPreformatted;
      writer_.BeginPreformatted();
    }
    constexpr uint32_t kMarked = kLinkElement | kCodeText | kStrong | kEmphasis;
    if (code_depth_ > 0) *role &= ~(kCodeText | kStrong | kEmphasis);
    *role &= ~(around & kMarked);  // in one of its kind it says nothing new
    if (*role & kLinkElement) {
      writer_.BeginMark(kLinkStart);
      BeginLink(writer_.text_bytes());
    }
    if (*role & kCodeText) writer_.BeginMark(kCodeStart);
    if (*role & kStrong) writer_.BeginMark(kStrongStart);
    if (*role & kEmphasis) writer_.BeginMark(kEmphasisStart);
  }

  void EnterTablePart(const lxb_dom_node_t* node, uint32_t role) {
    if (!Has(kDataTable)) return;
    uint32_t& own = roles_.back().own;
    if (role & kRow && !writer_.in_cell()) {
      own |= kOwnRow;
      writer_.BeginRow();
    }
    if (role & kCellElement && !writer_.in_cell()) {
      own |= kOwnCell;
      writer_.BeginCell(node->local_name == LXB_TAG_TH);
    }
  }

  void Leave(lxb_dom_node_t* node) {
    const uint32_t role = roles_.back().own;
    if (role == 0) return Pop(role);
    if (role & kRuby && !reading_.empty()) {
      writer_.Text("（" + reading_ + "）");
      reading_.clear();
    }
    if (Has(kDataTable)) {
      constexpr int64_t kMostSpanned = 1000;
      if (role & kOwnCell) {
        writer_.EndCell(static_cast<int>(std::clamp(IntegerOf(node, "colspan", 1), int64_t{1}, kMostSpanned)),
                        static_cast<int>(std::clamp(IntegerOf(node, "rowspan", 1), int64_t{1}, kMostSpanned)));
      }
      if (role & kOwnRow) writer_.EndRow();
      const bool is_group =
          node->local_name == LXB_TAG_TBODY || node->local_name == LXB_TAG_THEAD || node->local_name == LXB_TAG_TFOOT;
      if (is_group && !writer_.in_cell()) writer_.EndRowGroup();
      if (role & kDataTable) writer_.EndRowGroup();
    }
    if (role & kLinkElement) EndLink(node, writer_.text_bytes(), writer_.holds_back_paragraph());
    if (role & (kLinkElement | kCodeText | kStrong | kEmphasis)) writer_.EndMark();
    Pop(role);
    if (role & (kPre | kCodeBox)) --code_depth_;
    if (role & kCodeLine) writer_.EndCodeLine();
    if (role & kBlockElement) {
      if (roles_.empty() || role & kCaption) {
        writer_.EndParagraph();
      } else {
        Border(role);
      }
    }
    if (role & kPreformatted) writer_.EndPreformatted();
    if (role & kList) lists_.pop_back();
    if (role & kHeading || node->local_name == LXB_TAG_DT) --heading_depth_;
    if (role & kStructure) PopBlock();
  }

  void Pop(uint32_t role) {
    roles_.pop_back();
    open_.Pop(role & kBlockElement);
  }

  RubyForm ruby_;
  bool keep_hidden_;
  ShownWriter writer_;
  std::vector<OpenRoles> roles_;  // of each open element
  std::vector<StructureBlock> blocks_;
  std::vector<OpenList> lists_ = {{}};
  std::string reading_;
  std::string structure_;               // of the last paragraph
  std::vector<size_t> structure_ends_;  // where its first blocks end, as far as the next paragraph's are the same
  int code_depth_ = 0;
  int heading_depth_ = 0;
  std::vector<const lxb_dom_node_t*> notes_;     // the last that were characters
  std::vector<std::string> ruby_notes_;          // what those behind the open ruby name, in order; empty where nothing
  const lxb_dom_node_t* line_number_ = nullptr;  // the last that was left out
  size_t hidden_bytes_ = 0;
  uint32_t traits_ = 0;  // of the element that was visited last
  uint32_t asked_ = 0;   // what the next element that is entered looked like
};

}  // namespace

std::optional<int64_t> ExtractShownParagraphs(lxb_html_document_t* page, RubyForm ruby, size_t max_bytes,
                                              std::string* document, PageOutline* outline) {
  const size_t before = document->size();
  std::optional<int64_t> paragraphs = 0;
  for (const bool keep_hidden : {false, true}) {
    document->resize(before);
    if (outline != nullptr) outline->Clear();
    if (page->body == nullptr) return 0;
    ShownExtraction extraction(ruby, keep_hidden, max_bytes, document, outline);
    paragraphs = extraction.Run(lxb_dom_interface_node(page->body));
    if (!paragraphs || !extraction.hides_most()) break;
  }
  return paragraphs;
}

}  // namespace uzushio
