// The walk over a page's tree that produces its text, in either form.
#pragma once

#include <lexbor/dom/interfaces/node.h>
#include <lexbor/html/interfaces/template_element.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "html/open_elements.h"
#include "html/outline.h"

namespace uzushio {

// Walks the tree below `body` in document order, without recursion. `Form` derives from it, and has
//   bool Visit(node)    handles a node by itself; whether its children are to be visited
//   void Enter(node)    begins an element with children
//   void Leave(node)    ends it
//   void Empty(node)    handles an element that is to be visited and has no children
//   int64_t Finish()    ends the text; how many paragraphs it has
template <typename Form>
class TreeWalk {
 public:
  // The number of paragraphs, or nothing where the text would be too long.
  std::optional<int64_t> Run(lxb_dom_node_t* body) {
    if (!Walk(body)) return std::nullopt;
    const int64_t paragraphs = form().Finish();
    if (is_full()) return std::nullopt;
    if (outline_ != nullptr && !outline_->paragraphs.empty()) outline_->paragraphs.back().end = document_.size();
    return paragraphs;
  }

 protected:
  PageOutline* outline_;
  OpenElements open_;

 private:
  friend Form;

  // `outline` and `structures` may be null.
  TreeWalk(size_t max_bytes, std::string* document, PageOutline* outline, StructureSource* structures)
      : outline_(outline), open_(outline, structures), document_(*document), limit_(document->size() + max_bytes) {}

  Form& form() { return static_cast<Form&>(*this); }
  bool is_full() const { return document_.size() > limit_; }

  // The borders of a link, of which those in another are a part; `written` are the bytes of text so far. `held_back`
  // says that the text will begin a paragraph that has not begun.
  void BeginLink(size_t written) {
    if (links_++ == 0) before_link_ = written;
  }
  void EndLink(const lxb_dom_node_t* node, size_t written, bool held_back) {
    if (--links_ > 0 || outline_ == nullptr || written == before_link_) return;
    const size_t paragraphs = outline_->paragraphs.size() + (held_back ? 1 : 0);
    outline_->links.push_back({node, static_cast<uint32_t>(paragraphs - 1)});
  }

  // A template with a declarative shadow root is an element whose children lie in its content.
  static lxb_dom_node_t* FirstIn(lxb_dom_node_t* node) {
    if (node->local_name == LXB_TAG_TEMPLATE && node->ns == LXB_NS_HTML) {
      const auto* content = lxb_html_interface_template(node)->content;
      return content == nullptr ? nullptr : content->node.first_child;
    }
    return node->first_child;
  }

  // Whether there was room for all of the text.
  bool Walk(lxb_dom_node_t* body) {
    form().Enter(body);
    lxb_dom_node_t* node = body->first_child;
    while (node != nullptr) {
      if (is_full()) return false;
      if (form().Visit(node)) {
        if (lxb_dom_node_t* first = FirstIn(node)) {
          form().Enter(node);
          node = first;
          continue;
        }
        form().Empty(node);
      }
      while (node->next == nullptr) {
        node = open_.innermost();
        form().Leave(node);
        if (node == body) return true;
      }
      node = node->next;
    }
    return true;
  }

  std::string& document_;
  size_t limit_;
  int links_ = 0;  // that are open
  size_t before_link_ = 0;
};

}  // namespace uzushio
