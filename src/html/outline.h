// Where a page's paragraphs lie in its tree.
#pragma once

#include <lexbor/dom/interfaces/node.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace uzushio {

// Whether an element is a script with linked data (JSON-LD).
bool IsLinkedData(const lxb_dom_node_t* element);

// The paragraphs of a page in document order, each with the innermost element that was open where its text begins, and
// the elements above them. Elements that no paragraph begins in are left out. Its parts are used again for page after
// page.
struct PageOutline {
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Element {
    lxb_dom_node_t* node;
    uint32_t parent;           // an earlier element, or kNone
    uint32_t depth;            // of the tree, below the body
    uint32_t first_paragraph;  // those that begin in the element are first_paragraph … end_paragraph - 1
    uint32_t end_paragraph;
  };
  // Offsets in the document's text, which is `path` [U+001E `structure`] U+001C `text` there.
  struct Paragraph {
    uint32_t element;
    size_t begin;  // of the path
    size_t path_end;
    size_t text;
    size_t end;
    uint32_t images;  // images and form fields of the page before it
    uint32_t fields;
  };
  struct Link {
    const lxb_dom_node_t* node;
    uint32_t paragraph;  // that its text ends in; none of the page where a table's row is not written
  };

  std::vector<Element> elements;
  std::vector<Paragraph> paragraphs;
  std::vector<Link> links;                         // those that have text, in the order in which they end
  std::vector<const lxb_dom_node_t*> linked_data;  // the scripts in the body that have it
  uint32_t images = 0;
  uint32_t fields = 0;

  void Clear() {
    linked_data.clear();
    images = 0;
    fields = 0;
    elements.clear();
    paragraphs.clear();
    links.clear();
  }
};

}  // namespace uzushio
