#include "html/shown_rules.h"

#include <lexbor/dom/interfaces/character_data.h>
#include <lexbor/tag/const.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.h"
#include "base/trim.h"
#include "base/utf8.h"
#include "html/attributes.h"
#include "html/gaiji.h"

namespace uzushio {

const lxb_dom_node_t* NextIn(const lxb_dom_node_t* root, const lxb_dom_node_t* node, bool into) {
  if (into && node->first_child != nullptr) return node->first_child;
  while (node != root && node->next == nullptr) node = node->parent;
  return node == root ? nullptr : node->next;
}

namespace {

// More of what an attribute says, or of a text that has to be short, is not looked at.
constexpr size_t kMostLooked = 4096;

bool IsElement(const lxb_dom_node_t* node) { return node->type == LXB_DOM_NODE_TYPE_ELEMENT; }
bool IsSpace(char c) {
  return static_cast<unsigned char>(c) <= ' ' && (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f');
}

std::string_view Trim(std::string_view text) { return Trimmed(text, IsSpace); }

std::string Lower(std::string_view text) {
  std::string lower(text.substr(0, kMostLooked));
  std::ranges::transform(lower, lower.begin(), LowerAscii);
  return lower;
}

std::string_view ClassOf(const lxb_dom_node_t* element) {
  return ValueOf(reinterpret_cast<const lxb_dom_element_t*>(element)->attr_class).substr(0, kMostLooked);
}

// Calls `use` with each class until it returns true; whether it did.
template <typename Use>
bool AnyClass(const lxb_dom_node_t* element, Use use) {
  std::string_view classes = ClassOf(element);
  while (!classes.empty()) {
    const auto* const end = std::ranges::find_if(classes, IsSpace);
    const std::string_view name(classes.begin(), end);
    if (!name.empty() && use(name)) return true;
    classes.remove_prefix(std::min(name.size() + 1, classes.size()));
  }
  return false;
}

template <size_t n>
bool HasClass(const lxb_dom_node_t* element, const std::array<std::string_view, n>& names) {
  return AnyClass(element, [&names](std::string_view name) { return std::ranges::find(names, name) != names.end(); });
}

std::string_view DataOf(const lxb_dom_node_t* text) {
  const lexbor_str_t& data = reinterpret_cast<const lxb_dom_character_data_t*>(text)->data;
  return {reinterpret_cast<const char*>(data.data), data.length};
}

// The text in an element; nothing where it is longer than `most` bytes, or has too many nodes in it to be short.
std::optional<std::string> ShortText(const lxb_dom_node_t* element, size_t most) {
  std::string text;
  int nodes = 0;
  for (const auto* node = NextIn(element, element, true); node != nullptr; node = NextIn(element, node, true)) {
    if (++nodes > 64 || node->local_name == LXB_TAG_SCRIPT || node->local_name == LXB_TAG_STYLE) return std::nullopt;
    if (node->type != LXB_DOM_NODE_TYPE_TEXT) continue;
    const std::string_view data = DataOf(node);
    if (text.size() + data.size() > most) return std::nullopt;
    text += data;
  }
  return text;
}

bool IsBlockTag(const lxb_dom_node_t* node) {
  constexpr auto kBlocks = std::to_array<lxb_tag_id_t>(
      {LXB_TAG_ARTICLE, LXB_TAG_ASIDE,  LXB_TAG_BLOCKQUOTE, LXB_TAG_DIV, LXB_TAG_DL, LXB_TAG_FIELDSET, LXB_TAG_FIGURE,
       LXB_TAG_FOOTER,  LXB_TAG_FORM,   LXB_TAG_H1,         LXB_TAG_H2,  LXB_TAG_H3, LXB_TAG_H4,       LXB_TAG_H5,
       LXB_TAG_H6,      LXB_TAG_HEADER, LXB_TAG_MAIN,       LXB_TAG_NAV, LXB_TAG_OL, LXB_TAG_P,        LXB_TAG_PRE,
       LXB_TAG_SECTION, LXB_TAG_TABLE,  LXB_TAG_TEXTAREA,   LXB_TAG_UL});
  return IsElement(node) && std::ranges::find(kBlocks, node->local_name) != kBlocks.end();
}

// The value of a property in an inline style, in lower case: the last that is given.
std::string_view StyleValue(std::string_view style, std::string_view property) {
  std::string_view value;
  while (!style.empty()) {
    const size_t end = std::min(style.find(';'), style.size());
    const std::string_view declaration = style.substr(0, end);
    style.remove_prefix(std::min(end + 1, style.size()));
    const size_t colon = declaration.find(':');
    if (colon == std::string_view::npos || Trim(declaration.substr(0, colon)) != property) continue;
    value = Trim(declaration.substr(colon + 1, declaration.find('!') - colon - 1));
  }
  return value;
}

struct ClassTrait {
  std::string_view name;
  uint32_t trait;
};
constexpr auto kClassTraits = std::to_array<ClassTrait>({
    {"gutter", kLineNumbers},
    {"lineno", kLineNumbers},
    {"linenos", kLineNumbers},
    {"linenodiv", kLineNumbers},
    {"linenumber", kLineNumbers},
    {"linenumbers", kLineNumbers},
    {"line-number", kLineNumbers},
    {"line-numbers", kLineNumbers},
    {"lineNumbers", kLineNumbers},
    {"line-num", kLineNumbers},
    {"lnt", kLineNumbers},
    {"lntd", kLineNumbers},
    {"ln", kLineNumbers},
    {"blob-num", kLineNumbers},
    {"hljs-ln-numbers", kLineNumbers},
    {"crayon-nums", kLineNumbers},
    {"rouge-gutter", kLineNumbers},
    {"src-line-numbers", kLineNumbers},
    {"fragment", kCodeBoxClass},
    {"container", kCodeBoxClass},
    {"crayon-pre", kCodeBoxClass},
    {"js-file-line-container", kCodeBoxClass},
    {"line", kCodeLineClass},
    {"de1", kCodeLineClass},
    {"de2", kCodeLineClass},
    {"crayon-line", kCodeLineClass},
    {"blob-code", kCodeLineClass},
    {"crayon-plain", kCodeAgainClass},
    {"ttc", kCodeAgainClass},
    {"notes", kNoteClass},
    {"line-block", kLineBlockClass},
    {"kaeriten", kKanbunClass},
    {"okurigana", kKanbunClass},
    {"katex", kFormulaClass},
    {"katex-display", kFormulaClass},
    {"mwe-math-element", kFormulaClass},
    {"katex-html", kFormulaAgain},
    {"MathJax", kFormulaAgain},
    {"MathJax_Preview", kFormulaAgain},
    {"MathJax_Display", kFormulaAgain},
    {"MathJax_SVG", kFormulaAgain},
    {"MathJax_SVG_Display", kFormulaAgain},
    {"MathJax_CHTML", kFormulaAgain},
    {"headerlink", kAnchorClass},
    {"hash-link", kAnchorClass},
    {"header-anchor", kAnchorClass},
    {"anchorjs-link", kAnchorClass},
});

constexpr size_t kTraitSlots = 256;

constexpr size_t TraitSlot(std::string_view name) {
  const auto byte = [name](size_t i) { return static_cast<unsigned char>(name[i]); };
  return (byte(0) * size_t{31} + byte(name.size() - 1) * size_t{7} + name.size()) % kTraitSlots;
}

// Positions in kClassTraits, from 1 on, in the slots of their names or the next that is free: most classes find an
// empty one.
constexpr auto kTraitTable = [] {
  std::array<uint8_t, kTraitSlots> table{};
  for (size_t i = 0; i < kClassTraits.size(); ++i) {
    size_t slot = TraitSlot(kClassTraits[i].name);
    while (table[slot] != 0) slot = (slot + 1) % kTraitSlots;
    table[slot] = static_cast<uint8_t>(i + 1);
  }
  return table;
}();

uint32_t TraitOfClass(std::string_view name) {
  for (size_t slot = TraitSlot(name); kTraitTable[slot] != 0; slot = (slot + 1) % kTraitSlots) {
    const ClassTrait& entry = kClassTraits[kTraitTable[slot] - size_t{1}];
    if (entry.name == name) return entry.trait;
  }
  return 0;
}

uint32_t TraitsOfClasses(const lxb_dom_node_t* element) {
  uint32_t traits = 0;
  AnyClass(element, [&traits](std::string_view name) {
    traits |= TraitOfClass(name);
    return false;
  });
  return traits;
}

uint32_t TraitsOfStyle(std::string_view raw) {
  const std::string style = Lower(raw);
  const std::string_view space = StyleValue(style, "white-space");
  const bool is_hidden = StyleValue(style, "display") == "none" || StyleValue(style, "visibility") == "hidden";
  const bool keeps_white_space = space.starts_with("pre") || space == "break-spaces";
  return kHasStyle | (is_hidden ? kHiddenByMarkup : 0U) | (keeps_white_space ? kKeepsWhiteSpace : 0U);
}

}  // namespace

uint32_t TraitsOf(const lxb_dom_node_t* element) {
  uint32_t traits = 0;
  for (lxb_dom_attr_t* attribute = FirstAttribute(element); attribute != nullptr; attribute = attribute->next) {
    if (attribute->node.local_name == LXB_DOM_ATTR_CLASS) {
      traits |= TraitsOfClasses(element);
    } else if (attribute->node.local_name == LXB_DOM_ATTR_STYLE) {
      traits |= TraitsOfStyle(ValueOf(attribute));
    } else if (IsRare(attribute) && HasName(attribute, "hidden")) {
      traits |= kHiddenByMarkup;
    } else if (IsRare(attribute) && element->local_name == LXB_TAG_A && HasName(attribute, "data-nosnippet")) {
      traits |= kLineNumbers;  // rustdoc's, in code
    }
  }
  return traits;
}

bool RepeatsFormula(const lxb_dom_node_t* element) {
  constexpr auto kByKatex = std::to_array<std::string_view>({"katex-html"});
  if (HasClass(element, kByKatex)) return true;
  constexpr int kMostBetween = 4;  // MathJax's preview, what it shows, white space, the formula
  int between = 0;
  for (const auto* next = element->next; next != nullptr && between < kMostBetween; next = next->next, ++between) {
    if (!IsElement(next) || next->local_name != LXB_TAG_SCRIPT) continue;
    return AttributeOf(next, "type").value_or("").starts_with("math/");
  }
  return false;
}

bool HasStyleOfLineNumbers(const lxb_dom_node_t* element) {
  const auto raw = AttributeOf(element, "style");
  if (!raw) return false;
  const std::string style = Lower(*raw);
  return StyleValue(style, "user-select") == "none" ||
         (StyleValue(style, "padding-left") == "5px" && StyleValue(style, "padding-right") == "5px");
}

bool HoldsOnlyDigits(const lxb_dom_node_t* element) {
  bool has_digit = false;
  for (const auto* node = NextIn(element, element, true); node != nullptr; node = NextIn(element, node, true)) {
    if (node->type != LXB_DOM_NODE_TYPE_TEXT) continue;
    for (const char c : DataOf(node)) {
      if (!IsSpace(c) && (c < '0' || c > '9')) return false;
      has_digit |= !IsSpace(c);
    }
  }
  return has_digit;
}

std::optional<StructureBlock> ItemOfMark(const lxb_dom_node_t* element) {
  const auto* term = element;
  if (element->local_name == LXB_TAG_DD) {
    do term = term->prev;
    while (term != nullptr && !IsElement(term));
  }
  if (term == nullptr || term->local_name != LXB_TAG_DT) return std::nullopt;
  const auto* description = term->next;
  while (description != nullptr && !IsElement(description)) description = description->next;
  if (description == nullptr || description->local_name != LXB_TAG_DD) return std::nullopt;
  constexpr size_t kMost = 32;  // bytes of a mark with what is around it; and nodes
  std::string text;
  size_t nodes = 0;
  for (const auto* node = NextIn(term, term, true); node != nullptr; node = NextIn(term, node, true)) {
    if (++nodes > kMost) return std::nullopt;
    if (node->type != LXB_DOM_NODE_TYPE_TEXT) continue;
    if (text.size() + DataOf(node).size() > kMost) return std::nullopt;
    text += DataOf(node);
  }
  std::string_view mark = Trim(text);
  if (mark == "•" || mark == "·" || mark == "*" || mark == "-") {
    return StructureBlock{.kind = StructureBlock::Kind::kUnorderedItem, .number = 1};
  }
  const bool is_ordered = mark.ends_with('.') || mark.ends_with(')');
  if (!is_ordered) return std::nullopt;
  mark.remove_suffix(1);
  if (mark.starts_with('(')) mark.remove_prefix(1);
  int number = 0;
  const auto [end, error] = std::from_chars(mark.data(), mark.data() + mark.size(), number);
  if (mark.empty() || mark[0] < '0' || mark[0] > '9' || error != std::errc() || end != mark.data() + mark.size())
    return std::nullopt;
  return StructureBlock{.kind = StructureBlock::Kind::kOrderedItem, .number = number};
}

bool IsCodeBox(const lxb_dom_node_t* element) {
  const auto* first = element->first_child;
  while (first != nullptr && !IsElement(first)) first = first->next;
  if (first == nullptr) return false;
  const auto holds = [first](auto... classes) {
    return HasClass(first, std::to_array<std::string_view>({classes...}));
  };
  if (element->local_name == LXB_TAG_OL) {  // GeSHi
    const auto* line = first->first_child;
    while (line != nullptr && !IsElement(line)) line = line->next;
    return holds("li1") && line != nullptr && HasClass(line, std::to_array<std::string_view>({"de1", "de2"}));
  }
  return AnyClass(element, [&](std::string_view name) {
    if (name == "fragment") return element->local_name == LXB_TAG_DIV && holds("line", "foldopen");  // Doxygen
    if (name == "container") {  // SyntaxHighlighter
      return holds("line") && element->parent->local_name == LXB_TAG_TD &&
             HasClass(element->parent, std::to_array<std::string_view>({"code"}));
    }
    return name == "crayon-pre" || name == "js-file-line-container";
  });
}

namespace {

// A language without what some generators put behind it (`rust,ignore`, `js{1,3}`, `c:file.c`), or empty.
std::string_view CleanLanguage(std::string_view language) {
  constexpr auto kNone = std::to_array<std::string_view>({"default", "literal-block", "fallback", "none"});
  language = language.substr(0, language.find_first_of(",;:{"));
  return std::ranges::find(kNone, language) != kNone.end() ? std::string_view() : language;
}

// The language that a prefix marks among an element's classes.
std::string_view LanguageByPrefix(const lxb_dom_node_t* element) {
  constexpr auto kPrefixes =
      std::to_array<std::string_view>({"language-", "lang-", "highlight-source-", "highlight-text-"});
  std::string_view language;
  bool is_blob = false;
  AnyClass(element, [&](std::string_view name) {
    for (const std::string_view prefix : kPrefixes) {
      if (name.starts_with(prefix)) language = name.substr(prefix.size());
    }
    if (name == "blob-wrapper") is_blob = true;
    if (is_blob && name.starts_with("type-")) language = name.substr(5);
    if (language.empty() && name.starts_with("highlight-") && element->local_name == LXB_TAG_DIV) {
      language = name.substr(10);
    }
    if (language.empty() && name.starts_with("brush:") && name.size() > 6) language = name.substr(6);
    return !language.empty();
  });
  return language;
}

// The class that stands behind one that says that this is code.
std::string_view LanguageBehind(const lxb_dom_node_t* element) {
  constexpr auto kNoLanguages =
      std::to_array<std::string_view>({"highlight", "numberSource", "numberLines", "numbers"});
  std::string_view language;
  bool next_is_language = false;
  AnyClass(element, [&](std::string_view name) {
    if (next_is_language && std::ranges::find(kNoLanguages, name) != kNoLanguages.end()) return false;
    if (next_is_language) language = name;
    next_is_language = name == "brush:" || name == "sourceCode" || name == "hljs" || name == "syntaxhighlighter" ||
                       (name == "code" && element->local_name == LXB_TAG_PRE) ||
                       (name == "highlight" && element->local_name == LXB_TAG_FIGURE);
    return !language.empty();
  });
  return language;
}

// GitHub's generators give the language of code as that of its text, which others mean by this attribute.
std::string_view LanguageByAttribute(const lxb_dom_node_t* element) {
  constexpr auto kOfPeople =
      std::to_array<std::string_view>({"de", "en", "es", "fr", "it", "ja", "ko", "pt", "ru", "zh"});
  for (const ReadName name : {ReadName("data-lang"), ReadName("data-language")}) {
    if (const auto language = AttributeOf(element, name)) return *language;
  }
  const auto language = element->local_name == LXB_TAG_PRE ? AttributeOf(element, "lang") : std::nullopt;
  const bool is_of_people = !language || language->find('-') != std::string_view::npos ||
                            std::ranges::find(kOfPeople, *language) != kOfPeople.end();
  return is_of_people ? std::string_view() : *language;
}

// The language that one element's classes and attributes name, or empty.
std::string_view LanguageBy(const lxb_dom_node_t* element) {
  for (auto* const find : {LanguageByPrefix, LanguageBehind, LanguageByAttribute}) {
    const std::string_view language = CleanLanguage(find(element));
    if (!language.empty()) return language;
  }
  return {};
}

}  // namespace

std::string_view LanguageOfCode(const lxb_dom_node_t* code) {
  std::string_view language = LanguageBy(code);
  if (!language.empty()) return language;
  constexpr int kMostInside = 8;
  int inside = 0;
  for (const auto* node = NextIn(code, code, true); node != nullptr && inside < kMostInside;
       node = NextIn(code, node, true), ++inside) {
    if (!IsElement(node) || (node->local_name != LXB_TAG_CODE && node->local_name != LXB_TAG_PRE)) continue;
    language = LanguageBy(node);
    if (!language.empty()) return language;
  }
  constexpr int kMostAround = 3;
  constexpr auto kTableParts =
      std::to_array<lxb_tag_id_t>({LXB_TAG_TD, LXB_TAG_TR, LXB_TAG_TBODY, LXB_TAG_TABLE});  // of one with line numbers
  int wrappers = 0;
  for (const auto* around = code->parent; around != nullptr && IsElement(around); around = around->parent) {
    if (std::ranges::find(kTableParts, around->local_name) != kTableParts.end()) continue;
    const bool is_wrapper = around->local_name == LXB_TAG_DIV || around->local_name == LXB_TAG_FIGURE;
    if (!is_wrapper || ++wrappers > kMostAround) break;
    language = LanguageBy(around);
    if (!language.empty()) return language;
  }
  return {};
}

bool IsReading(const lxb_dom_node_t* element) {
  constexpr size_t kMostBytes = 1024;
  constexpr int kMostNodes = 64;
  size_t bytes = 0;
  int nodes = 0;
  for (const auto* node = NextIn(element, element, true); node != nullptr; node = NextIn(element, node, true)) {
    if (++nodes > kMostNodes || IsBlockTag(node)) return false;
    if (node->type == LXB_DOM_NODE_TYPE_TEXT) bytes += DataOf(node).size();
  }
  return bytes <= kMostBytes;
}

namespace {

// How many characters a text is to its reader, at most 3; sets `*has_letters` where there are some among them.
int Characters(std::string_view text, bool* has_letters) {
  int characters = 0;
  utf8proc_int32_t before = 0;
  utf8proc_int32_t state = 0;
  for (size_t at = 0; at < text.size() && characters <= 2;) {
    const size_t bytes = std::min(Utf8Length(text[at]), text.size() - at);
    const auto point = static_cast<utf8proc_int32_t>(PointAt(text.substr(at), bytes));
    if (at == 0 || utf8proc_grapheme_break_stateful(before, point, &state)) ++characters;
    const auto category = utf8proc_category(point);
    *has_letters |= category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
    before = point;
    at += bytes;
  }
  return characters;
}

}  // namespace

bool IsHeadingAnchor(const lxb_dom_node_t* link) {
  constexpr auto kTexts = std::to_array<std::string_view>({"", "¶", "#", "§", "🔗", "∞", "Link to here", "Permalink"});
  const auto href = AttributeOf(link, "href");
  if (href && !href->empty() && href->find('#') == std::string_view::npos) return false;
  std::string text = ShortText(link, 64).value_or("-");
  while (text.ends_with("\xE2\x80\x8B")) text.resize(text.size() - 3);  // U+200B
  const std::string_view trimmed = Trim(text);
  if (std::ranges::find(kTexts, trimmed) != kTexts.end()) return true;
  if ((TraitsOf(link) & kAnchorClass) == 0) return false;
  bool has_letters = false;  // a heading of one word may be a link as a whole: 概要
  return Characters(trimmed, &has_letters) <= 2 && !has_letters;
}

namespace {

bool IsCell(const lxb_dom_node_t* node) { return node->local_name == LXB_TAG_TD || node->local_name == LXB_TAG_TH; }

// Whether an element is all of its cell: a paragraph around the text.
bool IsOnlyParagraph(const lxb_dom_node_t* node) {
  if (node->local_name != LXB_TAG_P && node->local_name != LXB_TAG_DIV) return false;
  if (!IsCell(node->parent)) return false;
  constexpr int kMostSiblings = 16;  // each block of a cell asks
  int siblings = 0;
  for (const auto* sibling = node->parent->first_child; sibling != nullptr; sibling = sibling->next) {
    if (++siblings > kMostSiblings) return false;
    if (sibling == node) continue;
    if (IsElement(sibling)) return false;
    if (sibling->type == LXB_DOM_NODE_TYPE_TEXT && !Trim(DataOf(sibling)).empty()) return false;
  }
  return true;
}

// Where a table says what its columns are: in a `thead` with header cells, or a first row of nothing else.
enum class HeaderCells : uint8_t { kNone, kFirstRow, kHead };

HeaderCells HeadersOf(const lxb_dom_node_t* table) {
  for (const auto* part = table->first_child; part != nullptr; part = part->next) {
    if (!IsElement(part) || part->local_name == LXB_TAG_CAPTION || part->local_name == LXB_TAG_COLGROUP) continue;
    const bool is_head = part->local_name == LXB_TAG_THEAD;
    int cells = 0;
    for (const auto* node = NextIn(part, part, true); node != nullptr; node = NextIn(part, node, !IsCell(node))) {
      if (!IsElement(node)) continue;
      if (node->local_name == LXB_TAG_TR && cells > 0) break;
      if (!IsCell(node)) continue;
      if (node->local_name != LXB_TAG_TH) return HeaderCells::kNone;
      if (is_head) return HeaderCells::kHead;
      ++cells;
    }
    if (cells > 0) return cells > 1 ? HeaderCells::kFirstRow : HeaderCells::kNone;
  }
  return HeaderCells::kNone;
}

// Whether a block may be one of several in a cell of data below such headers.
bool MayBeInCell(const lxb_dom_node_t* node, HeaderCells headers) {
  constexpr auto kLists = std::to_array<lxb_tag_id_t>({LXB_TAG_UL, LXB_TAG_OL, LXB_TAG_DL});
  if (node->local_name == LXB_TAG_P || node->local_name == LXB_TAG_DIV) return headers != HeaderCells::kNone;
  return headers == HeaderCells::kHead && std::ranges::find(kLists, node->local_name) != kLists.end();
}

// Whether all of a text is white space, or spaces that do not collapse.
bool IsAllSpaces(std::string_view text) {
  constexpr std::array<std::string_view, 2> kSpaces = {"\u00A0", "\u3000"};
  for (text = Trim(text); !text.empty(); text = Trim(text)) {
    const auto space = std::ranges::find_if(kSpaces, [text](std::string_view of) { return text.starts_with(of); });
    if (space == kSpaces.end()) return false;
    text.remove_prefix(space->size());
  }
  return true;
}

// Whether a node by itself is something to read.
bool HasOwnText(const lxb_dom_node_t* node) {
  if (node->type == LXB_DOM_NODE_TYPE_TEXT) return !IsAllSpaces(DataOf(node));
  if (!IsElement(node)) return false;
  if (node->local_name == LXB_TAG_SCRIPT) return AttributeOf(node, "type").value_or("").starts_with("math/");
  constexpr auto kFormulas =
      std::to_array<std::string_view>({"tex", "mwe-math-fallback-image-inline", "mwe-math-fallback-image-display"});
  return node->local_name == LXB_TAG_IMG && (HasClass(node, kFormulas) || !CharacterOfImage(node).empty());
}

size_t SpanOf(const lxb_dom_node_t* cell, ReadName name) {
  const std::string_view text = Trim(AttributeOf(cell, name).value_or(""));
  size_t span = 1;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), span);
  return parsed.ec == std::errc() ? std::max(span, size_t{1}) : 1;
}

// Which of a table's columns have text. Cells of rows above may reach down.
class TextColumns {
 public:
  void Row() {
    for (size_t& rows : below_) rows -= rows > 0 ? 1 : 0;
    next_ = 0;
    at_ = kMost;
  }
  void Cell(size_t columns, size_t rows) {
    while (next_ < kMost && below_[next_] > 0) ++next_;
    at_ = next_;
    for (; columns > 0 && next_ < kMost; --columns) below_[next_++] = rows;
  }
  void Text() {
    if (at_ < kMost) has_text_[at_] = true;
  }
  int64_t with_text() const { return std::ranges::count(has_text_, true); }

 private:
  static constexpr size_t kMost = 64;  // more are not looked at

  std::array<size_t, kMost> below_{};  // rows that a cell covers, with its own
  std::array<bool, kMost> has_text_{};
  size_t next_ = 0;
  size_t at_ = kMost;
};

}  // namespace

bool IsDataTable(const lxb_dom_node_t* table) {
  const auto role = AttributeOf(table, "role");
  if (role && (*role == "presentation" || *role == "none")) return false;
  for (const auto* around = table->parent; around != nullptr; around = around->parent) {
    if (around->local_name == LXB_TAG_TABLE && IsElement(around)) return false;
  }
  constexpr size_t kMostCellBytes = 2048;  // of several blocks: more is read as text
  const HeaderCells headers = HeadersOf(table);
  TextColumns columns;
  size_t cell_bytes = 0;
  bool has_blocks = false;  // the cell
  bool is_text = true;
  for (const auto* node = NextIn(table, table, true); node != nullptr; node = NextIn(table, node, is_text)) {
    is_text = !IsElement(node) || (node->local_name != LXB_TAG_SCRIPT && node->local_name != LXB_TAG_STYLE);
    if (node->type == LXB_DOM_NODE_TYPE_TEXT) cell_bytes += DataOf(node).size();
    if (has_blocks && cell_bytes > kMostCellBytes) return false;
    if (HasOwnText(node)) columns.Text();
    if (!IsElement(node)) continue;
    if (node->local_name == LXB_TAG_TR) columns.Row();
    if (IsCell(node)) {
      columns.Cell(SpanOf(node, "colspan"), SpanOf(node, "rowspan"));
      cell_bytes = 0;
      has_blocks = false;
    }
    const bool in_caption = node->parent->local_name == LXB_TAG_CAPTION;
    if (!IsBlockTag(node) || in_caption || IsOnlyParagraph(node)) continue;
    if (!MayBeInCell(node, headers)) return false;
    has_blocks = true;
  }
  return columns.with_text() > 1;
}

std::string CharacterOfImage(const lxb_dom_node_t* image) {
  const auto alt = AttributeOf(image, "alt");
  if (!alt) return {};
  const std::string_view text = Trim(*alt);
  constexpr size_t kMostBytes = 64;  // emoji of families are of many code points
  if (text.starts_with("※")) return CharacterOfNote(text.substr(0, kMostLooked));
  if (text.empty() || text.size() > kMostBytes) return {};
  bool has_letters = false;
  const int characters = Characters(text, &has_letters);
  // Two letters are what an image is of: 挿絵, 地図.
  return characters == 1 || (characters == 2 && !has_letters) ? std::string(text) : std::string();
}

bool IsNote(const lxb_dom_node_t* element) {
  constexpr auto kNotes = std::to_array<std::string_view>({"notes"});
  return IsElement(element) && HasClass(element, kNotes);
}

bool IsNoteOfLayout(const lxb_dom_node_t* element) {
  constexpr auto kBegins =
      std::to_array<std::string_view>({"改ページ", "改丁", "改段", "改見開き", "改行", "ページの", "横組み", "縦組み",
                                       "ここから", "ここで", "この行は", "地から", "地付き", "下げて"});
  constexpr auto kEnds = std::to_array<std::string_view>({"見出し］", "字下げ］", "傍線］", "傍点］", "小さな文字］"});
  if (!IsNote(element)) return false;
  const auto note = ShortText(element, 256);
  constexpr std::string_view kStart = "［＃";
  if (!note || !note->starts_with(kStart)) return false;
  const std::string_view text = std::string_view(*note).substr(kStart.size());
  return std::ranges::any_of(kBegins, [text](std::string_view begin) { return text.starts_with(begin); }) ||
         std::ranges::any_of(kEnds, [text](std::string_view end) { return text.ends_with(end); });
}

size_t MarksInRuby(const lxb_dom_node_t* ruby) {
  constexpr int kMostNodes = 64;
  constexpr size_t kMostMarks = 64;
  size_t marks = 0;
  int nodes = 0;
  for (const auto* node = NextIn(ruby, ruby, true); node != nullptr && ++nodes < kMostNodes;) {
    const bool is_reading =
        node->local_name == LXB_TAG_RT || node->local_name == LXB_TAG_RP || node->local_name == LXB_TAG_RTC;
    if (node->type == LXB_DOM_NODE_TYPE_TEXT) {
      const std::string_view text = DataOf(node);
      for (size_t at = text.find("※"); at != std::string_view::npos; at = text.find("※", at + 1)) ++marks;
    }
    node = NextIn(ruby, node, !is_reading);
  }
  return marks > kMostMarks ? 0 : marks;
}

std::string CharacterOfNoteIn(const lxb_dom_node_t* element) {
  if (!IsNote(element)) return {};
  const auto text = ShortText(element, 256);
  return text && text->starts_with("［＃") ? CharacterOfNote("※" + *text) : std::string();
}

namespace {

struct ScriptCharacter {
  char plain;
  std::string_view above;
  std::string_view below;
};
constexpr auto kScripts = std::to_array<ScriptCharacter>({{'0', "⁰", "₀"},
                                                          {'1', "¹", "₁"},
                                                          {'2', "²", "₂"},
                                                          {'3', "³", "₃"},
                                                          {'4', "⁴", "₄"},
                                                          {'5', "⁵", "₅"},
                                                          {'6', "⁶", "₆"},
                                                          {'7', "⁷", "₇"},
                                                          {'8', "⁸", "₈"},
                                                          {'9', "⁹", "₉"},
                                                          {'+', "⁺", "₊"},
                                                          {'-', "⁻", "₋"},
                                                          {'=', "⁼", "₌"},
                                                          {'(', "⁽", "₍"},
                                                          {')', "⁾", "₎"},
                                                          {'n', "ⁿ", "ₙ"},
                                                          {'i', "ⁱ", "ᵢ"}});

std::optional<std::string> InUnicode(std::string_view text, bool above) {
  std::string converted;
  for (const char c : text) {
    const auto found = std::ranges::find(kScripts, c, &ScriptCharacter::plain);
    if (found == kScripts.end()) return std::nullopt;
    converted += above ? found->above : found->below;
  }
  return converted;
}

}  // namespace

std::optional<std::string> ScriptText(const lxb_dom_node_t* element) {
  const auto raw = ShortText(element, 48);
  if (!raw) return std::nullopt;
  std::string text(Trim(*raw));
  for (const std::string_view minus : {"−", "–"}) {
    if (text.starts_with(minus)) text.replace(0, minus.size(), 1, '-');
  }
  if (text.empty() || text.size() > 16) return std::nullopt;
  const bool above = element->local_name == LXB_TAG_SUP;
  if (auto converted = InUnicode(text, above)) return converted;
  const bool is_letter = text.size() == 1 && (LowerAscii(text[0]) >= 'a' && LowerAscii(text[0]) <= 'z');
  if (is_letter) return (above ? "^" : "_") + text;
  return std::nullopt;
}

namespace {

constexpr size_t kMostTex = size_t{64} << 10;

std::string_view NameOfElement(const lxb_dom_node_t* element) {
  size_t length = 0;
  auto* typed = reinterpret_cast<lxb_dom_element_t*>(const_cast<lxb_dom_node_t*>(element));
  const lxb_char_t* name = lxb_dom_element_local_name(typed, &length);
  return {reinterpret_cast<const char*>(name), length};
}

// Without Wikipedia's `{\displaystyle …}` around it.
std::string CleanTex(std::string_view tex) {
  tex = Trim(tex);
  for (const std::string_view wrapper : {"{\\displaystyle ", "{\\textstyle "}) {
    if (tex.starts_with(wrapper) && tex.ends_with('}'))
      tex = Trim(tex.substr(wrapper.size(), tex.size() - wrapper.size() - 1));
  }
  std::string clean;
  for (const char c : tex) {
    if (static_cast<unsigned char>(c) <= ' ') {
      if (!clean.ends_with(' ')) clean += ' ';
    } else {
      clean += c;
    }
  }
  return clean;
}

// The TeX in a subtree: an annotation, a script, `alttext` or the `alt` of Wikipedia's image.
std::string TexIn(const lxb_dom_node_t* element) {
  for (const auto* node = element; node != nullptr; node = NextIn(element, node, true)) {
    if (!IsElement(node)) continue;
    const std::string_view name = NameOfElement(node);
    if (name == "annotation") {
      const std::string encoding = Lower(AttributeOf(node, "encoding").value_or(""));
      if (!encoding.ends_with("tex")) continue;
    } else if (name == "math") {
      const auto alttext = AttributeOf(node, "alttext");
      if (alttext && !alttext->empty()) return CleanTex(Utf8Prefix(*alttext, kMostTex));
      continue;
    } else if (name == "img") {
      constexpr auto kImages =
          std::to_array<std::string_view>({"tex", "mwe-math-fallback-image-inline", "mwe-math-fallback-image-display"});
      const auto alt = AttributeOf(node, "alt");
      if (alt && !alt->empty() && HasClass(node, kImages)) return CleanTex(Utf8Prefix(*alt, kMostTex));
      continue;
    } else {
      continue;
    }
    if (const auto text = ShortText(node, kMostTex)) return CleanTex(*text);
  }
  return {};
}

}  // namespace

bool HoldsBlocks(const lxb_dom_node_t* element) {
  for (const auto* node = NextIn(element, element, true); node != nullptr; node = NextIn(element, node, true)) {
    if (IsBlockTag(node)) return true;
  }
  return false;
}

std::optional<Formula> FormulaOf(const lxb_dom_node_t* element) {
  if (element->local_name == LXB_TAG_SCRIPT) {
    const auto type = AttributeOf(element, "type");
    if (!type || !type->starts_with("math/tex")) return std::nullopt;
    const auto text = ShortText(element, kMostTex);
    if (!text || Trim(*text).empty()) return std::nullopt;
    return Formula{CleanTex(*text), type->find("display") != std::string_view::npos};
  }
  Formula formula{TexIn(element), false};
  if (formula.tex.empty()) return std::nullopt;
  constexpr auto kDisplay =
      std::to_array<std::string_view>({"katex-display", "mwe-math-element-block", "mwe-math-fallback-image-display"});
  const auto display = AttributeOf(element, "display");
  formula.display = (display && *display == "block") || HasClass(element, kDisplay);
  return formula;
}

}  // namespace uzushio
