#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "contamination/benchmark_items.h"
#include "contamination/document_search.h"
#include "filters/list.h"

namespace uzushio {
namespace {

class Contamination final : public MetricFilter {
 public:
  arrow::Status Prepare() {
    ARROW_ASSIGN_OR_RAISE(items_, BenchmarkItems::Load(against, {question, choices, answer, ""},
                                                       {width, upper_case, kana, spaces, punctuation}));
    const ItemIndex& index = items_->index();
    if (static_cast<int64_t>(index.size()) > index.common_items()) return arrow::Status::OK();
    return arrow::Status::Invalid("against: no item can be found; of ", Counted());
  }
  double Measure(const FilterDocument& document, FilterScratch* /*scratch*/) const override {
    // Its buffers are kept from document to document; those of all filters of a thread are the same.
    static thread_local DocumentSearch search;
    const auto match = Search(document, false, &search);
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
  // The item, how much of it there is, and the longest run of it.
  std::string Detail(size_t /*reason*/, const FilterDocument& document) const override {
    constexpr size_t kMostShown = 40;  // characters
    DocumentSearch search;
    const auto match = Search(document, true, &search);
    if (!match) return {};
    const DocumentSearch::Span span = search.LongestRun(*match);
    const std::string& text = search.text();
    std::string shown;
    size_t at = span.begin;
    for (size_t characters = 0; at < span.end && characters < kMostShown; ++characters) {
      const size_t bytes = Utf8Length(text[at]);
      if (text[at] != '\n') shown += text.substr(at, bytes);
      if (text[at] == '\n' && !shown.ends_with(' ')) shown += ' ';
      at += bytes;
    }
    return fmt::format("{} of {} pieces of item {}, {} characters in a row: {}{}", match->covered, match->pieces,
                       items_->NameOf(match->item), span.codes, shown, at < span.end ? "…" : "");
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
  double high = 0.5;

 private:
  std::optional<ItemMatch> Search(const FilterDocument& document, bool with_places, DocumentSearch* search) const {
    search->Begin(items_.get(), with_places);
    document.ForEachAlive([search](const FilterParagraph& paragraph) { search->Add(paragraph.plain); });
    return search->Find();
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
              "share of an item's pieces (five characters) that the document has in one place; of the item of which it "
              "has most")
      .Files("against", &Contamination::against, "files or folders of benchmarks: Parquet, or JSON Lines")
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
