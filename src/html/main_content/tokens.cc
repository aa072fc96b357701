#include "html/main_content/tokens.h"

#include <algorithm>
#include <array>
#include <bit>

#include "html/attributes.h"
#include "html/main_content/ascii_classes.h"
#include "html/main_content/hash.h"

namespace uzushio {
namespace {

// Besides classes and ids; the same token is another one in each.
constexpr std::array<ReadName, 7> kNamed = {"role",        "itemprop",       "itemtype", "aria-label",
                                            "data-testid", "data-component", "rel"};

// How many bits of a hash tell most unknown tokens: 4 to 8 places for each known one.
int FilterBits(size_t entries) {
  constexpr int kLeast = 6;
  constexpr int kMost = 18;  // 32 KiB
  return std::clamp(static_cast<int>(std::bit_width(4 * entries)), kLeast, kMost);
}

}  // namespace

TokenScores::TokenScores(std::span<const Entry> entries)
    : shift_(32 - FilterBits(entries.size())),
      seen_((size_t{1} << FilterBits(entries.size())) / 64),
      mask_(std::bit_ceil(3 * entries.size() / 2 + 2) - 1),
      table_(mask_ + 1, Entry{0, kNone}) {
  for (const Entry& entry : entries) {
    const uint32_t bit = entry.hash >> shift_;
    seen_[bit / 64] |= uint64_t{1} << bit % 64;
    size_t at = entry.hash & mask_;
    while (table_[at].score != kNone) at = (at + 1) & mask_;
    table_[at] = entry;
  }
}

// A name is visited whole and in parts: `postBody-main` is itself, `post`, `body` and `main`.
void VisitNames(std::string_view value, uint32_t seed, TokenVisitor* visitor) {
  value = value.substr(0, kMostAttributeBytes);
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

void VisitAttribute(lxb_dom_attr_t* attribute, TokenVisitor* visitor) {
  const auto kind = attribute->node.local_name;
  if (kind == LXB_DOM_ATTR_CLASS || kind == LXB_DOM_ATTR_ID) {
    VisitNames(ValueOf(attribute), kHashSeed, visitor);
  } else if (kind == LXB_DOM_ATTR_REL || IsRare(attribute)) {
    const std::string_view name = NameOf(attribute);
    if (std::ranges::find(kNamed, name, &ReadName::operator std::string_view) != kNamed.end())
      VisitNames(ValueOf(attribute), HashText(name), visitor);
  }
}

void VisitTokens(const lxb_dom_node_t* node, TokenVisitor* visitor) {
  for (lxb_dom_attr_t* attribute = FirstAttribute(node); attribute != nullptr; attribute = attribute->next) {
    VisitAttribute(attribute, visitor);
  }
}

}  // namespace uzushio
