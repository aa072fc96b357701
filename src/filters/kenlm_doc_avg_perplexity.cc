#include "filters/list.h"
#include "filters/perplexity.h"

namespace uzushio {
namespace {

class KenLMDocAvgPerplexity final : public BoundedFilter, public PerplexityModel {
 public:
  KenLMDocAvgPerplexity() { high = 1e6F; }
  arrow::Status Prepare() { return Open(); }
  double Measure(const FilterDocument& document, FilterScratch* scratch) const override {
    return MeanByLength(document, [&](const FilterParagraph& paragraph, double length) {
      return length * Perplexity(paragraph.plain, scratch);
    });
  }
  std::string MetricKey() const override { return Key(); }

 protected:
  std::string ReasonName() const override { return "KenLMAvgDoc(" + JavaNumber(outliers) + ")"; }
};

}  // namespace

FilterDeclaration DeclareKenLMDocAvgPerplexity() {
  return Declare<KenLMDocAvgPerplexity>("KenLMDocAvgPerplexity", "documents",
                                        "Removes documents that are too unlikely, or too likely, for a language model.")
      .Metric("KenLMDocAvgPerplexity", "mean perplexity of the paragraphs, weighted by length")
      .File("sudachi", &KenLMDocAvgPerplexity::sudachi, "Sudachi's system dictionary")
      .File("kenlm", &KenLMDocAvgPerplexity::kenlm, "KenLM language model, binary or ARPA")
      .Float("outliers", &KenLMDocAvgPerplexity::outliers, 0, 1, "share of the least likely tokens that are ignored")
      .Bounds(0.0, 1e30)
      .Done();
}

}  // namespace uzushio
