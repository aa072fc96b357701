#include "html/read_attributes.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "base/utf8.h"
#include "html/read_names.h"

namespace uzushio {
namespace {

using Use = AttributeUse;

// Of the names that lexbor has a number for.
constexpr auto kNumbered = [] {
  std::array<Use, LXB_DOM_ATTR__LAST_ENTRY> uses{};
  for (auto name : {LXB_DOM_ATTR_CLASS, LXB_DOM_ATTR_ID, LXB_DOM_ATTR_STYLE, LXB_DOM_ATTR_REL, LXB_DOM_ATTR_HREF}) {
    uses[name] = Use::kOfAny;
  }
  for (auto name : {LXB_DOM_ATTR_LANG, LXB_DOM_ATTR_TYPE, LXB_DOM_ATTR_ALT, LXB_DOM_ATTR_CHARSET, LXB_DOM_ATTR_CONTENT,
                    LXB_DOM_ATTR_HTTP_EQUIV}) {
    uses[name] = Use::kOfSome;
  }
  for (auto name : {LXB_DOM_ATTR_COLOR, LXB_DOM_ATTR_FACE, LXB_DOM_ATTR_SIZE}) uses[name] = Use::kOfFont;
  return uses;
}();

// By first byte, the lengths of the names that begin with it, as bits: most names need no comparison.
constexpr auto kNameLengths = [] {
  std::array<uint32_t, 256> lengths{};
  for (const AttributeName& entry : kReadNames) {
    lengths[static_cast<unsigned char>(entry.name[0])] |= 1U << entry.name.size();
  }
  return lengths;
}();

std::string_view TokenNameOf(const lxb_html_token_attr_t* attribute) {
  if (attribute->name == nullptr) return {};
  const lexbor_hash_entry_t& entry = attribute->name->entry;
  return {reinterpret_cast<const char*>(lexbor_hash_entry_str(&entry)), entry.length};
}

std::string_view TokenValueOf(const lxb_html_token_attr_t* attribute) {
  if (attribute->value_begin == nullptr || attribute->value == nullptr) return {};
  return {reinterpret_cast<const char*>(attribute->value), attribute->value_size};
}

Use UseOf(const lxb_html_token_attr_t* attribute) {
  if (attribute->name == nullptr) return Use::kNone;
  const lxb_dom_attr_id_t id = attribute->name->attr_id;
  if (id < kNumbered.size()) return kNumbered[id];
  const std::string_view name = TokenNameOf(attribute);
  if (name.empty() || name.size() >= 32) return Use::kNone;
  if ((kNameLengths[static_cast<unsigned char>(name[0])] >> name.size() & 1U) == 0) return Use::kNone;
  const auto found = std::ranges::find(kReadNames, name, &AttributeName::name);
  return found == kReadNames.end() ? Use::kNone : found->use;
}

// HTML, section 13.2.4.2.
bool IsFormatting(lxb_tag_id_t tag) {
  switch (tag) {
    case LXB_TAG_A:
    case LXB_TAG_B:
    case LXB_TAG_BIG:
    case LXB_TAG_CODE:
    case LXB_TAG_EM:
    case LXB_TAG_FONT:
    case LXB_TAG_I:
    case LXB_TAG_NOBR:
    case LXB_TAG_S:
    case LXB_TAG_SMALL:
    case LXB_TAG_STRIKE:
    case LXB_TAG_STRONG:
    case LXB_TAG_TT:
    case LXB_TAG_U:
      return true;
    default:
      return false;
  }
}

// Equal attributes give equal sums in any order; a sum that others give, too, makes elements equal that are not.
uint64_t DigestOf(const lxb_html_token_attr_t* attribute) {
  const std::string_view name = TokenNameOf(attribute);
  const std::string_view value = TokenValueOf(attribute);
  return XXH3_64bits_withSeed(value.data(), value.size(), XXH3_64bits(name.data(), name.size()));
}

// Puts the digest in front, under a name that no page can give.
void PutDigest(lxb_html_tokenizer_t* tokenizer, uint64_t digest, lxb_html_token_t* token) {
  auto* attribute = lxb_html_token_attr_create(tokenizer->dobj_token_attr);
  auto* value = static_cast<lxb_char_t*>(lexbor_mraw_alloc(tokenizer->attrs_mraw, sizeof digest + 1));
  std::memcpy(value, &digest, sizeof digest);
  value[sizeof digest] = '\0';
  attribute->name = lxb_dom_attr_data_undef();
  attribute->value_begin = attribute->value = value;
  attribute->value_end = value + sizeof digest;
  attribute->value_size = sizeof digest;
  attribute->next = token->attr_first;
  if (token->attr_first != nullptr) {
    token->attr_first->prev = attribute;
  } else {
    token->attr_last = attribute;
  }
  token->attr_first = attribute;
}

// How much of an attribute's value is kept where the attributes before it left this room. Long addresses leave room for
// classes and styles.
size_t MostOf(const lxb_html_token_attr_t* attribute, size_t room) {
  const bool is_address = attribute->name->attr_id == LXB_DOM_ATTR_HREF;
  return is_address ? std::min(room, kMostFormattingBytes / 4) : room;
}

constexpr size_t kFewAttributes = 4;  // are compared with each other soon enough

// Whether a tag's attributes are few, and all are kept as they are, as those of most tags.
bool AreAllKept(const lxb_html_token_t* token) {
  size_t attributes = 0;
  size_t room = kMostFormattingBytes;
  for (const lxb_html_token_attr_t* attribute = token->attr_first; attribute != nullptr; attribute = attribute->next) {
    if (++attributes > kFewAttributes || UseOf(attribute) != Use::kOfAny) return false;
    const size_t size = TokenValueOf(attribute).size();
    if (size > MostOf(attribute, room)) return false;
    room -= size;
  }
  return true;
}

void KeepOfFormatting(lxb_html_tokenizer_t* tokenizer, lxb_html_token_t* token) {
  if (AreAllKept(token)) return;
  uint64_t digest = 0;
  size_t kept = 0;
  size_t room = kMostFormattingBytes;
  bool is_whole = true;
  bool has_of_font = false;
  for (lxb_html_token_attr_t* attribute = token->attr_first; attribute != nullptr;) {
    lxb_html_token_attr_t* const next = attribute->next;
    digest += DigestOf(attribute);
    const Use use = UseOf(attribute);
    const bool is_first_of_font = use == Use::kOfFont && token->tag_id == LXB_TAG_FONT && !has_of_font;
    has_of_font |= is_first_of_font;
    if (use == Use::kOfAny || is_first_of_font) {
      const size_t size = Utf8Prefix(TokenValueOf(attribute), MostOf(attribute, room)).size();
      is_whole &= size == TokenValueOf(attribute).size();
      attribute->value_size = size;
      room -= size;
      ++kept;
    } else {
      lxb_html_token_attr_remove(token, attribute);
      is_whole = false;
    }
    attribute = next;
  }
  if (!is_whole || kept > kFewAttributes) PutDigest(tokenizer, digest, token);
}

}  // namespace

void KeepReadAttributes(lxb_html_tokenizer_t* tokenizer, lxb_html_token_t* token) {
  const bool is_element = token->tag_id >= LXB_TAG_A || token->tag_id == LXB_TAG__UNDEF;
  if (!is_element || (token->type & LXB_HTML_TOKEN_TYPE_CLOSE) != 0 || token->attr_first == nullptr) return;
  if (IsFormatting(token->tag_id)) {
    KeepOfFormatting(tokenizer, token);
    return;
  }
  for (lxb_html_token_attr_t* attribute = token->attr_first; attribute != nullptr;) {
    lxb_html_token_attr_t* const next = attribute->next;
    const Use use = UseOf(attribute);
    if (use != Use::kOfAny && use != Use::kOfSome) lxb_html_token_attr_remove(token, attribute);
    attribute = next;
  }
}

}  // namespace uzushio
