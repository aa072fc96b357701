// What an element is to a reader: a menu, a heading, an item …
#pragma once

#include <lexbor/dom/interfaces/node.h>

#include <cstdint>

namespace uzushio {

enum ElementFlag : uint32_t {
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

// By the element's tag.
uint32_t TagFlags(const lxb_dom_node_t* element);
// By its role, its style and other attributes.
uint32_t AttributeFlags(const lxb_dom_node_t* element);
// 1 … 6, or 0 where it is no heading.
int LevelOfHeading(const lxb_dom_node_t* element);
// A number for each sort of elements; it has no order.
int SortOfElement(const lxb_dom_node_t* element);

}  // namespace uzushio
