#include "filters/cleaners/elements.h"

namespace uzushio {

void ElementFilter::Change(FilterDocument* document, int place, FilterScratch* /*scratch*/) const {
  for (FilterParagraph& element : document->paragraphs()) {
    double metric = 1;
    if (!element.alive() || Keeps(element.plain, &metric)) continue;
    element.removed_by = place;
    element.metric = metric;
  }
}

double ElementRewriter::Measure(const FilterDocument& document, FilterScratch* scratch) const {
  int64_t changed = 0;
  document.ForEachAlive([&](const FilterParagraph& element) {
    scratch->text.clear();
    changed += Rewrite(element.plain, &scratch->text) ? 1 : 0;
  });
  return static_cast<double>(changed);
}

void ElementRewriter::Change(FilterDocument* document, int place, FilterScratch* scratch) const {
  for (FilterParagraph& element : document->paragraphs()) {
    if (!element.alive()) continue;
    scratch->text.clear();
    if (Rewrite(element.plain, &scratch->text)) ReplaceText(document, place, scratch->text, &element);
  }
}

void ReplaceText(FilterDocument* document, int place, std::string text, FilterParagraph* element) {
  if (text.empty()) {
    element->removed_by = place;
    element->metric = 1;
    return;
  }
  element->plain = element->marked = document->Keep(std::move(text));
}

void AppendParts(const FilterParagraph& element, const std::vector<std::string_view>& parts,
                 std::vector<FilterParagraph>* elements) {
  if (parts.size() == 1 && parts[0] == element.plain) {
    elements->push_back(element);
    return;
  }
  for (const std::string_view part : parts) {
    elements->push_back(element);
    elements->back().plain = elements->back().marked = part;
  }
}

}  // namespace uzushio
