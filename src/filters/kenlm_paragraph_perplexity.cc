#include "filters/frequent_runs.h"
#include "filters/list.h"
#include "filters/perplexity.h"

namespace uzushio {
namespace {

class KenLMParagraphPerplexity final : public ParagraphFilter, public PerplexityModel {
 public:
  KenLMParagraphPerplexity() { outliers = 0.02F; }
  arrow::Status Prepare() { return Open(); }
  void Change(FilterDocument* document, int place, FilterScratch* scratch) const override {
    const std::span<FilterParagraph> paragraphs = document->paragraphs();
    std::vector<double> perplexities;
    for (const FilterParagraph& paragraph : paragraphs) perplexities.push_back(Perplexity(paragraph.plain, scratch));
    RemoveBadRuns(
        paragraphs, static_cast<size_t>(count), [&](size_t i) { return perplexities[i] >= threshold; },
        [&](size_t i) {
          paragraphs[i].removed_by = place;
          paragraphs[i].metric = perplexities[i];
        });
  }
  std::string MetricKey() const override { return Key() + "," + std::to_string(count) + "," + JavaNumber(threshold); }
  std::vector<std::string> Reasons() const override {
    return {"KenLMPar(" + JavaNumber(outliers) + "," + std::to_string(count) + "," + JavaNumber(threshold) + ")"};
  }
  std::string Bound(size_t /*reason*/) const override {
    return "perplexity >= " + JavaNumber(threshold) + ", " + std::to_string(count) + " in a row";
  }

  int64_t count = 3;
  float threshold = 1e6F;
};

}  // namespace

FilterDeclaration DeclareKenLMParagraphPerplexity() {
  return Declare<KenLMParagraphPerplexity>("KenLMParagraphPerplexity", "paragraphs",
                                           "Removes runs of paragraphs that are too unlikely for a language model.")
      .Metric("KenLMParagraphPerplexity", "share of the text in such paragraphs")
      .File("sudachi", &KenLMParagraphPerplexity::sudachi, "Sudachi's system dictionary")
      .File("kenlm", &KenLMParagraphPerplexity::kenlm, "KenLM language model, binary or ARPA")
      .Float("outliers", &KenLMParagraphPerplexity::outliers, 0, 1, "share of the least likely tokens that are ignored")
      .Int("count", &KenLMParagraphPerplexity::count, 1, INT32_MAX,
           "minimum length of a run; the ends of a page count as unlikely")
      .Float("threshold", &KenLMParagraphPerplexity::threshold, 0, 1e30,
             "paragraphs with this perplexity or more are unlikely")
      .Done();
}

}  // namespace uzushio
