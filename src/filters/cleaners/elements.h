// What the stages of the older cleaning jobs share: a document's elements (its text at first, then its paragraphs or
// sentences) are removed or rewritten one by one. An element is never empty. Link marks of what is rewritten are lost.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "filters/filter.h"

namespace uzushio {

// Removes elements that do not pass a test.
class ElementFilter : public ParagraphFilter {
 public:
  void Change(FilterDocument* document, int place, FilterScratch* scratch) const final;
  // Whether the element stays. `metric` is what was looked at.
  virtual bool Keeps(std::string_view text, double* metric) const = 0;
};

// Rewrites elements. Those of which nothing is left are removed.
class ElementRewriter : public RewritingFilter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* scratch) const final;
  void Change(FilterDocument* document, int place, FilterScratch* scratch) const final;
  // Whether the element changes, and what to; `to` is empty before.
  virtual bool Rewrite(std::string_view text, std::string* to) const = 0;
};

// Gives an element another text, which `document` keeps, or removes it if there is none.
void ReplaceText(FilterDocument* document, int place, std::string text, FilterParagraph* element);

// Puts `parts`, views of its text, in the place of an element.
void AppendParts(const FilterParagraph& element, const std::vector<std::string_view>& parts,
                 std::vector<FilterParagraph>* elements);

}  // namespace uzushio
