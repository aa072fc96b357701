// Attributes of elements, as views into the tree; hashes of them.
#pragma once

#include <lexbor/dom/dom.h>

#include <cstdint>
#include <string_view>

namespace uzushio {

// What is looked at of an attribute: pages may have any.
inline constexpr size_t kMostAttributeBytes = 512;

inline std::string_view View(const lexbor_str_t* text) {
  if (text == nullptr || text->data == nullptr) return {};
  return {reinterpret_cast<const char*>(text->data), text->length};
}

inline std::string_view ValueOf(const lxb_dom_attr_t* attribute) {
  return attribute == nullptr ? std::string_view() : View(attribute->value);
}

inline std::string_view NameOf(lxb_dom_attr_t* attribute) {
  size_t length = 0;
  const lxb_char_t* name = lxb_dom_attr_local_name(attribute, &length);
  return {reinterpret_cast<const char*>(name), length};
}

// Whether lexbor has no number of its own for the attribute's name.
inline bool IsRare(const lxb_dom_attr_t* attribute) { return attribute->node.local_name >= LXB_DOM_ATTR__LAST_ENTRY; }

inline lxb_dom_attr_t* FirstAttribute(const lxb_dom_node_t* element) {
  return reinterpret_cast<const lxb_dom_element_t*>(element)->first_attr;
}

// FNV-1a, which the model's tokens are named by.
inline constexpr uint32_t kHashSeed = 2166136261U;
inline uint32_t HashByte(uint32_t hash, unsigned char byte) { return (hash ^ byte) * 16777619U; }
inline uint32_t HashText(std::string_view text, uint32_t hash = kHashSeed) {
  for (const char c : text) hash = HashByte(hash, static_cast<unsigned char>(c));
  return hash;
}

}  // namespace uzushio
