#include "html/main_content_features.h"

#include <lexbor/dom/dom.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "document/markup.h"

namespace uzushio {
namespace {

// ---- tokens

constexpr uint32_t kHashSeed = 2166136261U;
uint32_t HashByte(uint32_t hash, unsigned char byte) { return (hash ^ byte) * 16777619U; }  // FNV-1a

std::string_view View(const lexbor_str_t* text) {
  if (text == nullptr || text->data == nullptr) return {};
  return {reinterpret_cast<const char*>(text->data), text->length};
}

std::string_view ValueOf(const lxb_dom_attr_t* attribute) {
  return attribute == nullptr ? std::string_view() : View(attribute->value);
}

std::string_view NameOf(lxb_dom_attr_t* attribute) {
  size_t length = 0;
  const lxb_char_t* name = lxb_dom_attr_local_name(attribute, &length);
  return {reinterpret_cast<const char*>(name), length};
}

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
char Small(char c) { return IsUpper(c) ? static_cast<char>(c + 32) : c; }

constexpr size_t kMostTokenBytes = 512;  // of an attribute that are looked at

// The names of an attribute, whole and in parts: `postBody-main` is itself, `post`, `body` and `main`.
void VisitNames(std::string_view value, uint32_t seed, TokenVisitor* visitor) {
  value = value.substr(0, kMostTokenBytes);
  uint32_t whole = seed;
  uint32_t part = seed;
  size_t part_length = 0;
  size_t parts = 0;
  size_t length = 0;
  const auto end_part = [&] {
    if (part_length >= 2) visitor->Token(part);
    parts += part_length > 0;
    part = seed;
    part_length = 0;
  };
  for (size_t i = 0; i <= value.size(); ++i) {
    const char c = i < value.size() ? value[i] : ' ';
    if (static_cast<unsigned char>(c) <= ' ') {
      end_part();
      if (length > 0 && parts > 1) visitor->Token(HashByte(whole, '*'));
      whole = seed;
      parts = 0;
      length = 0;
      continue;
    }
    ++length;
    whole = HashByte(whole, static_cast<unsigned char>(Small(c)));
    const bool letter = IsLower(c) || IsUpper(c) || static_cast<unsigned char>(c) >= 0x80;
    if (!letter || (IsUpper(c) && i > 0 && IsLower(value[i - 1]))) end_part();
    if (letter) {
      part = HashByte(part, static_cast<unsigned char>(Small(c)));
      ++part_length;
    }
  }
}

// ---- what elements are

enum Flag : uint32_t {
  kNav = 1U << 0,
  kHeader = 1U << 1,
  kFooter = 1U << 2,
  kAside = 1U << 3,
  kMain = 1U << 4,
  kArticle = 1U << 5,
  kSection = 1U << 6,
  kForm = 1U << 7,
  kTable = 1U << 8,
  kList = 1U << 9,
  kItem = 1U << 10,
  kFigure = 1U << 11,
  kQuote = 1U << 12,
  kCode = 1U << 13,
  kHeading = 1U << 14,
  kParagraph = 1U << 15,
  kLinkAround = 1U << 16,
  kButton = 1U << 17,
  kHidden = 1U << 18,
  kDialog = 1U << 19,
  kNoscript = 1U << 20,
  kDetails = 1U << 21,
  kDefinition = 1U << 22,
  kCustom = 1U << 23,
  kOption = 1U << 24,
};

uint32_t TagFlags(const lxb_dom_node_t* node) {
  switch (node->local_name) {
    case LXB_TAG_NAV: return kNav;
    case LXB_TAG_HEADER: return kHeader;
    case LXB_TAG_FOOTER: return kFooter;
    case LXB_TAG_ASIDE: return kAside;
    case LXB_TAG_MAIN: return kMain;
    case LXB_TAG_ARTICLE: return kArticle;
    case LXB_TAG_SECTION: return kSection;
    case LXB_TAG_FORM: return kForm;
    case LXB_TAG_TABLE: return kTable;
    case LXB_TAG_UL:
    case LXB_TAG_OL: return kList;
    case LXB_TAG_LI: return kItem;
    case LXB_TAG_FIGURE:
    case LXB_TAG_FIGCAPTION: return kFigure;
    case LXB_TAG_BLOCKQUOTE: return kQuote;
    case LXB_TAG_PRE:
    case LXB_TAG_CODE: return kCode;
    case LXB_TAG_H1:
    case LXB_TAG_H2:
    case LXB_TAG_H3:
    case LXB_TAG_H4:
    case LXB_TAG_H5:
    case LXB_TAG_H6: return kHeading;
    case LXB_TAG_P: return kParagraph;
    case LXB_TAG_A: return kLinkAround;
    case LXB_TAG_BUTTON:
    case LXB_TAG_LABEL: return kButton;
    case LXB_TAG_DIALOG: return kDialog;
    case LXB_TAG_NOSCRIPT: return kNoscript;
    case LXB_TAG_DETAILS: return kDetails;
    case LXB_TAG_DL:
    case LXB_TAG_DT:
    case LXB_TAG_DD: return kDefinition;
    case LXB_TAG_SELECT:
    case LXB_TAG_OPTION: return kOption;
    default: return node->local_name >= LXB_TAG__LAST_ENTRY ? kCustom : 0;
  }
}

int HeadingLevel(const lxb_dom_node_t* node) {
  switch (node->local_name) {
    case LXB_TAG_H1: return 1;
    case LXB_TAG_H2: return 2;
    case LXB_TAG_H3: return 3;
    case LXB_TAG_H4: return 4;
    case LXB_TAG_H5: return 5;
    case LXB_TAG_H6: return 6;
    default: return 0;
  }
}

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// display:none and visibility:hidden, with or without a space.
bool StyleHides(std::string_view style) {
  for (const std::string_view property : {"display", "visibility"}) {
    const size_t at = style.find(property);
    if (at == std::string_view::npos) continue;
    std::string_view rest = style.substr(at + property.size(), 12);
    rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" :")));
    if (rest.starts_with("none") || rest.starts_with("hidden")) return true;
  }
  return false;
}

uint32_t RoleFlags(std::string_view role) {
  if (role == "navigation" || role == "menu" || role == "menubar") return kNav;
  if (role == "banner") return kHeader;
  if (role == "contentinfo") return kFooter;
  if (role == "complementary") return kAside;
  if (role == "main") return kMain;
  if (role == "article") return kArticle;
  if (role == "dialog" || role == "alertdialog") return kDialog;
  if (role == "search" || role == "form") return kForm;
  if (role == "button") return kButton;
  return 0;
}

uint32_t AttributeFlags(const lxb_dom_node_t* node) {
  uint32_t flags = 0;
  for (lxb_dom_attr_t* attribute = lxb_dom_interface_element(node)->first_attr; attribute != nullptr;
       attribute = attribute->next) {
    const std::string_view name = NameOf(attribute);
    if (name == "style") {
      if (StyleHides(ValueOf(attribute).substr(0, kMostTokenBytes))) flags |= kHidden;
    } else if (name == "hidden") {
      flags |= kHidden;
    } else if (name == "aria-hidden") {
      if (ValueOf(attribute) == "true") flags |= kHidden;
    } else if (name == "role") {
      flags |= RoleFlags(ValueOf(attribute));
    }
  }
  return flags;
}

class ScoreTokens final : public TokenVisitor {
 public:
  explicit ScoreTokens(const TokenScores& scores) : scores_(scores) {}
  void Token(uint32_t hash) override {
    const int32_t* score = scores_.Find(hash);
    if (score == nullptr) return;
    least = std::min(least, *score);
    most = std::max(most, *score);
    known = true;
  }
  int32_t least = std::numeric_limits<int32_t>::max();
  int32_t most = std::numeric_limits<int32_t>::min();
  bool known = false;

 private:
  const TokenScores& scores_;
};

uint32_t Mix(uint32_t a, uint32_t b) {
  uint64_t mixed = ((uint64_t{a} << 32) | b) * 0x9E3779B97F4A7C15U;
  return static_cast<uint32_t>(mixed >> 32);
}

uint32_t HashText(std::string_view text, uint32_t hash = kHashSeed) {
  for (const char c : text) hash = HashByte(hash, static_cast<unsigned char>(c));
  return hash;
}

// ---- the page's kind

constexpr size_t kMostDescriptionBytes = 1024;

struct PageKind {
  int og = 0;  // 0 none, 1 website, 2 article, 3 product, 4 other
  bool article = false, product = false, forum = false, list = false, faq = false;
  int url_depth = 0;
  int url_digits = 0;
  int url_dashes = 0;
  bool url_query = false;
  bool url_slash = false;
  std::string_view title;
  std::array<std::string_view, 2> descriptions;
};

void ReadLinkedData(std::string_view json, PageKind* kind) {
  json = json.substr(0, size_t{64} << 10);
  kind->article |= Contains(json, "Article\"") || Contains(json, "BlogPosting\"");
  kind->product |= Contains(json, "Product\"");
  kind->forum |= Contains(json, "DiscussionForumPosting\"") || Contains(json, "QAPage\"");
  kind->list |= Contains(json, "ItemList\"") || Contains(json, "CollectionPage\"");
  kind->faq |= Contains(json, "FAQPage\"") || Contains(json, "HowTo\"");
}

void ReadMeta(const lxb_dom_node_t* node, PageKind* kind) {
  std::string_view property;
  std::string_view content;
  for (lxb_dom_attr_t* attribute = lxb_dom_interface_element(node)->first_attr; attribute != nullptr;
       attribute = attribute->next) {
    const std::string_view name = NameOf(attribute);
    if (name == "property" || name == "name") property = ValueOf(attribute);
    if (name == "content") content = ValueOf(attribute);
  }
  if (property == "description") kind->descriptions[0] = content.substr(0, kMostDescriptionBytes);
  if (property == "og:description") kind->descriptions[1] = content.substr(0, kMostDescriptionBytes);
  if (property != "og:type") return;
  kind->og = content == "website" ? 1 : content == "article" ? 2 : content.starts_with("product") || content == "og:product" ? 3 : 4;
}

PageKind KindOf(const PageForContent& page) {
  PageKind kind;
  if (const lxb_html_head_element_t* head = page.tree->head; head != nullptr) {
    for (lxb_dom_node_t* node = lxb_dom_interface_node(head)->first_child; node != nullptr; node = node->next) {
      if (node->local_name == LXB_TAG_META) ReadMeta(node, &kind);
      if (node->local_name == LXB_TAG_TITLE && node->first_child != nullptr) {
        kind.title = View(&lxb_dom_interface_character_data(node->first_child)->data).substr(0, kMostDescriptionBytes);
      }
      if (node->local_name == LXB_TAG_SCRIPT && node->first_child != nullptr) {
        lxb_dom_element_t* script = lxb_dom_interface_element(node);
        const auto* type = lxb_dom_element_attr_by_name(script, reinterpret_cast<const lxb_char_t*>("type"), 4);
        if (ValueOf(type) == "application/ld+json") {
          ReadLinkedData(View(&lxb_dom_interface_character_data(node->first_child)->data), &kind);
        }
      }
    }
  }
  std::string_view url = page.url.substr(0, kMostTokenBytes);
  const size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  const size_t path = url.find('/');
  url.remove_prefix(std::min(url.size(), path));
  for (size_t i = 0; i < url.size(); ++i) {
    if (url[i] == '?') {
      kind.url_query = true;
      url = url.substr(0, i);
      break;
    }
    kind.url_depth += url[i] == '/' && i + 1 < url.size() && url[i + 1] != '?';
    kind.url_digits += IsDigit(url[i]);
    kind.url_dashes += url[i] == '-' || url[i] == '_';
  }
  kind.url_slash = url.ends_with('/');
  return kind;
}

constexpr size_t kLeastTitleBytes = 8;
constexpr size_t kOpeningBytes = 30;

// Whether a paragraph stands in the page's title.
bool InTitle(std::string_view text, std::string_view title) {
  if (text.starts_with(kLinkStart)) text.remove_prefix(1);
  if (text.ends_with(kLinkEnd)) text.remove_suffix(1);
  return text.size() >= kLeastTitleBytes && text.size() <= title.size() && Contains(title, text);
}

// Whether a paragraph opens as a part of the page's description, or the description as a part of it.
bool InDescription(std::string_view text, const PageKind& kind) {
  if (text.size() < kOpeningBytes) return false;
  for (const std::string_view description : kind.descriptions) {
    if (description.size() < kOpeningBytes) continue;
    if (Contains(description, text.substr(0, kOpeningBytes))) return true;
    if (Contains(text.substr(0, kMostDescriptionBytes), description.substr(0, kOpeningBytes))) return true;
  }
  return false;
}

float Ratio(double part, double whole) { return whole > 0 ? static_cast<float>(part / whole) : 0.0F; }

bool IsProse(const TextMeasure& text) {
  return text.sentences > 0 && text.words >= 8 && 3 * text.link_width < text.width;
}

// What kind of element a paragraph is in, coarsely.
int KindOfElement(const lxb_dom_node_t* node) {
  const uint32_t flags = TagFlags(node);
  if (flags & kHeading) return 1;
  if (flags & kParagraph) return 2;
  if (flags & (kItem | kList)) return 3;
  if (flags & kDefinition) return 4;
  if (flags & kTable) return 5;
  if (flags & kQuote) return 6;
  if (flags & kCode) return 7;
  if (flags & kLinkAround) return 8;
  if (flags & (kButton | kOption)) return 9;
  switch (node->local_name) {
    case LXB_TAG_TD:
    case LXB_TAG_TH:
    case LXB_TAG_TR:
    case LXB_TAG_TBODY: return 5;
    case LXB_TAG_DIV: return 10;
    case LXB_TAG_SPAN: return 11;
    case LXB_TAG_STRONG:
    case LXB_TAG_B:
    case LXB_TAG_EM:
    case LXB_TAG_I: return 12;
    case LXB_TAG_FIGCAPTION: return 13;
    default: return 0;
  }
}

}  // namespace

// ---- TokenScores

TokenScores::TokenScores(std::span<const Entry> entries)
    : mask_(std::bit_ceil(2 * entries.size() + 2) - 1), table_(mask_ + 1, Entry{0, kNone}) {
  for (const Entry& entry : entries) {
    size_t at = entry.hash & mask_;
    while (table_[at].score != kNone) at = (at + 1) & mask_;
    table_[at] = entry;
  }
}

void VisitTokens(const lxb_dom_node_t* node, TokenVisitor* visitor) {
  lxb_dom_element_t* element = lxb_dom_interface_element(const_cast<lxb_dom_node_t*>(node));
  for (lxb_dom_attr_t* attribute = element->first_attr; attribute != nullptr; attribute = attribute->next) {
    const std::string_view name = NameOf(attribute);
    if (name == "class" || name == "id") {
      VisitNames(ValueOf(attribute), kHashSeed, visitor);
    } else if (name == "role" || name == "itemprop" || name == "itemtype" || name == "aria-label" ||
               name == "data-testid" || name == "data-component" || name == "rel") {
      VisitNames(ValueOf(attribute), HashText(name), visitor);
    }
  }
}

// ---- texts

TextMeasure MeasureText(std::string_view text) {
  TextMeasure m;
  bool in_link = false;
  bool in_word = false;
  int32_t wide = 0;
  const size_t size = text.size();
  for (size_t i = 0; i < size;) {
    const auto c = static_cast<unsigned char>(text[i]);
    m.hash = HashByte(m.hash, c);
    if (c < 0x80) {
      ++i;
      const char a = static_cast<char>(c);
      const bool letter = IsLower(a) || IsUpper(a);
      if (letter || IsDigit(a)) {
        if (!in_word) {
          ++m.words;
          m.capitals += IsUpper(a);
        }
        in_word = true;
        ++m.width;
        m.link_width += in_link;
        m.digits += !letter;
        continue;
      }
      in_word = in_word && a == '\'';
      switch (a) {
        case kLinkStart: in_link = true; ++m.links; break;
        case kLinkEnd: in_link = false; break;
        case '\n': ++m.lines; break;
        case ' ': break;
        case '.':
        case '!':
        case '?': m.sentences += i == size || text[i] == ' ' || text[i] == '\n' || text[i] == '"' || text[i] == ')'; break;
        case ',':
        case ';': ++m.commas; break;
        case '|':
        case '/':
        case '>': ++m.separators; break;
        case '$': ++m.currency; break;
        default: break;
      }
      continue;
    }
    const size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
    const std::string_view sign = text.substr(i, length);
    for (size_t k = 1; k < sign.size(); ++k) m.hash = HashByte(m.hash, static_cast<unsigned char>(sign[k]));
    i += length;
    if (c == 0xC2) {
      in_word = false;
      if (sign == "©") m.copyright = true;
      else if (sign == "»" || sign == "·" || sign == "«") ++m.separators;
      else if (sign == "£" || sign == "¥") ++m.currency;
      continue;
    }
    if (c == 0xE2) {
      in_word = in_word && sign == "’";
      if (sign == "›" || sign == "•" || sign == "‹" || sign == "→") ++m.separators;
      else if (sign == "€") ++m.currency;
      else if (sign == "…") ++m.sentences;
      continue;
    }
    if (sign == "。" || sign == "！" || sign == "？" || sign == "．") {
      ++m.sentences;
      in_word = false;
      continue;
    }
    if (sign == "、" || sign == "，") {
      ++m.commas;
      in_word = false;
      continue;
    }
    if (sign == "｜" || sign == "・" || sign == "／") {
      ++m.separators;
      in_word = false;
      continue;
    }
    if (c >= 0xE3) {  // kana, Chinese characters, hangul, and what is beyond
      wide += 1;
      m.width += 2;
      m.link_width += in_link ? 2 : 0;
      in_word = false;
      if (sign == "円") ++m.currency;
      continue;
    }
    if (!in_word) ++m.words;
    in_word = true;
    ++m.width;
    m.link_width += in_link;
  }
  m.words += (wide + 1) / 2;
  std::string_view tail = text;
  while (tail.ends_with(kLinkEnd) || tail.ends_with('"') || tail.ends_with(')')) tail.remove_suffix(1);
  m.ends_sentence = tail.ends_with('.') || tail.ends_with('!') || tail.ends_with('?') || tail.ends_with("。") ||
                    tail.ends_with("！") || tail.ends_with("？") || tail.ends_with("…") || tail.ends_with("」");
  m.ends_colon = tail.ends_with(':') || tail.ends_with("：");
  m.starts_digit = !text.empty() && IsDigit(text[text.starts_with(kLinkStart) && size > 1 ? 1 : 0]);
  return m;
}

// ---- PageFeatures

void PageFeatures::MeasurePage(const PageForContent& page) {
  const auto& paragraphs = page.outline->paragraphs;
  texts_.resize(paragraphs.size());
  words_.resize(paragraphs.size());
  before_.resize(paragraphs.size() + 1);
  before_[0] = {};
  for (size_t i = 0; i < paragraphs.size(); ++i) {
    texts_[i] = MeasureText(page.text.substr(paragraphs[i].text, paragraphs[i].end - paragraphs[i].text));
    const TextMeasure& text = texts_[i];
    words_[i] = text.words;
    Sums sums = before_[i];
    sums.width += text.width;
    sums.link_width += text.link_width;
    sums.sentences += text.sentences;
    sums.prose += IsProse(text) ? text.width : 0;
    sums.currency += text.currency;
    sums.paragraphs += 1;
    sums.images = paragraphs[i].images;
    sums.fields = paragraphs[i].fields;
    before_[i + 1] = sums;
  }
}

PageFeatures::Sums PageFeatures::Between(size_t first, size_t end) const {
  const Sums& a = before_[first];
  const Sums& b = before_[end];
  return {b.width - a.width,         b.link_width - a.link_width, b.sentences - a.sentences, b.prose - a.prose,
          b.currency - a.currency, b.paragraphs - a.paragraphs, b.images - a.images, b.fields - a.fields};
}

void PageFeatures::MeasureElements(const PageOutline& outline, const TokenScores& tokens) {
  const auto& elements = outline.elements;
  facts_.assign(elements.size(), {});
  runs_.clear();
  last_child_.assign(elements.size(), PageOutline::kNone);
  for (uint32_t i = 0; i < elements.size(); ++i) {
    const PageOutline::Element& element = elements[i];
    ElementFacts& facts = facts_[i];
    const bool root = element.parent == PageOutline::kNone;
    if (!root) {
      const ElementFacts& parent = facts_[element.parent];
      const PageOutline::Element& above = elements[element.parent];
      facts = parent;
      facts.run = 0;
      const bool same = above.first_paragraph == element.first_paragraph && above.end_paragraph == element.end_paragraph;
      facts.up = same ? parent.up : element.parent;
    } else {
      facts.up = PageOutline::kNone;
    }
    facts.flags |= TagFlags(element.node) | AttributeFlags(element.node);
    ScoreTokens scores(tokens);
    VisitTokens(element.node, &scores);
    facts.own_least = facts.own_most = 0;
    if (scores.known) {
      facts.own_least = scores.least;
      facts.own_most = scores.most;
      facts.nearest = scores.least + scores.most;
      facts.least = std::min(facts.least, scores.least);
      facts.most = std::max(facts.most, scores.most);
      facts.sum += scores.least + scores.most;
    }
    const auto* typed = lxb_dom_interface_element(element.node);
    facts.own_shape = HashText(ValueOf(typed->attr_class).substr(0, kMostTokenBytes),
                               HashByte(kHashSeed, static_cast<unsigned char>(element.node->local_name)));
    facts.shape = Mix(facts.shape, facts.own_shape);
    if (!root) {  // the run of siblings, others between them allowed by one
      const uint32_t last = last_child_[element.parent];
      uint32_t run = PageOutline::kNone;
      if (last != PageOutline::kNone && facts_[last].own_shape == facts.own_shape) run = facts_[last].run;
      if (run == PageOutline::kNone) {
        run = static_cast<uint32_t>(runs_.size());
        runs_.push_back(0);
      }
      facts.run = run;
      ++runs_[run];
      last_child_[element.parent] = i;
    } else {
      facts.run = static_cast<uint32_t>(runs_.size());
      runs_.push_back(1);
    }
  }
  for (uint32_t i = 0; i < elements.size(); ++i) {
    const uint32_t above = elements[i].parent == PageOutline::kNone ? 0 : facts_[elements[i].parent].best_run;
    facts_[i].best_run = std::max(above, runs_[facts_[i].run]);
  }
}

// The core is the smallest element with half of the prose, the wide core that with four fifths.
void PageFeatures::FindCore(const PageOutline& outline) {
  const auto& elements = outline.elements;
  const int64_t all = before_.back().prose > 0 ? before_.back().prose : before_.back().width;
  const bool by_prose = before_.back().prose > 0;
  const auto amount = [&](uint32_t i) {
    const Sums sums = Between(elements[i].first_paragraph, elements[i].end_paragraph);
    return by_prose ? sums.prose : sums.width;
  };
  core_ = wide_core_ = 0;
  for (uint32_t i = 0; i < elements.size(); ++i) {  // an element stands before those in it
    const bool below_core = i == 0 || elements[i].parent == core_;
    const int64_t has = below_core || elements[i].parent == wide_core_ ? amount(i) : 0;
    if (elements[i].parent == wide_core_ && 5 * has >= 4 * all) wide_core_ = i;
    if (below_core && 2 * has >= all) core_ = i;
  }
  for (uint32_t i = 0; i < elements.size(); ++i) facts_[i].on_core = -1;
  for (uint32_t i = core_; i != PageOutline::kNone; i = elements[i].parent) {
    facts_[i].on_core = static_cast<int32_t>(elements[i].depth);
  }
  for (uint32_t i = 1; i < elements.size(); ++i) {
    if (facts_[i].on_core < 0) facts_[i].on_core = facts_[elements[i].parent].on_core;
  }
}

uint32_t PageFeatures::ShapeOf(uint32_t hash) {
  const size_t mask = shape_table_.size() - 1;
  for (size_t at = hash & mask;; at = (at + 1) & mask) {
    uint32_t& place = shape_table_[at];
    if (place == 0) {
      shapes_.push_back({hash, {}, 0});
      place = static_cast<uint32_t>(shapes_.size());
    }
    if (shapes_[place - 1].hash == hash) return place - 1;
  }
}

namespace {

constexpr std::array kFeatureNames = std::to_array<std::string_view>(
    {"width", "words", "link_share", "links", "lines", "width_per_line", "sentences", "commas_per_word", "digit_share",
     "capital_share", "separators", "currency", "ends_sentence", "ends_colon", "starts_digit", "copyright", "copies",
     "word_length", "sentence_length",
     // place
     "index", "index_share", "width_before", "prose_before", "prose_distance_before", "prose_distance_after",
     "since_heading", "heading_level", "since_h1", "own_heading", "element_kind", "depth", "first_in_element",
     "left_of_end",
     // elements around
     "flags_nav", "flags_header", "flags_footer", "flags_aside", "flags_main", "flags_article", "flags_section",
     "flags_form", "flags_table", "flags_list", "flags_figure", "flags_quote", "flags_code", "flags_link",
     "flags_button", "flags_hidden", "flags_dialog", "flags_definition", "flags_custom", "flags_details",
     "flags_noscript", "token_own_least", "token_own_most", "token_nearest", "token_least", "token_most", "token_sum",
     "token_sum_up1", "token_sum_up2", "run", "best_run",
     "up0_n", "up0_width", "up0_link_share", "up0_prose_share", "up0_of_page", "up0_prose_of_page",
     "up1_n", "up1_width", "up1_link_share", "up1_prose_share", "up1_of_page", "up1_prose_of_page",
     "up2_n", "up2_width", "up2_link_share", "up2_prose_share", "up2_of_page", "up2_prose_of_page",
     "up3_n", "up3_width", "up3_link_share", "up3_prose_share", "up3_of_page", "up3_prose_of_page",
     "core_distance", "core_share", "in_wide_core", "core_index",
     // shape
     "shape_n", "shape_width_each", "shape_link_share", "shape_prose_share", "shape_of_page",
     // neighbours
     "previous_width", "previous_link_share", "previous_kind", "previous_sentence", "previous_same",
     "previous2_width", "previous2_link_share", "next_width", "next_link_share", "next_kind", "next_sentence",
     "next_same", "next2_width", "next2_link_share",
     // page
     "page_n", "page_width", "page_link_share", "page_prose_share", "page_prose", "page_core_share", "page_core_n",
     "page_main_share", "page_article_share", "page_currency", "page_shapes", "page_h1", "page_best_run", "page_list_share",
     "page_og", "page_ld_article", "page_ld_product", "page_ld_forum", "page_ld_list", "page_ld_faq", "url_depth",
     "url_digits", "url_dashes", "url_query", "url_slash",
     "in_title", "since_title", "in_description", "images_before", "images_after", "up0_images", "up1_images", "up2_images",
     "fields_before", "up1_fields", "page_images", "page_fields", "page_title_index"});

constexpr std::array kContextNames = std::to_array<std::string_view>(
    {"p", "p_previous", "p_next", "p_previous2", "p_next2", "p_previous3", "p_next3", "p_window", "p_up0", "p_up1",
     "p_up2", "p_up3", "p_shape", "p_page", "p_before", "p_most_before", "p_most_after", "content_before",
     "content_after", "p_core", "p_width"});

}  // namespace

// e^x is (1 + x/2^10)^(2^10).
double Probability(double log_odds) {
  double power = 1 + std::clamp(-log_odds, -30.0, 30.0) / 1024;
  for (int i = 0; i < 10; ++i) power *= power;
  return 1 / (1 + power);
}

std::span<const std::string_view> PageFeatures::Names() { return kFeatureNames; }
std::span<const std::string_view> PageFeatures::ContextNames() { return kContextNames; }

size_t PageFeatures::width() { return kFeatureNames.size() + kContextNames.size(); }

void PageFeatures::Compute(const PageForContent& page, const TokenScores& tokens) {
  const PageOutline& outline = *page.outline;
  outline_ = &outline;
  const size_t n = outline.paragraphs.size();
  rows_.resize(n * width());
  if (n == 0) {
    texts_.clear();
    words_.clear();
    return;
  }
  MeasurePage(page);
  MeasureElements(outline, tokens);
  FindCore(outline);
  const Sums all = before_.back();

  // Shapes and copies.
  const size_t table = std::bit_ceil(2 * n + 2);
  shape_table_.assign(table, 0);
  copies_table_.assign(table, 0);
  shapes_.clear();
  shape_of_.resize(n);
  std::vector<uint32_t>& copies = copies_table_;
  for (size_t i = 0; i < n; ++i) {
    const uint32_t shape = ShapeOf(facts_[outline.paragraphs[i].element].shape);
    shape_of_[i] = shape;
    Sums& sums = shapes_[shape].sums;
    sums.width += texts_[i].width;
    sums.link_width += texts_[i].link_width;
    sums.prose += IsProse(texts_[i]) ? texts_[i].width : 0;
    ++sums.paragraphs;
    ++copies[texts_[i].hash & (table - 1)];  // other texts of the same place count, too; there are twice as many places
  }

  // The page.
  const PageKind kind = KindOf(page);
  int64_t main_width = 0;
  int64_t article_width = 0;
  int64_t list_width = 0;
  int h1 = 0;
  uint32_t page_run = 0;
  for (size_t i = 0; i < n; ++i) {
    const ElementFacts& facts = facts_[outline.paragraphs[i].element];
    if (facts.flags & kMain) main_width += texts_[i].width;
    if (facts.flags & kArticle) article_width += texts_[i].width;
    if (facts.flags & kList) list_width += texts_[i].width;
    page_run = std::max(page_run, facts.best_run);
  }
  for (const auto& element : outline.elements) h1 += element.node->local_name == LXB_TAG_H1;
  const PageOutline::Element& core = outline.elements[core_];
  const PageOutline::Element& wide = outline.elements[wide_core_];
  const Sums core_sums = Between(core.first_paragraph, core.end_paragraph);

  // Distances to prose after each paragraph, from the end.
  std::vector<float>& after = prose_after_;
  after.resize(n);
  float distance = 1e6F;
  for (size_t i = n; i-- > 0;) {
    after[i] = distance;
    distance = IsProse(texts_[i]) ? 1 : distance + 1;
  }

  float prose_distance = 1e6F;
  float since_heading = 1e6F;
  float since_h1 = 1e6F;
  int heading_level = 0;
  float since_title = 1e6F;
  double title_index = -1;
  for (size_t i = 0; i < n; ++i) {
    const TextMeasure& text = texts_[i];
    const uint32_t own = outline.paragraphs[i].element;
    const PageOutline::Element& element = outline.elements[own];
    const ElementFacts& facts = facts_[own];
    float* out = rows_.data() + i * width();
    float* const begin = out;
    const auto add = [&out](double value) { *out++ = static_cast<float>(value); };
    const auto has = [&](uint32_t flag) { add((facts.flags & flag) != 0); };
    add(text.width);
    add(text.words);
    add(Ratio(text.link_width, text.width));
    add(text.links);
    add(text.lines);
    add(Ratio(text.width, text.lines));
    add(text.sentences);
    add(Ratio(text.commas, text.words));
    add(Ratio(text.digits, text.width));
    add(Ratio(text.capitals, text.words));
    add(text.separators);
    add(text.currency);
    add(text.ends_sentence);
    add(text.ends_colon);
    add(text.starts_digit);
    add(text.copyright);
    add(copies[text.hash & (table - 1)]);
    add(Ratio(text.width, text.words));
    add(Ratio(text.words, text.sentences));

    int level = 0;
    for (uint32_t at = own; at != PageOutline::kNone && level == 0 && element.depth - outline.elements[at].depth < 3;
         at = outline.elements[at].parent) {
      level = HeadingLevel(outline.elements[at].node);
    }
    add(static_cast<double>(i));
    add(Ratio(static_cast<double>(i), static_cast<double>(n)));
    add(Ratio(static_cast<double>(before_[i].width), static_cast<double>(all.width)));
    add(Ratio(static_cast<double>(before_[i].prose), static_cast<double>(all.prose)));
    add(prose_distance);
    add(after[i]);
    add(since_heading);
    add(heading_level);
    add(since_h1);
    add(level);
    add(KindOfElement(element.node));
    add(element.depth);
    add(static_cast<double>(i - element.first_paragraph));
    add(static_cast<double>(n - i));

    for (const uint32_t flag :
         {kNav, kHeader, kFooter, kAside, kMain, kArticle, kSection, kForm, kTable, kList, kFigure, kQuote, kCode,
          kLinkAround, kButton, kHidden, kDialog, kDefinition, kCustom, kDetails, kNoscript}) {
      has(flag);
    }
    add(facts.own_least);
    add(facts.own_most);
    add(facts.nearest);
    add(facts.least);
    add(facts.most);
    add(facts.sum);
    const uint32_t up1 = facts.up;
    const uint32_t up2 = up1 == PageOutline::kNone ? up1 : facts_[up1].up;
    add(up1 == PageOutline::kNone ? 0 : facts_[up1].sum);
    add(up2 == PageOutline::kNone ? 0 : facts_[up2].sum);
    add(runs_[facts.run]);
    add(facts.best_run);
    uint32_t at = own;
    if (outline.elements[at].end_paragraph - outline.elements[at].first_paragraph == 1 && facts.up != PageOutline::kNone) {
      at = facts.up;
    }
    for (int up = 0; up < 4; ++up) {
      const Sums sums = Between(outline.elements[at].first_paragraph, outline.elements[at].end_paragraph);
      const auto width = static_cast<double>(sums.width);
      add(sums.paragraphs);
      add(width);
      add(Ratio(static_cast<double>(sums.link_width), width));
      add(Ratio(static_cast<double>(sums.prose), width));
      add(Ratio(width, static_cast<double>(all.width)));
      add(Ratio(static_cast<double>(sums.prose), static_cast<double>(all.prose)));
      if (facts_[at].up != PageOutline::kNone) at = facts_[at].up;
    }
    add(core.depth - facts.on_core);
    add(Ratio(facts.on_core, core.depth));
    add(i >= wide.first_paragraph && i < wide.end_paragraph);
    add(i < core.first_paragraph ? -1.0 * (core.first_paragraph - static_cast<double>(i))
        : i >= core.end_paragraph ? 1.0 * (static_cast<double>(i) - core.end_paragraph + 1)
                                  : 0);
    const Sums& shape = shapes_[shape_of_[i]].sums;
    add(shape.paragraphs);
    add(Ratio(static_cast<double>(shape.width), shape.paragraphs));
    add(Ratio(static_cast<double>(shape.link_width), static_cast<double>(shape.width)));
    add(Ratio(static_cast<double>(shape.prose), static_cast<double>(shape.width)));
    add(Ratio(static_cast<double>(shape.width), static_cast<double>(all.width)));

    const auto neighbour = [&](bool there, size_t k, bool more) {
      if (!there) {
        for (int j = 0; j < (more ? 5 : 2); ++j) add(-1);
        return;
      }
      add(texts_[k].width);
      add(Ratio(texts_[k].link_width, texts_[k].width));
      if (!more) return;
      add(KindOfElement(outline.elements[outline.paragraphs[k].element].node));
      add(texts_[k].ends_sentence);
      add(shape_of_[k] == shape_of_[i]);
    };
    neighbour(i >= 1, i - 1, true);
    neighbour(i >= 2, i - 2, false);
    neighbour(i + 1 < n, i + 1, true);
    neighbour(i + 2 < n, i + 2, false);

    add(static_cast<double>(n));
    add(static_cast<double>(all.width));
    add(Ratio(static_cast<double>(all.link_width), static_cast<double>(all.width)));
    add(Ratio(static_cast<double>(all.prose), static_cast<double>(all.width)));
    add(static_cast<double>(all.prose));
    add(Ratio(static_cast<double>(core_sums.width), static_cast<double>(all.width)));
    add(core_sums.paragraphs);
    add(Ratio(static_cast<double>(main_width), static_cast<double>(all.width)));
    add(Ratio(static_cast<double>(article_width), static_cast<double>(all.width)));
    add(static_cast<double>(all.currency));
    add(static_cast<double>(shapes_.size()));
    add(h1);
    add(page_run);
    add(Ratio(static_cast<double>(list_width), static_cast<double>(all.width)));
    add(kind.og);
    add(kind.article);
    add(kind.product);
    add(kind.forum);
    add(kind.list);
    add(kind.faq);
    add(kind.url_depth);
    add(kind.url_digits);
    add(kind.url_dashes);
    add(kind.url_query);
    add(kind.url_slash);
    const std::string_view words = page.text.substr(outline.paragraphs[i].text,
                                                    outline.paragraphs[i].end - outline.paragraphs[i].text);
    const bool in_title = InTitle(words, kind.title);
    if (in_title) {
      since_title = 0;
      if (title_index < 0) title_index = static_cast<double>(i);
    }
    add(in_title);
    add(since_title);
    add(InDescription(words, kind));
    const auto images = [&](size_t k) { return k < n ? outline.paragraphs[k].images : outline.images; };
    const auto fields = [&](size_t k) { return k < n ? outline.paragraphs[k].fields : outline.fields; };
    add(images(i) - (i > 0 ? images(i - 1) : 0));
    add(images(i + 1) - images(i));
    uint32_t around = own;
    for (int up = 0; up < 3; ++up) {
      add(images(outline.elements[around].end_paragraph) - images(outline.elements[around].first_paragraph));
      if (facts_[around].up != PageOutline::kNone) around = facts_[around].up;
    }
    add(fields(i) - (i > 0 ? fields(i - 1) : 0));
    add(up1 == PageOutline::kNone
            ? 0
            : fields(outline.elements[up1].end_paragraph) - fields(outline.elements[up1].first_paragraph));
    add(outline.images);
    add(outline.fields);
    add(title_index);
    ++since_title;
    if (static_cast<size_t>(out - begin) != kFeatureNames.size()) __builtin_trap();

    prose_distance = IsProse(text) ? 1 : prose_distance + 1;
    ++since_heading;
    ++since_h1;
    if (level > 0) {
      since_heading = 1;
      heading_level = level;
      if (level == 1) since_h1 = 1;
    }
  }
}

void PageFeatures::ComputeContext(std::span<const float> margins) {
  const PageOutline& outline = *outline_;
  const size_t n = margins.size();
  if (n == 0) return;
  std::vector<float>& p = probabilities_;
  p.resize(n);
  // Sums of probability × width (a width of 4 at least, so that short ones count) before each paragraph.
  probability_before_.assign(2 * (n + 1), 0);
  double* const mass = probability_before_.data();
  double* const weight = mass + n + 1;
  for (Shape& shape : shapes_) shape.probability = 0;
  for (size_t i = 0; i < n; ++i) {
    p[i] = static_cast<float>(Probability(margins[i]));
    const double w = std::max(texts_[i].width, 4);
    mass[i + 1] = mass[i] + p[i] * w;
    weight[i + 1] = weight[i] + w;
    shapes_[shape_of_[i]].probability += p[i] * std::max(texts_[i].width, 1);
  }
  const auto mean = [&](size_t first, size_t end) {
    return Ratio(mass[end] - mass[first], weight[end] - weight[first]);
  };
  std::vector<float>& most_after = most_after_;
  std::vector<float>& content_after = content_after_;
  most_after.assign(n + 1, 0);
  content_after.assign(n + 1, 1e6F);
  for (size_t i = n; i-- > 0;) {
    most_after[i] = std::max(most_after[i + 1], p[i]);
    content_after[i] = p[i] > 0.5F ? 0 : content_after[i + 1] + 1;
  }
  float most_before = 0;
  float content_before = 1e6F;
  const PageOutline::Element& core = outline.elements[core_];
  for (size_t i = 0; i < n; ++i) {
    float* out = rows_.data() + i * width() + kFeatureNames.size();
    const auto add = [&out](double value) { *out++ = static_cast<float>(value); };
    const auto near = [&](size_t k) { add(k < n ? p[k] : -1); };  // before the first wraps around
    add(p[i]);
    near(i - 1);
    near(i + 1);
    near(i - 2);
    near(i + 2);
    near(i - 3);
    near(i + 3);
    add(mean(i >= 5 ? i - 5 : 0, std::min(n, i + 6)));
    const uint32_t own = outline.paragraphs[i].element;
    uint32_t at = own;
    if (outline.elements[at].end_paragraph - outline.elements[at].first_paragraph == 1 && facts_[at].up != PageOutline::kNone) {
      at = facts_[at].up;
    }
    for (int up = 0; up < 4; ++up) {
      add(mean(outline.elements[at].first_paragraph, outline.elements[at].end_paragraph));
      if (facts_[at].up != PageOutline::kNone) at = facts_[at].up;
    }
    const Shape& shape = shapes_[shape_of_[i]];
    add(Ratio(shape.probability, static_cast<double>(std::max<int64_t>(shape.sums.width, 1))));
    add(mean(0, n));
    add(Ratio(mass[i], mass[n]));
    add(most_before);
    add(most_after[i + 1]);
    add(content_before);
    add(content_after[i + 1]);
    add(mean(core.first_paragraph, core.end_paragraph));
    add(mass[n]);
    most_before = std::max(most_before, p[i]);
    content_before = p[i] > 0.5F ? 0 : content_before + 1;
  }
}

}  // namespace uzushio
