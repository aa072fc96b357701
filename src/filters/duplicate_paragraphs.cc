#include "filters/list.h"

namespace uzushio {
namespace {

class DuplicateParagraphs final : public ParagraphFilter {
 public:
  void Change(FilterDocument* document, int place, FilterScratch* /*scratch*/) const override {
    for (FilterParagraph& paragraph : document->paragraphs()) {
      if (!paragraph.alive() || paragraph.near_freq < limit) continue;
      paragraph.removed_by = place;
      paragraph.metric = paragraph.near_freq;
    }
  }
  std::string MetricKey() const override { return std::to_string(limit); }
  std::vector<std::string> Reasons() const override { return {"DuplicateParagraphs(" + std::to_string(limit) + ")"}; }
  std::string Bound(size_t /*reason*/) const override { return "nearFreq >= " + std::to_string(limit); }

  int64_t limit = 2;
};

}  // namespace

FilterDeclaration DeclareDuplicateParagraphs() {
  return Declare<DuplicateParagraphs>("DuplicateParagraphs", "paragraphs", "Removes paragraphs that occur too often.")
      .Metric("DuplicateParagraphs", "share of the text in such paragraphs")
      .Int("limit", &DuplicateParagraphs::limit, 1, INT32_MAX, "paragraphs with this nearFreq or more are removed")
      .Done();
}

}  // namespace uzushio
