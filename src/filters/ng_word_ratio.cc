#include <filesystem>

#include "base/utf8.h"
#include "filters/list.h"
#include "filters/quoted.h"
#include "filters/word_list.h"
#include "quality/japanese_letters.h"

namespace uzushio {
namespace {

class NgWordRatio final : public MetricFilter {
 public:
  arrow::Status Prepare() {
    ARROW_ASSIGN_OR_RAISE(words_, WordList::LoadAll(list));
    return arrow::Status::OK();
  }
  double Measure(const FilterDocument& document, FilterScratch* scratch) const override {
    int64_t inside = 0;
    int64_t letters = 0;
    document.ForEachAlive([&](const FilterParagraph& paragraph) {
      words_->Find(paragraph.plain, &scratch->numbers);
      for (const uint32_t word : scratch->numbers) inside += words_->Letters(word);
      scratch->points.clear();
      DecodeUtf8(paragraph.plain, &scratch->points);
      letters += CountJapaneseLetters(scratch->points).all();
    });
    return Ratio(static_cast<double>(inside), static_cast<double>(letters));
  }
  // Of several lists as JSON, which no name of one list is.
  std::string Contents() const override { return words_->Contents(); }
  std::string MetricKey() const override { return list.size() == 1 ? list[0] : Quoted(list); }
  std::vector<std::string> Reasons() const override {
    std::string names;
    for (const std::string& name : list) names += std::filesystem::path(name).filename().string() + ",";
    return {"NgWordRatio(" + names + JavaNumber(limit) + ")"};
  }
  std::optional<size_t> Decide(double metric, const FilterDocument& /*document*/) const override {
    if (metric < limit) return std::nullopt;
    return 0;
  }
  RemovalRule Rule() const override {
    RemovalRule rule;
    rule.thresholds = {{.parameter = "limit", .removes = Removes::kFrom, .value = limit}};
    return rule;
  }

  std::vector<std::string> list;
  double limit = 0.05;

 private:
  std::shared_ptr<const WordList> words_;
};

}  // namespace

FilterDeclaration DeclareNgWordRatio() {
  return Declare<NgWordRatio>("NgWordRatio", "documents",
                              "Removes documents with too large a share of words of a list (Swallow's NG expressions).")
      .Metric("NgWordRatio", "letters in words of the list (longest match at each position) / Japanese letters")
      .Files("list", &NgWordRatio::list, "files with one word per line, or hojichar/FILE")
      .Float("limit", &NgWordRatio::limit, 1e-9, 1e6, "documents with this ratio or more are removed")
      .Done();
}

}  // namespace uzushio
