#include "filters/chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <numeric>
#include <random>

#include "base/test_support.h"
#include "filters/list.h"

namespace uzushio {
namespace {

using Json = nlohmann::json;

std::unique_ptr<FilterChain> Make(const Json& filters) { return FilterChain::Make(filters).ValueOrDie(); }

std::string ErrorOf(const Json& filters) {
  const auto chain = FilterChain::Make(filters);
  return chain.ok() ? "" : chain.status().message();
}

std::optional<size_t> Decision(const FilterChain& chain, double metric, const FilterDocument& document) {
  return chain.steps()[0].filter->DecideAll({&metric, 1}, document);
}

struct Told {
  std::vector<std::string> reasons;
  std::vector<std::string> bounds;
  bool changes = false;
  bool operator==(const Told&) const = default;
};

void PrintTo(const Told& told, std::ostream* out) {
  for (const std::string& reason : told.reasons) *out << reason << "; ";
  for (const std::string& bound : told.bounds) *out << bound << "; ";
  *out << (told.changes ? "changes" : "");
}

Told Tell(const Json& filter) {
  const auto chain = Make(Json::array({filter}));
  const FilterChain::Step& step = chain->steps()[0];
  Told told{step.reasons, {}, step.filter->changes_paragraphs()};
  for (size_t i = 0; i < step.reasons.size(); ++i) told.bounds.push_back(step.filter->Bound(i));
  return told;
}

// A name is a column, or the only one that begins so.
TEST(FilterChain, FindsColumns) {
  const auto chain = Make(Json::array({{{"class", "DocLength"}},
                                       {{"class", "HiraganaRatio"}},
                                       {{"class", "LargeFreqParagraphs"}, {"count", 2}, {"freq", 3}},
                                       {{"class", "HiraganaRatio"}},
                                       {{"class", "LargeFreqParagraphs"}, {"count", 5}, {"freq", 3}}}));
  const auto error = [&chain](const std::string& name) { return chain->FindColumn(name).status().message(); };
  for (size_t i = 0; i < chain->columns().size(); ++i) EXPECT_EQ(*chain->FindColumn(chain->columns()[i]), i);
  EXPECT_EQ(*chain->FindColumn("DocLength"), 0U);
  EXPECT_EQ(*chain->FindColumn("HiraganaRatio"), 1U);
  EXPECT_THAT(error("LargeFreqParagraphs"), testing::HasSubstr("there are several such metrics; give one of Large"));
  EXPECT_THAT(error("DocLenght"), testing::HasSubstr("; did you mean DocLength?"));
  EXPECT_FALSE(Make(Json::array({{{"class", "LargeFreqParagraphs"}, {"count", 2}, {"freq", 3}}}))
                   ->FindColumn("LargeFreqParagraph")
                   .ok());
}

// What readers are told: names of folders, and what metrics were held against.
TEST(FilterChain, ReasonsAndBoundsOfEachFilter) {
  const auto is = [](const char* name, Json parameters, const Told& told) {
    parameters["class"] = name;
    EXPECT_EQ(Tell(parameters), told) << name;
  };
  is("AdjacentDuplicateParagraphs", {}, {{"AdjacentDuplicateParagraphs"}, {""}, true});
  is("CompressionRate", {{"low", 0.25}, {"high", 5}},
     {{"CompressionRate.Low(0.25)", "CompressionRate.High(5.0)"}, {"< 0.25", "> 5.0"}});
  is("DeduplicateDocuments", {{"baseNumFreq", 9}},
     {{"DeduplicateDocuments(9)"}, {">= a threshold by the id, around 0.3"}});
  is("DeduplicateDocumentsPercentile", {{"expected", 2}}, {{"DedupDocsPercentile(0.05,2.0)"}, {"random > 2.0 / it"}});
  is("DocLength", {{"low", 5}, {"high", 9}}, {{"DocLength.Low(5)", "DocLength.High(9)"}, {"< 5", "> 9"}});
  is("DuplicateDocumentsLengthWeighted", {{"expected", 1e7}},
     {{"DuplicateDocumentsLengthWeighted(1.0E7)"}, {"random > 1.0E7 / it"}});
  is("DuplicateParagraphs", {{"limit", 3}}, {{"DuplicateParagraphs(3)"}, {"nearFreq >= 3"}, true});
  is("HiraganaRatio", {{"low", 0.1}}, {{"HiraganaRatio.Low(0.1)", "HiraganaRatio.High(1.0)"}, {"< 0.1", "> 1.0"}});
  is("LargeFreqParagraphs", {{"count", 2}}, {{"LargeFreqParagraphs(2,100)"}, {"nearFreq >= 100, 2 in a row"}, true});
  is("LinkCharRatio", {{"high", 0.8}}, {{"LinkCharRatio.Low(0.0)", "LinkCharRatio.High(0.8)"}, {"< 0.0", "> 0.8"}});
  is("Markdown", {}, {{}, {}, true});
  is("MarkdownizeHeading", {}, {{}, {}, true});
  is("MergeListTag", {}, {{}, {}, true});
  is("NoContentDOM", {}, {{"Nav"}, {"the path is of navigation"}, true});
}

class FilterChainFiles : public FolderTest {};

TEST_F(FilterChainFiles, ReasonsAndBoundsOfFiltersWithWords) {
  const std::string list = root_ / "words.txt";
  std::ofstream(list) << "だめ\n";
  EXPECT_EQ(Tell({{"class", "WordTypes"}, {"list", list}, {"kind", "sqrt"}}),
            (Told{{"WordTypes(" + list + ",3.0,sqrt)"}, {">= 3.0"}}));
  EXPECT_EQ(Tell({{"class", "WordInstances"}, {"list", list}, {"full", 2}}),
            (Told{{"WordInstances(" + list + ",3.0,2.0,0.1)"}, {">= 3.0"}}));
  // A thousandth is missing at most.
  const auto chain = Make({{{"class", "WordInstances"}, {"list", list}, {"threshold", 1}}});
  EXPECT_EQ(Decision(*chain, 0.999, FilterDocument()), 0U);
  EXPECT_EQ(Decision(*chain, 0.9989, FilterDocument()), std::nullopt);
}

TEST(FilterChain, ColumnsAreMetricsThatDiffer) {
  const auto chain = Make({{{"class", "HiraganaRatio"}, {"low", 0.1}},
                           {{"class", "DeduplicateDocuments"}},
                           {{"class", "DeduplicateDocuments"}, {"baseNumFreq", 100}},
                           {{"class", "HiraganaRatio"}, {"low", 0.2}},
                           {{"class", "DuplicateParagraphs"}},
                           {{"class", "HiraganaRatio"}, {"low", 0.3}},
                           {{"class", "MergeListTag"}},
                           {{"class", "HiraganaRatio"}}});
  EXPECT_EQ(chain->columns(),
            (std::vector<std::string>{"HiraganaRatio", "DeduplicateDocuments(10)", "DeduplicateDocuments(100)",
                                      "DuplicateParagraphs(2)", "HiraganaRatio#2", "MergeListTag", "HiraganaRatio#3"}));
  std::vector<size_t> places;
  for (const FilterChain::Step& step : chain->steps()) places.push_back(step.column);
  EXPECT_EQ(places, (std::vector<size_t>{0, 1, 2, 0, 3, 4, 5, 6}));
  EXPECT_EQ(chain->column_identity(1), (Json{{"metric", "DeduplicateDocuments(10)"}, {"after", Json::array()}}));
  EXPECT_EQ(chain->column_identity(4),
            (Json{{"metric", "HiraganaRatio"}, {"after", {{{"class", "DuplicateParagraphs"}, {"limit", 2}}}}}));
  EXPECT_EQ(chain->column_identity(6)["after"].size(), 2U);
}

// The text as JSON gives the same chain.
TEST(FilterChain, JsonHasAllParameters) {
  const auto chain = Make({{{"class", "com.worksap.nlp.uzushio.lib.filters.DocLength"}, {"low", "7"}},
                           {{"class", "AdjacentDuplicateParagraphs"}},
                           {{"class", "CompressionRate"}}});
  const Json json = chain->ToJson();
  EXPECT_EQ(json, (Json{{{"class", "DocLength"}, {"low", 7}, {"high", INT32_MAX}},
                        {{"class", "AdjacentDuplicateParagraphs"}},
                        {{"class", "CompressionRate"}, {"low", 0.0}, {"high", 1.0}}}));
  EXPECT_EQ(Make(json)->ToJson(), json);
  const auto high = [](const Json& value) {
    return Make({{{"class", "DocLength"}, {"high", value}}})->ToJson()[0]["high"];
  };
  EXPECT_EQ(high(int64_t{1} << 62 | 1), int64_t{1} << 62 | 1);  // more digits than a floating-point number has
  EXPECT_EQ(high(9.3e18 - 1e17), int64_t{9200000000000000000});
  EXPECT_EQ(high(INT64_MAX), INT64_MAX);
  EXPECT_EQ(high(uint64_t{1} << 63), INT64_MAX);
  EXPECT_EQ(high("9223372036854775808"), INT64_MAX);
}

// A metric is computed once as long as no paragraph changed, and not at all where it is known; what was removed before
// does not count.
TEST(FilterChain, AppliesInOrderAndStopsAtARemoval) {
  const auto chain = Make({{{"class", "DocLength"}, {"low", 2}},
                           {{"class", "DuplicateParagraphs"}, {"limit", 5}},
                           {{"class", "DocLength"}, {"low", 3}},
                           {{"class", "DuplicateParagraphs"}, {"limit", 2}}});
  FilterScratch scratch;
  FilterDocument document;
  const auto apply = [&](std::vector<double>* seconds, const std::vector<double>* known) {
    document.Parse("id", "あい\n\nうえお\n\nか");
    document.paragraphs()[1].near_freq = 7;
    document.paragraphs()[2].near_freq = 2;
    return chain->Apply(&document, &scratch, seconds == nullptr ? nullptr : seconds->data(),
                        known == nullptr ? nullptr : known->data());
  };
  ASSERT_EQ(chain->columns().size(), 4U);
  const ChainOutcome kept = apply(nullptr, nullptr);
  EXPECT_EQ(kept.removed_by, kAlive);
  EXPECT_EQ(kept.reason, 0U);
  EXPECT_EQ(kept.metric, 0);
  EXPECT_EQ(document.paragraphs()[0].removed_by, kAlive);
  EXPECT_EQ(document.paragraphs()[1].removed_by, 1);
  EXPECT_EQ(document.paragraphs()[1].metric, 7);
  EXPECT_EQ(document.paragraphs()[2].removed_by, 3);
  std::vector<double> seconds(4, 100);
  const double unknown = std::nan("");
  const std::vector<double> known = {unknown, unknown, 2, unknown};
  const ChainOutcome removed = apply(&seconds, &known);
  EXPECT_EQ(removed.removed_by, 2);
  EXPECT_EQ(removed.reason, 0U);
  EXPECT_EQ(removed.metric, 2);
  EXPECT_EQ(document.paragraphs()[2].removed_by, kAlive);
  EXPECT_GT(seconds[0], 100);
  EXPECT_LT(seconds[0], 101);
  EXPECT_GT(seconds[1], 100);
  EXPECT_LT(seconds[2], 101);
  EXPECT_EQ(seconds[3], 100);
  document.Parse("id", "あい\n\nうえお\n\nか");
  document.paragraphs()[1].near_freq = 7;
  std::vector<double> metrics(4, -1);
  chain->Measure(&document, &scratch, metrics.data());
  EXPECT_EQ(metrics, (std::vector<double>{6, 0.5, 3, 0}));
  EXPECT_EQ(document.paragraphs()[1].removed_by, 1);
}

// The seconds of the filters are not more than have passed.
TEST(FilterChain, TimesEachFilterByItself) {
  const auto chain = Make({{{"class", "DocLength"}},
                           {{"class", "HiraganaRatio"}},
                           {{"class", "LinkCharRatio"}},
                           {{"class", "DuplicateParagraphs"}},
                           {{"class", "DocLength"}},
                           {{"class", "HiraganaRatio"}}});
  FilterScratch scratch;
  FilterDocument document;
  const std::string text = Repeat("あ", 1'000'000);
  document.Parse("id", text);
  std::vector<double> seconds(6);
  const auto start = std::chrono::steady_clock::now();
  chain->Apply(&document, &scratch, seconds.data());
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  EXPECT_LE(std::accumulate(seconds.begin(), seconds.end(), 0.0), passed.count() * 1.001);
}

// Of the first MiB, without a character that is cut, and nothing behind it.
TEST(FilterChain, CompressionRateLooksAtAMebibyte) {
  const auto chain = Make({{{"class", "CompressionRate"}}});
  const auto measure = [&chain](const std::string& text) {
    FilterScratch scratch;
    FilterDocument document;
    document.Parse("id", text);
    double metric = 0;
    chain->Measure(&document, &scratch, &metric);
    return metric;
  };
  std::mt19937_64 random(1);
  std::string most;
  while (most.size() < (size_t{1} << 20) - 1) most += {'\xE3', '\x81', static_cast<char>(0x81 + random() % 63)};
  ASSERT_EQ(most.size(), (size_t{1} << 20) - 1);
  EXPECT_EQ(measure(most + "ああ"), measure(most));
  EXPECT_EQ(measure(most + "\n\nあ\n\na"), measure(most));
  EXPECT_EQ(measure(most + "\n\na\n\na"), measure(most + "a"));
  EXPECT_EQ(measure(most + "aa"), measure(most + "a"));
  EXPECT_NE(measure(most + "a"), measure(most));
  EXPECT_EQ(measure(""), 0);
}

// Each is a column, once; a reason's metric is the one that it looks at; all are computed where one is not known.
TEST(FilterChain, AFilterMayHaveSeveralMetrics) {
  const auto chain = Make({{{"class", "DocLength"}},
                           {{"class", "SwallowQuality"}, {"min_num_letters", 0}},
                           {{"class", "SwallowQuality"}, {"min_num_letters", 1}}});
  ASSERT_EQ(chain->columns().size(), 31U);
  EXPECT_EQ(chain->columns()[1], "num_letters");
  EXPECT_EQ(chain->columns()[30], "duplicate_10gram_character_fraction");
  EXPECT_EQ(chain->column_identity(8), (Json{{"metric", "hiragana_fraction"}, {"after", Json::array()}}));
  EXPECT_EQ(chain->steps()[1].column, 1U);
  EXPECT_EQ(chain->steps()[2].column, 1U);
  FilterScratch scratch;
  FilterDocument document;
  document.Parse("id", "アイウ");
  std::vector<double> known(31, std::nan(""));
  known[8] = 7;  // of hiragana
  const ChainOutcome outcome = chain->Apply(&document, &scratch, nullptr, known.data());
  EXPECT_EQ(outcome.removed_by, 1);
  EXPECT_EQ(chain->steps()[1].reasons[outcome.reason], "SwallowQuality(top_2gram_character_fraction).High(0.2)");
  EXPECT_EQ(outcome.metric, 0.5);
  std::fill(known.begin(), known.end(), 0.0);
  EXPECT_EQ(chain->Apply(&document, &scratch, nullptr, known.data()).reason, 14U);  // hiragana
}

// Metrics that are bounds, and one step from them.
TEST(FilterChain, DecidesAtItsBounds) {
  const auto decide = [](const Json& filter, double metric, const char* doc_id = "a") {
    FilterDocument document;
    document.Parse(doc_id, "文");
    return Decision(*Make(Json::array({filter})), metric, document);
  };
  FilterDocument document;
  document.Parse("a", "文");
  const double threshold = 0.3 + 0.1 * document.Gaussian();
  const Json deduplicate = {{"class", "DeduplicateDocuments"}};
  EXPECT_EQ(decide(deduplicate, threshold), 0U);
  EXPECT_EQ(decide(deduplicate, std::nextafter(threshold, 0)), std::nullopt);
  // The threshold of this id is below zero: what has no duplicates stays all the same.
  EXPECT_EQ(decide(deduplicate, 0, "345"), std::nullopt);
  EXPECT_EQ(decide(deduplicate, 1e-9, "345"), 0U);
  const Json percentile = {{"class", "DeduplicateDocumentsPercentile"}};
  EXPECT_EQ(decide(percentile, 1 / DocumentRandom("a")), std::nullopt);
  EXPECT_EQ(decide(percentile, 1.001 / DocumentRandom("a")), 0U);
}

TEST(FilterChain, ErrorsNameTheKey) {
  EXPECT_EQ(ErrorOf(Json::object()), "filters: is no list");
  EXPECT_EQ(ErrorOf({1}), "filters[0]: needs a `class`");
  EXPECT_EQ(ErrorOf({{{"class", 5}}}), "filters[0]: needs a `class`");
  EXPECT_EQ(ErrorOf({{{"class", "DocLength"}}, {{"class", "Doclength"}}}),
            "filters[1].class: there is no filter 'Doclength'; did you mean DocLength?");
  EXPECT_EQ(ErrorOf({{{"class", "Nothing"}}}), "filters[0].class: there is no filter 'Nothing'");
  EXPECT_EQ(ErrorOf({{{"class", "DocLength"}, {"lwo", 5}}}),
            "filters[0].lwo: no such parameter of DocLength; did you mean low?");
  EXPECT_EQ(ErrorOf({{{"class", "DocLength"}, {"least", 5}}}), "filters[0].least: no such parameter of DocLength");
  EXPECT_EQ(ErrorOf({{{"class", "DocLength"}, {"low", "5x"}}}),
            "filters[0].low: \"5x\" is no number, or none that is finite");
  EXPECT_EQ(ErrorOf({{{"class", "DocLength"}, {"low", ""}}}),
            "filters[0].low: \"\" is no number, or none that is finite");
  EXPECT_EQ(ErrorOf({{{"class", "DocLength"}, {"low", 0.5}}}), "filters[0].low: 0.5 is no whole number");
  EXPECT_EQ(ErrorOf({{{"class", "DocLength"}, {"low", 2}, {"high", 1}}}),
            "filters[0].low: 2 is above `high`, 1: DocLength would remove every document; give a lower `low` or a "
            "higher `high`");
  EXPECT_EQ(ErrorOf({{{"class", "DocLength"}, {"low", 2}, {"high", 2}}}), "");
  EXPECT_EQ(ErrorOf({{{"class", "HiraganaRatio"}, {"low", 1.01}}}),
            "filters[0].low: 1.01 is not between 0.0 and 1.0; it is a share: 30 % are 0.3");
  EXPECT_EQ(ErrorOf({{{"class", "HiraganaRatio"}, {"low", 1}, {"high", 100}}}), "");
  EXPECT_EQ(ErrorOf({{{"class", "WordTypes"}}}),
            "filters[0].list: missing, and WordTypes needs it: file with one word per line, or hojichar/FILE");
  EXPECT_EQ(ErrorOf({{{"class", "HiraganaRatio"}, {"high", 101}}}),
            "filters[0].high: 101 is not between 0.0 and 100.0");
  EXPECT_EQ(ErrorOf({{{"class", "DocLength"}, {"low", -1}}}),
            "filters[0].low: -1 is not between 0.0 and 9.223372036854776E18");
  EXPECT_EQ(ErrorOf({{{"class", "WordTypes"}, {"list", true}}}), "filters[0].list: true is no text");
  EXPECT_EQ(ErrorOf({{{"class", "WordTypes"}, {"list", 7.5}}}), "filters[0] (WordTypes): there is no word list '7.5'");
  EXPECT_EQ(ErrorOf({{{"class", "WordTypes"}, {"list", "x"}, {"kind", "log"}}}),
            "filters[0].kind: \"log\" is none of uniq, sqrt, log10; did you mean log10?");
}

TEST_F(FilterChainFiles, ErrorsNameTheLine) {
  const std::string path = root_ / "chain.conf";
  const auto error = [&path](const std::string& text, const std::map<std::string, std::string>& properties = {}) {
    std::ofstream(path, std::ios::trunc) << text;
    const auto chain = FilterChain::Read(path, properties);
    const std::string message = chain.ok() ? "" : chain.status().message();
    return message.starts_with(path) ? message.substr(path.size()) : message;
  };
  EXPECT_EQ(error("filters: [{class: DocLength, low: ${x}, high: 9}]", {{"x", "9"}}), "");
  // Comments, texts and other keys are no filters; the second is at fault.
  EXPECT_EQ(error("# class: a\n// class: b\nsubclass: \"class: c\"\nx: \"\\\"class\"\nfilters: [{class: DocLength},\n"
                  "{\n\"class\" = \"No\"}]"),
            ":7: filters[1].class: there is no filter 'No'");
  EXPECT_EQ(error("filters: [{low: 1\nclass\t: No}] # class\n"), ":2: filters[0].class: there is no filter 'No'");
  EXPECT_EQ(error("class: x\nfilters: [{class: No}]"), ": filters[0].class: there is no filter 'No'");
  const std::string unknown = ": filters[0].class: there is no filter 'No'";
  EXPECT_EQ(error("x: \"\"\"a\nclass: b\n\"\"\"\nfilters: [{class=No}]"), ":4" + unknown);
  EXPECT_EQ(error("x: a/b, y: \"class\", \"z\\\\\": 1\nfilters: [{\"class\" \t : No}]# \""), ":2" + unknown);
  EXPECT_EQ(error("class1: 1, 2class: 2, classes: 3\nfilters: [\n{class:No}] // class:"), ":3" + unknown);
  EXPECT_EQ(error("filters: [{class {a: 1}}]\nx:{class: 1}"), ":2: filters[0]: needs a `class`");
  EXPECT_EQ(error("x: class\nfilters: [\n\n{class: No}] #"), ":4" + unknown);
  EXPECT_EQ(error("filters: {}"), ": has no list `filters`");
  EXPECT_TRUE(error("a: ${x}, filters: [${y}]", {{"x", "9"}})
                  .ends_with("; give it by -P name=value or in the environment; given are: x"));
  EXPECT_EQ(error("filters: [${?size}]", {{"sise", "9"}}), "-P sise: " + path + " has no ${sise}; did you mean size?");
  EXPECT_EQ(error("filters: [${size\n}]", {{"sise", "9"}}), "-P sise: " + path + " has no ${sise}");
  EXPECT_EQ(FilterChain::Read(root_ / "none.conf", {}).status().message(),
            "--config " + (root_ / "none.conf").string() + ": no such file");
}

}  // namespace
}  // namespace uzushio
