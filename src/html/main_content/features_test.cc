#include "html/main_content/features.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/test_support.h"
#include "html/main_content/hash.h"
#include "html/main_content/test_page.h"

namespace uzushio {
namespace {

const size_t kFirst = PageFeatures::Names().size();
const size_t kAll = kFirst + PageFeatures::ContextNames().size();

// Any, the same for the same paragraph.
std::vector<float> SomeLogOdds(size_t n) {
  std::vector<float> log_odds(n);
  for (size_t i = 0; i < n; ++i) log_odds[i] = static_cast<float>(i * 7919 % 97) / 10 - 5;
  return log_odds;
}

// All features of a page by paragraph, computed by so many paragraphs at a time.
std::vector<std::vector<float>> Rows(TestPage* page, PageFeatures* features, size_t part,
                                     const TokenScores& tokens = {}) {
  const size_t n = page->outline.paragraphs.size();
  features->Measure(page->view(), tokens);
  std::vector<std::vector<float>> rows(n, std::vector<float>(kAll));
  for (const bool context : {false, true}) {
    if (context) features->MeasureContext(SomeLogOdds(n));
    for (size_t first = 0; first < n; first += part) {
      const size_t count = std::min(part, n - first);
      if (context) {
        features->ComputeContext(first, count);
      } else {
        features->Compute(first, count);
      }
      for (size_t i = 0; i < count; ++i) {
        for (size_t f = context ? kFirst : 0; f < (context ? kAll : kFirst); ++f) {
          rows[first + i][f] = features->columns()[f * features->stride() + i];
        }
      }
    }
  }
  return rows;
}

// The first pass' features of a page by name.
class Named {
 public:
  explicit Named(const std::string& html, const TokenScores& tokens = {}) : page_(html) {
    PageFeatures features;
    rows_ = Rows(&page_, &features, PageFeatures::kMostRows, tokens);
    for (size_t f = 0; f < kFirst; ++f) columns_[PageFeatures::Names()[f]] = f;
    for (size_t f = kFirst; f < kAll; ++f) columns_[PageFeatures::ContextNames()[f - kFirst]] = f;
  }
  std::vector<float> operator[](std::string_view name) const {
    std::vector<float> values;
    for (const std::vector<float>& row : rows_) values.push_back(row[columns_.at(name)]);
    return values;
  }

 private:
  TestPage page_;
  std::vector<std::vector<float>> rows_;
  std::map<std::string_view, size_t> columns_;
};

using Numbers = std::vector<float>;
const std::string kProse = "These are enough words in a row to make a sentence of prose.";

std::string AnyPage() {
  const auto piece = rc::gen::elementOf(std::vector<std::string>{"<div>",
                                                                 "<div class=content>",
                                                                 "</div>",
                                                                 "<p>",
                                                                 "<p class=b>",
                                                                 "</p>",
                                                                 "<li>",
                                                                 "<h1>",
                                                                 "<h2>",
                                                                 "</h1>",
                                                                 "</h2>",
                                                                 "<b>",
                                                                 "</b>",
                                                                 "<nav>",
                                                                 "</nav>",
                                                                 "<table><td>",
                                                                 "</table>",
                                                                 "text ",
                                                                 "。",
                                                                 "・",
                                                                 "<a href=x>link</a>",
                                                                 "<hr>",
                                                                 "<img>",
                                                                 "<input>",
                                                                 "$5",
                                                                 kProse,
                                                                 "©",
                                                                 "<title>text of a title</title>",
                                                                 "text of a title"});
  std::string html;
  for (const std::string& part : *rc::gen::container<std::vector<std::string>>(piece)) html += part;
  return html;
}

TEST(Probability, IsThatOfLogOdds) {
  for (int quarters = -80; quarters <= 80; ++quarters) {
    const double x = quarters / 4.0;
    EXPECT_NEAR(Probability(x), 1 / (1 + std::exp(-x)), 0.001) << x;
  }
  EXPECT_EQ(Probability(0), 0.5);
  for (const double x : {-1e30, -31.0, -30.0}) EXPECT_EQ(Probability(x), Probability(-30));
  for (const double x : {1e30, 31.0}) EXPECT_EQ(Probability(x), Probability(30));
  EXPECT_GT(Probability(-1e30), 0);
  EXPECT_LE(Probability(1e30), 1);
  for (int x = -3100; x < 3100; ++x) EXPECT_LE(Probability(x / 100.0), Probability((x + 1) / 100.0));
}

TEST(PageFeatures, HaveNames) {
  std::set<std::string_view> names(PageFeatures::Names().begin(), PageFeatures::Names().end());
  names.insert(PageFeatures::ContextNames().begin(), PageFeatures::ContextNames().end());
  EXPECT_EQ(names.size(), kAll);
  EXPECT_FALSE(names.contains(""));
  EXPECT_LE(kAll, 256U);  // trees name them by a byte
}

// Each column of a pass is written for each of the rows asked for, no other one is, and none is no number.
TEST(PageFeatures, EachNameHasItsColumn) {
  EXPECT_TRUE(rc::check([] {
    TestPage page(AnyPage());
    const size_t n = page.outline.paragraphs.size();
    PageFeatures features;
    features.Measure(page.view(), {});
    if (n == 0) return;
    constexpr float kUntouched = -12345.5F;
    auto* columns = const_cast<float*>(features.columns());
    const size_t count = std::min(n, PageFeatures::kMostRows);
    for (const bool context : {false, true}) {
      if (context) features.MeasureContext(SomeLogOdds(n));
      std::fill(columns, columns + kAll * features.stride(), kUntouched);
      if (context) {
        features.ComputeContext(0, count);
      } else {
        features.Compute(0, count);
      }
      for (size_t f = 0; f < kAll; ++f) {
        for (size_t i = 0; i < features.stride(); ++i) {
          const float value = columns[f * features.stride() + i];
          RC_ASSERT((value != kUntouched) == (i < count && (f >= kFirst) == context));
          RC_ASSERT(std::isfinite(value));
        }
      }
    }
  }));
}

TEST(PageFeatures, PartsGiveTheSameAsAWhole) {
  EXPECT_TRUE(rc::check([] {
    TestPage page(AnyPage());
    PageFeatures features;
    const auto whole = Rows(&page, &features, PageFeatures::kMostRows);
    RC_ASSERT(Rows(&page, &features, *rc::gen::inRange<size_t>(1, 20)) == whole);
  }));
}

TEST(PageFeatures, LargePagesAreGoneThroughInParts) {
  std::string html = "<title>paragraph 4500</title>";
  for (int i = 0; i < 5000; ++i) {
    html += i % 50 == 0
                ? "<h2>heading " + std::to_string(i) + "</h2>"
                : "<p class=c" + std::to_string(i % 3) + ">paragraph " + std::to_string(i) + (i % 7 == 0 ? kProse : "");
  }
  TestPage page(html);
  ASSERT_EQ(page.outline.paragraphs.size(), 5000U);
  PageFeatures features;
  const auto rows = Rows(&page, &features, PageFeatures::kMostRows);
  EXPECT_EQ(Rows(&page, &features, 1), rows);
  EXPECT_EQ(Rows(&page, &features, 37), rows);
}

// Those of a page are the same whatever pages were before it, and after memory was given back.
TEST(PageFeatures, PagesLeaveNothingBehind) {
  TestPage large(Repeat("<p class=x>large " + kProse, 12'000));
  EXPECT_TRUE(rc::check([&large] {
    TestPage page(AnyPage());
    TestPage other(AnyPage());
    PageFeatures fresh;
    const auto rows = Rows(&page, &fresh, PageFeatures::kMostRows);
    PageFeatures used;
    if (*rc::gen::inRange(0, 10) == 0) {
      Rows(&large, &used, PageFeatures::kMostRows);
      used.Trim();
      RC_ASSERT(used.words().empty());
    }
    Rows(&other, &used, PageFeatures::kMostRows);
    used.Trim();
    RC_ASSERT(Rows(&page, &used, PageFeatures::kMostRows) == rows);
    if (used.words().size() < 1000) used.Trim();
    RC_ASSERT(used.words().size() == page.outline.paragraphs.size());
  }));
}

TEST(PageFeatures, OfPlaces) {
  const Named f("<h1>a</h1><p>b</p><h3><b>c</b></h3><p>" + kProse + "</p><p>d");
  EXPECT_EQ(f["index"], (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(f["left_of_end"], (Numbers{5, 4, 3, 2, 1}));
  EXPECT_EQ(f["own_heading"], (Numbers{1, 0, 3, 0, 0}));
  EXPECT_EQ(f["heading_level"], (Numbers{0, 1, 1, 3, 3}));
  EXPECT_EQ(f["since_h1"], (Numbers{1e6F, 1, 2, 3, 4}));
  EXPECT_EQ(f["since_heading"], (Numbers{1e6F, 1, 2, 1, 2}));
  EXPECT_EQ(f["since_prose"], (Numbers{1e6F, 1e6F + 1, 1e6F + 2, 1e6F + 3, 1}));
  EXPECT_EQ(f["until_prose"], (Numbers{3, 2, 1, 1e6F + 1, 1e6F}));
  EXPECT_EQ(f["prose_before"], (Numbers{0, 0, 0, 0, 1}));
  EXPECT_EQ(f["page_n"], Numbers(5, 5));
  EXPECT_EQ(f["page_h1"], Numbers(5, 1));
}

TEST(PageFeatures, OfElements) {
  const Named f("<nav><p>a<p>b</nav><main hidden><p>c</p></main><p class=x>d");
  EXPECT_EQ(f["in_nav"], (Numbers{1, 1, 0, 0}));
  EXPECT_EQ(f["in_main"], (Numbers{0, 0, 1, 0}));
  EXPECT_EQ(f["in_hidden"], (Numbers{0, 0, 1, 0}));
  EXPECT_EQ(f["run"], (Numbers{2, 2, 1, 1}));
  EXPECT_EQ(f["depth"], (Numbers{2, 2, 2, 1}));
  EXPECT_EQ(f["up0_n"], (Numbers{2, 2, 4, 4}));
  EXPECT_EQ(f["up1_n"], (Numbers{4, 4, 4, 4}));
  EXPECT_EQ(f["shape_n"], (Numbers{2, 2, 1, 1}));
  EXPECT_EQ(f["page_shapes"], Numbers(4, 3));
}

class FirstToken final : public TokenVisitor {
 public:
  void Token(uint32_t hash) override { first = first == 0 ? hash : first; }
  uint32_t first = 0;
};

TokenScores::Entry ScoreOf(std::string_view word, int32_t score) {
  FirstToken token;
  VisitWords(word, &token);
  return {token.first, score};
}

TEST(PageFeatures, OfWords) {
  const std::vector<TokenScores::Entry> entries = {ScoreOf("関連", -40), ScoreOf("記者", -8), ScoreOf("本文", 20)};
  const Named f("<p>本文と記者<h2>関連</h2><p>甲<p>乙", TokenScores(entries));
  EXPECT_EQ(f["word_least"], (Numbers{-8, -40, 0, 0}));
  EXPECT_EQ(f["word_most"], (Numbers{20, 0, 0, 0}));
  EXPECT_EQ(f["word_sum"], (Numbers{12, -40, 0, 0}));
  EXPECT_EQ(f["previous_word_least"], (Numbers{0, -8, -40, 0}));
  EXPECT_EQ(f["next_word_least"], (Numbers{-40, 0, 0, 0}));
  EXPECT_EQ(f["section_least"], (Numbers{0, 0, -40, -40}));
  EXPECT_EQ(f["section_most"], (Numbers{0, 0, 0, 0}));
  EXPECT_EQ(f["since_low_word"], (Numbers{1e6F, 1e6F + 1, 1, 2}));
  EXPECT_EQ(f["page_wide_share"], Numbers(4, 1));
}

// Two cards with a link and a picture each, and one without.
TEST(PageFeatures, OfRuns) {
  const Named f("<p>text<ul><li><img><a href=x>a</a><p>b<li><img><a href=x>a</a><p>b<li><p>cccc</ul>");
  EXPECT_EQ(f["run_width"], (Numbers{4, 8.0F / 3, 8.0F / 3, 8.0F / 3, 8.0F / 3, 8.0F / 3}));
  EXPECT_EQ(f["run_link_share"][1], 0.25F);
  EXPECT_EQ(f["run_linked"], (Numbers{0, 2.0F / 3, 2.0F / 3, 2.0F / 3, 2.0F / 3, 2.0F / 3}));
  EXPECT_EQ(f["run_of_page"][1], 8.0F / 12);
}

TEST(PageFeatures, OfNeighbours) {
  const Named f("<p>a<p><a href=x>bb</a><h2>ccc.</h2>");
  const Named same("<p>a<p>b<h2>c</h2>");
  EXPECT_EQ(f["previous_width"], (Numbers{-1, 1, 2}));
  EXPECT_EQ(f["previous2_width"], (Numbers{-1, -1, 1}));
  EXPECT_EQ(f["next_width"], (Numbers{2, 3, -1}));
  EXPECT_EQ(f["next2_width"], (Numbers{3, -1, -1}));
  EXPECT_EQ(f["previous_link_share"], (Numbers{-1, 0, 1}));
  EXPECT_EQ(f["next_sort"], (Numbers{8, 1, -1}));
  EXPECT_EQ(f["next_sentence"], (Numbers{0, 1, -1}));
  EXPECT_EQ(same["previous_same"], (Numbers{-1, 1, 0}));
  EXPECT_EQ(same["next_same"], (Numbers{1, 0, -1}));
}

TEST(PageFeatures, OfHints) {
  const Named f("<title>題名は長い文</title><img><p>a<img><img><p>題名は長い<div><input><p>題名は長い</div><img>");
  EXPECT_EQ(f["in_title"], (Numbers{0, 1, 1}));
  EXPECT_EQ(f["since_title"], (Numbers{1e6F, 0, 0}));
  EXPECT_EQ(f["page_title_index"], (Numbers{-1, 1, 1}));
  EXPECT_EQ(f["images_before"], (Numbers{1, 2, 0}));
  EXPECT_EQ(f["images_after"], (Numbers{2, 0, 1}));
  EXPECT_EQ(f["page_images"], Numbers(3, 4));
  EXPECT_EQ(f["fields_before"], (Numbers{0, 0, 1}));
  EXPECT_EQ(f["page_fields"], Numbers(3, 1));
  EXPECT_EQ(f["copies"][0], 1);
  EXPECT_EQ(f["copies"][1], 2);
}

std::vector<bool> MenusOf(const std::string& html) {
  TestPage page(html);
  PageFeatures features;
  features.Measure(page.view(), {});
  return features.menus();
}

const std::string kLinks = "<p><a href=/a>a link</a><p><a href=/b>another one</a>";

TEST(PageFeatures, MenusAreNavigation) {
  EXPECT_EQ(MenusOf("<nav>" + kLinks + "</nav><p>text"), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(MenusOf("<div role=navigation>" + kLinks + "</div><p>text"), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(MenusOf("<div>" + kLinks + "</div><p>text"), std::vector<bool>(3, false));
  EXPECT_EQ(MenusOf("<nav>" + kLinks + "</nav><nav><p>text</nav>"), (std::vector<bool>{true, true, false}));
  EXPECT_TRUE(MenusOf("").empty());
}

// Neither poems nor lists of prices have sentences.
TEST(PageFeatures, WhatIsNotLinksIsNoMenu) {
  const std::string text = "<h1>題</h1><p>春はあけぼの<p>やうやう白くなりゆく山ぎは<p>卵 一個 三十円";
  for (const std::string begin : {"<nav>", "<div role=navigation>", "<body role=menu>", "<main role=menu>"}) {
    EXPECT_EQ(MenusOf(begin + text), std::vector<bool>(4, false)) << begin;
    EXPECT_EQ(MenusOf(begin + kLinks + text), std::vector<bool>(6, false)) << begin;  // an end tag is missing
  }
  std::string menu = "<nav>";
  for (int i = 0; i < 50; ++i) menu += kLinks;
  EXPECT_EQ(MenusOf(menu + text + "</nav><p>©"), std::vector<bool>(105, false));
}

TEST(PageFeatures, OfLinks) {
  const std::vector<TokenScores::Entry> entries = {{HashText("tag", HashText("href folder ")), -32}};
  const Named f(
      "<div><p><a href=/tag/x>a</a><p>b<p><a href=#c>c</a><a href=//example.com/>d</a></div><div><p>e<p>f</div>",
      TokenScores(entries));
  EXPECT_EQ(f["token_link_least"], (Numbers{-32, 0, 0, 0, 0}));
  EXPECT_EQ(f["token_link"], (Numbers{-64, 0, 0, 0, 0}));
  EXPECT_EQ(f["token_link_previous"], (Numbers{0, -64, 0, 0, 0}));
  EXPECT_EQ(f["token_link_next"], (Numbers{0, 0, 0, 0, 0}));
  EXPECT_EQ(f["token_link_up0"], (Numbers{-64.0F / 3, -64.0F / 3, -64.0F / 3, 0, 0}));
  EXPECT_EQ(f["token_link_up1"], Numbers(5, -64.0F / 3));
  EXPECT_EQ(f["token_link_run"], (Numbers{-64.0F / 3, -64.0F / 3, -64.0F / 3, 0, 0}));
  EXPECT_EQ(f["inner_links"], (Numbers{0, 0, 1, 0, 0}));
  EXPECT_EQ(f["inner_share"], (Numbers{0, 0, 0.5F, 0, 0}));
  EXPECT_EQ(f["up1_inner_share"], Numbers(5, 1.0F / 3));
  EXPECT_EQ(f["page_inner_links"], Numbers(5, 1));
  EXPECT_EQ(f["outer_share"], (Numbers{0, 0, 0.5F, 0, 0}));
  EXPECT_EQ(f["up1_outer_share"], Numbers(5, 1.0F / 3));
}

// SomeLogOdds(3) are -5, 1.2 and -2.3.
TEST(PageFeatures, OfContext) {
  const Named f("<p>a<p>bb<p>cc");
  const auto p = [](double x) { return static_cast<float>(Probability(x)); };
  const Numbers all = {p(SomeLogOdds(3)[0]), p(SomeLogOdds(3)[1]), p(SomeLogOdds(3)[2])};
  ASSERT_GT(all[1], 0.5F);
  EXPECT_EQ(f["p"], all);
  EXPECT_EQ(f["p_previous"], (Numbers{-1, all[0], all[1]}));
  EXPECT_EQ(f["p_next2"], (Numbers{all[2], -1, -1}));
  EXPECT_EQ(f["p_most_before"], (Numbers{0, all[0], all[1]}));
  EXPECT_EQ(f["p_most_after"], (Numbers{all[1], all[2], 0}));
  EXPECT_EQ(f["since_content"], (Numbers{1e6F, 1e6F + 1, 0}));
  EXPECT_EQ(f["until_content"], (Numbers{0, 1e6F + 1, 1e6F}));
  EXPECT_NEAR(f["p_page"][0], (all[0] + all[1] + all[2]) / 3, 1e-6);
  EXPECT_NEAR(f["p_run"][0], f["p_page"][0], 1e-6);
  EXPECT_NEAR(f["p_section"][0], f["p_page"][0], 1e-6);
  const Named sections("<p>a<h2>bb</h2><p>cc");
  EXPECT_NEAR(sections["p_section"][0], all[0], 1e-6);
  EXPECT_NEAR(sections["p_section"][2], (all[1] + all[2]) / 2, 1e-6);
}

}  // namespace
}  // namespace uzushio
