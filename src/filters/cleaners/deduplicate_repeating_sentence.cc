#include <fmt/format.h>

#include "filters/list.h"

namespace uzushio {
namespace {

class DeduplicateRepeatingSentence final : public ParagraphFilter {
 public:
  void Change(FilterDocument* document, int place, FilterScratch* /*scratch*/) const override {
    const std::span<FilterParagraph> all = document->paragraphs();
    for (size_t begin = 0; begin < all.size();) {
      if (!all[begin].alive()) {
        ++begin;
        continue;
      }
      size_t end = begin;
      int64_t run = 0;  // of equal ones; removed ones between are as if they were not there
      for (; end < all.size() && (!all[end].alive() || all[end].plain == all[begin].plain); ++end) {
        run += all[end].alive() ? 1 : 0;
      }
      for (size_t i = begin + 1; run >= least && i < end; ++i) {
        if (!all[i].alive()) continue;
        all[i].removed_by = place;
        all[i].metric = static_cast<double>(run);
      }
      begin = end;
    }
  }
  std::string MetricKey() const override { return std::to_string(least); }
  std::vector<std::string> Reasons() const override { return {fmt::format("DeduplicateRepeatingSentence({})", least)}; }
  std::string Bound(size_t /*reason*/) const override { return fmt::format(">= {}", least); }
  int64_t least = 2;
};

}  // namespace

FilterDeclaration DeclareDeduplicateRepeatingSentence() {
  return Declare<DeduplicateRepeatingSentence>("DeduplicateRepeatingSentence", "paragraphs",
                                               "Keeps only the first of consecutive equal elements.")
      .Metric("DeduplicateRepeatingSentence", "share of the text that repeats the preceding element")
      .Int("minRepeat", &DeduplicateRepeatingSentence::least, 1, 1'000'000'000, "minimum number of equal elements")
      .Done();
}

}  // namespace uzushio
