// The elements that are open during a walk over a page's tree.
#pragma once

#include <lexbor/dom/interfaces/node.h>

#include <cstdint>
#include <string>
#include <vector>

#include "document/paragraph_writer.h"
#include "html/outline.h"

namespace uzushio {

// Writes what a paragraph is to its reader behind its path.
class StructureSource {
 public:
  virtual ~StructureSource() = default;
  virtual void AppendStructure(std::string* out) = 0;
};

// The open elements with their path, of which only as much is written as some paragraph asks for; likewise the outline,
// where one is wanted.
class OpenElements final : public ParagraphWriter::PathSource {
 public:
  // `outline` may be null. With `structures`, paths are followed by U+001E and a structure.
  explicit OpenElements(PageOutline* outline, StructureSource* structures = nullptr)
      : outline_(outline), structures_(structures) {}

  void Push(lxb_dom_node_t* node, bool block) {
    elements_.push_back(node);
    if (block) blocks_.push_back(elements_.size());
  }
  void Pop(bool block) {
    if (block) blocks_.pop_back();
    elements_.pop_back();
    if (outlined_.size() > elements_.size()) EndOutlined();
    if (ends_.size() > elements_.size() + 1) EndPath();
  }
  void AppendPath(std::string* out) override;
  lxb_dom_node_t* innermost() const { return elements_.back(); }

 private:
  void AppendNextSegment();
  void EndOutlined();
  void EndPath();
  void Outline(size_t begin, size_t path_end, size_t text);

  PageOutline* outline_;
  StructureSource* structures_;
  std::vector<uint32_t> outlined_;  // the first open elements' numbers in the outline
  std::vector<lxb_dom_node_t*> elements_;
  std::vector<size_t> blocks_ = {0};  // depths of the blocks among them, above all the root
  std::string path_;                  // of the first ends_.size() - 1 elements
  std::vector<size_t> ends_ = {0};    // where the path of so many elements ends in path_
};

}  // namespace uzushio
