#include "filters/list.h"
#include "filters/word_list.h"

namespace uzushio {
namespace {

// For sums of parts that are not whole.
constexpr double kMargin = 1e-3;

class WordInstances final : public MetricFilter {
 public:
  arrow::Status Prepare() {
    ARROW_ASSIGN_OR_RAISE(words_, WordList::Load(list));
    return arrow::Status::OK();
  }
  double Measure(const FilterDocument& document, FilterScratch* scratch) const override {
    size_t found = 0;
    document.ForEachAlive([&](const FilterParagraph& paragraph) {
      words_->Find(paragraph.plain, &scratch->numbers);
      found += scratch->numbers.size();
    });
    return static_cast<double>(found) * full;
  }
  std::string Contents() const override { return words_->Contents(); }
  std::string MetricKey() const override { return list + "," + JavaNumber(full); }
  std::vector<std::string> Reasons() const override {
    return {"WordInstances(" + list + "," + JavaNumber(threshold) + "," + JavaNumber(full) + "," + JavaNumber(partial) +
            ")"};
  }
  std::optional<size_t> Decide(double metric, const FilterDocument& /*document*/) const override {
    if (metric + kMargin < threshold) return std::nullopt;
    return 0;
  }
  RemovalRule Rule() const override {
    RemovalRule rule;
    rule.thresholds = {{.parameter = "threshold", .removes = Removes::kFrom, .value = threshold, .margin = kMargin}};
    return rule;
  }

  std::string list;
  float threshold = 3;
  float full = 1;
  float partial = 0.1F;

 private:
  std::shared_ptr<const WordList> words_;
};

}  // namespace

FilterDeclaration DeclareWordInstances() {
  return Declare<WordInstances>("WordInstances", "documents",
                                "Removes documents in which words of a list occur too often.")
      .Metric("WordInstances", "occurrences of words, each with a score of `full`")
      .File("list", &WordInstances::list, "file with one word per line, or hojichar/FILE")
      .Float("threshold", &WordInstances::threshold, 0, 1e12, "documents with this score or more are removed")
      .Float("full", &WordInstances::full, 0, 1e6, "score of an occurrence")
      .Float("partial", &WordInstances::partial, 0, 1e6, "accepted for configurations of the original; has no effect")
      .Done();
}

}  // namespace uzushio
