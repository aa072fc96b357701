#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "contamination/benchmark_items.h"
#include "filters/list.h"

namespace uzushio {
namespace {

class Contamination final : public MetricFilter {
 public:
  arrow::Status Prepare() {
    ARROW_ASSIGN_OR_RAISE(items_, BenchmarkItems::Load(against, {question, choices, answer},
                                                       {width, upper_case, kana, spaces, punctuation}));
    const ItemIndex& index = items_->index();
    if (static_cast<int64_t>(index.size()) > index.common_items()) return arrow::Status::OK();
    return arrow::Status::Invalid("against: no item can be found; of ", Counted());
  }
  double Measure(const FilterDocument& document, FilterScratch* scratch) const override {
    std::string& codes = scratch->text;
    codes.clear();
    document.ForEachAlive([&](const FilterParagraph& paragraph) {
      if (!spaces && !codes.empty()) items_->folding().Append("\n", &codes);
      items_->folding().Append(paragraph.plain, &codes);
    });
    const auto match = Find(&codes);
    return match ? match->share : 0;
  }
  std::string MetricKey() const override {
    const Contamination standard;  // what is given only, so that names of columns are short
    nlohmann::json key = {{"against", against}};
    if (question != standard.question) key["question"] = question;
    if (choices != standard.choices) key["choices"] = choices;
    if (answer != standard.answer) key["answer"] = answer;
    if (!width) key["width"] = false;
    if (!upper_case) key["case"] = false;
    if (!kana) key["kana"] = false;
    if (!spaces) key["spaces"] = false;
    if (!punctuation) key["punctuation"] = false;
    if (key.size() == 1 && against.size() == 1) return against[0];
    return key.dump();
  }
  // With numbers of items, for readers of the output's mark.
  std::string Contents() const override { return fmt::format("{}; {:016x}", Counted(), items_->index().checksum()); }
  FixedMemory memory() const override { return {items_->index().bytes(), 0}; }
  std::vector<std::string> Reasons() const override { return {"Contamination.High(" + JavaNumber(high) + ")"}; }
  std::optional<size_t> Decide(double metric, const FilterDocument& /*document*/) const override {
    if (!(metric > high)) return std::nullopt;
    return 0;
  }
  RemovalRule Rule() const override {
    RemovalRule rule;
    rule.thresholds = {{.parameter = "high", .removes = Removes::kAbove, .value = high}};
    return rule;
  }
  // The item, how much of it there is, and where the longest run of it begins.
  std::string Detail(size_t /*reason*/, const FilterDocument& document) const override {
    constexpr size_t kMostShown = 40;  // characters
    std::string text;
    document.JoinAlive(&text);
    std::string codes;
    std::vector<uint32_t> places;
    items_->folding().Append(text, &codes, &places);
    const auto match = Find(&codes);
    if (!match) return {};
    const size_t first = places[match->begin];
    const size_t last = places[std::min<size_t>(match->begin + match->longest, places.size()) - 1];
    std::string shown;
    size_t characters = 0;
    size_t at = first;
    for (; at <= last && characters < kMostShown; ++characters) {
      const size_t bytes = Utf8Length(text[at]);
      shown += text[at] == '\n' ? std::string(" ") : text.substr(at, bytes);
      at += bytes;
    }
    return fmt::format("{}: {:.4g} of {} characters, {} in a row: {}{}", items_->NameOf(match->item), match->share,
                       match->codes, match->longest, shown, at <= last ? "…" : "");
  }

  std::vector<std::string> against;
  std::string question = "question";
  std::vector<std::string> choices = {"choices"};
  std::string answer = "answer";
  bool width = true;
  bool upper_case = true;
  bool kana = true;
  bool spaces = true;
  bool punctuation = true;
  double high = 0.6;

 private:
  std::optional<ItemMatch> Find(std::string* codes) const {
    const size_t size = codes->size();
    codes->append(ItemIndex::kSlack, '\0');
    ItemSearch search;
    return items_->index().Find(std::string_view(*codes).substr(0, size), &search);
  }
  std::string Counted() const {
    const ItemIndex& index = items_->index();
    return fmt::format("{} items, {} are too short, {} are boilerplate, {} are repeated",
                       static_cast<int64_t>(index.size()) + index.short_items() + index.repeated_items(),
                       index.short_items(), index.common_items(), index.repeated_items());
  }

  std::shared_ptr<const BenchmarkItems> items_;
};

}  // namespace

FilterDeclaration DeclareContamination() {
  return Declare<Contamination>("Contamination", "documents",
                                "Removes documents that contain items of benchmarks, word for word or with small "
                                "changes.")
      .Metric("Contamination",
              "share of an item's characters that the document has in one place; of the item of which it has most")
      .Texts("against", &Contamination::against, "files or folders of benchmarks: Parquet, or JSON Lines")
      .Text("question", &Contamination::question, "column of questions, or of any texts")
      .OptionalTexts("choices", &Contamination::choices,
                     "columns of choices: texts, or arrays of them; those that a file does not have are ignored")
      .OptionalText("answer", &Contamination::answer,
                    "column of answers: a text, the letter or label of a choice, or its number from 0")
      .Flag("width", &Contamination::width, "full-width and half-width forms are the same (NFKC), and accents ignored")
      .Flag("case", &Contamination::upper_case, "upper and lower case are the same")
      .Flag("kana", &Contamination::kana, "hiragana and katakana are the same")
      .Flag("spaces", &Contamination::spaces, "white space is ignored")
      .Flag("punctuation", &Contamination::punctuation, "punctuation and symbols are ignored")
      .Float("high", &Contamination::high, 0, 1, "documents above are removed")
      .Done();
}

}  // namespace uzushio
