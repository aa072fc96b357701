#include "html/open_elements.h"

#include <lexbor/dom/interfaces/element.h>

#include <algorithm>

#include "document/markup.h"
#include "html/attributes.h"
#include "html/paragraphs.h"

namespace uzushio {
namespace {

void AppendSegment(lxb_dom_node_t* node, std::string* path) {
  auto* element = lxb_dom_interface_element(node);
  size_t length = 0;
  const lxb_char_t* name = lxb_dom_element_local_name(element, &length);
  AppendPathSegment({reinterpret_cast<const char*>(name), length}, ValueOf(element->attr_class),
                    ValueOf(element->attr_id), path);
}

}  // namespace

void OpenElements::EndOutlined() {
  outline_->elements[outlined_.back()].end_paragraph = static_cast<uint32_t>(outline_->paragraphs.size());
  outlined_.pop_back();
}

void OpenElements::EndPath() {
  ends_.resize(elements_.size() + 1);
  path_.resize(ends_.back());
}

void OpenElements::AppendPath(std::string* out) {
  const size_t depth = std::min(blocks_.back(), kMaxPathSegments);
  while (ends_.size() <= depth) AppendNextSegment();
  const size_t begin = out->size();
  out->append(path_, 0, ends_[depth]);
  const size_t path_end = out->size();
  if (structures_ != nullptr) {
    *out += kStructureMark;
    structures_->AppendStructure(out);
  }
  if (outline_ != nullptr) Outline(begin, path_end, out->size() + 1);
}

// Segments that would pass kMaxPathBytes, and those below them, are empty.
void OpenElements::AppendNextSegment() {
  const size_t depth = ends_.size() - 1;
  const size_t before = path_.size();
  if (depth == 0 || before > ends_[depth - 1]) {
    if (depth > 0) path_ += '>';
    AppendSegment(elements_[depth], &path_);
    if (path_.size() > kMaxPathBytes) path_.resize(before);
  }
  ends_.push_back(path_.size());
}

void OpenElements::Outline(size_t begin, size_t path_end, size_t text) {
  while (outlined_.size() < elements_.size()) {
    const uint32_t parent = outlined_.empty() ? PageOutline::kNone : outlined_.back();
    const auto depth = static_cast<uint32_t>(outlined_.size());
    const auto first = static_cast<uint32_t>(outline_->paragraphs.size());
    outlined_.push_back(static_cast<uint32_t>(outline_->elements.size()));
    outline_->elements.push_back({elements_[depth], parent, depth, first, first});
  }
  if (!outline_->paragraphs.empty()) outline_->paragraphs.back().end = begin - kParagraphSeparator.size();
  outline_->paragraphs.push_back({outlined_.back(), begin, path_end, text, text, outline_->images, outline_->fields});
}

}  // namespace uzushio
