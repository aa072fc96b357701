#include <algorithm>
#include <cmath>

#include "filters/list.h"
#include "filters/word_list.h"

namespace uzushio {
namespace {

class WordTypes final : public MetricFilter {
 public:
  arrow::Status Prepare() {
    ARROW_ASSIGN_OR_RAISE(words_, WordList::Load(list));
    return arrow::Status::OK();
  }
  double Measure(const FilterDocument& document, FilterScratch* scratch) const override {
    std::vector<uint32_t>& all = scratch->counts;
    all.clear();
    document.ForEachAlive([&](const FilterParagraph& paragraph) {
      words_->Find(paragraph.plain, &scratch->numbers);
      all.insert(all.end(), scratch->numbers.begin(), scratch->numbers.end());
    });
    std::ranges::sort(all);
    double score = 0;
    for (auto begin = all.begin(); begin != all.end();) {
      const auto end = std::find_if(begin, all.end(), [begin](uint32_t word) { return word != *begin; });
      score += Score(static_cast<double>(end - begin));
      begin = end;
    }
    return score;
  }
  std::string Contents() const override { return words_->Contents(); }
  std::string MetricKey() const override { return list + "," + kind; }
  std::vector<std::string> Reasons() const override {
    return {"WordTypes(" + list + "," + JavaNumber(threshold) + "," + kind + ")"};
  }
  std::optional<size_t> Decide(double metric, const FilterDocument& /*document*/) const override {
    if (static_cast<float>(metric) < threshold) return std::nullopt;
    return 0;
  }
  RemovalRule Rule() const override {
    RemovalRule rule;
    rule.thresholds = {{.parameter = "threshold", .removes = Removes::kFrom, .value = threshold, .is_single = true}};
    return rule;
  }

  std::string list;
  float threshold = 3;
  std::string kind = "uniq";

 private:
  double Score(double occurrences) const {
    if (kind == "sqrt") return std::sqrt(occurrences);
    return kind == "log10" ? 1 + std::log10(occurrences) : 1;
  }
  std::shared_ptr<const WordList> words_;
};

}  // namespace

FilterDeclaration DeclareWordTypes() {
  return Declare<WordTypes>("WordTypes", "documents", "Removes documents in which too many words of a list occur.")
      .Metric("WordTypes", "score of the words that occur: 1 (uniq), sqrt(n) or 1 + log10(n) each")
      .File("list", &WordTypes::list, "file with one word per line, or hojichar/FILE")
      .Float("threshold", &WordTypes::threshold, 0, 1e12, "documents with this score or more are removed")
      .Text("kind", &WordTypes::kind, "score of a word that occurs n times", {"uniq", "sqrt", "log10"})
      .Done();
}

}  // namespace uzushio
