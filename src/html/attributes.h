// Attributes of elements, as views into the tree.
#pragma once

#include <lexbor/dom/dom.h>

#include <optional>
#include <string_view>

#include "html/read_names.h"

namespace uzushio {

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

inline bool HasName(lxb_dom_attr_t* attribute, ReadName name) { return NameOf(attribute) == std::string_view(name); }

// Whether lexbor has no number of its own for the attribute's name.
inline bool IsRare(const lxb_dom_attr_t* attribute) { return attribute->node.local_name >= LXB_DOM_ATTR__LAST_ENTRY; }

inline lxb_dom_attr_t* FirstAttribute(const lxb_dom_node_t* element) {
  return reinterpret_cast<const lxb_dom_element_t*>(element)->first_attr;
}

// The value of an attribute by its name in lower case, or nothing where the element has none.
inline std::optional<std::string_view> AttributeOf(const lxb_dom_node_t* element, ReadName name) {
  for (lxb_dom_attr_t* attribute = FirstAttribute(element); attribute != nullptr; attribute = attribute->next) {
    if (HasName(attribute, name)) return ValueOf(attribute);
  }
  return std::nullopt;
}

}  // namespace uzushio
