#include "html/main_content/main_content.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/test_support.h"
#include "html/main_content/features.h"
#include "html/main_content/model.h"
#include "html/main_content/test_page.h"

namespace uzushio {
namespace {

void ExpectScoresToSay(const std::vector<ContentMark>& marks) {
  for (const ContentMark& mark : marks) {
    EXPECT_EQ(mark.content, mark.score >= 0.5F);
    EXPECT_GE(mark.score, 0);
    EXPECT_LE(mark.score, 1);
  }
}

std::vector<ContentMark> MarksBy(MainContent* main_content, TestPage* page) {
  std::vector<ContentMark> marks = {{.5F, true}};  // which go
  main_content->Mark(page->view(), &marks);
  EXPECT_EQ(marks.size(), page->outline.paragraphs.size());
  ExpectScoresToSay(marks);
  return marks;
}
std::vector<ContentMark> MarksByModel(const std::string& html) {
  MainContent main_content;
  TestPage page(html);
  return MarksBy(&main_content, &page);
}

std::vector<ContentMark> ByLogOdds(const std::vector<float>& log_odds, const std::vector<int32_t>& words) {
  std::vector<ContentMark> marks = {{.5F, true}};  // which go
  MarkByLogOdds(log_odds, std::vector<bool>(log_odds.size()), words, &marks);
  EXPECT_EQ(marks.size(), log_odds.size());
  ExpectScoresToSay(marks);
  return marks;
}
std::vector<bool> Kept(const std::vector<float>& log_odds, const std::vector<int32_t>& words) {
  std::vector<bool> kept;
  for (const ContentMark& mark : ByLogOdds(log_odds, words)) kept.push_back(mark.content);
  return kept;
}

// --- marks by log-odds ---

constexpr int kBins = 64;
int BinOf(double probability) { return std::min(static_cast<int>(probability * kBins), kBins - 1); }

// The F to be expected of keeping the paragraphs from a bin on, where all from some probability on are content,
// whichever that is.
double ExpectedF(const std::vector<double>& p, const std::vector<int32_t>& words, int from) {
  double sum = 0;
  for (int bin = 0; bin < kBins; ++bin) {
    double kept = 0;
    double content = 0;
    double right = 0;
    for (size_t i = 0; i < p.size(); ++i) {
      const double share = BinOf(p[i]) > bin ? 1 : BinOf(p[i]) == bin ? 0.5 : 0;
      const bool keeps = BinOf(p[i]) >= from;
      kept += keeps ? words[i] : 0;
      content += share * words[i];
      right += keeps ? share * words[i] : 0;
    }
    sum += kept > 0 ? 2 * right / (kept + content) / kBins : 0;
  }
  return sum;
}

TEST(MarkByLogOdds, NoThresholdIsBetter) {
  EXPECT_TRUE(rc::check([](const std::vector<std::pair<uint8_t, uint8_t>>& all) {
    std::vector<float> log_odds;
    std::vector<int32_t> words;
    std::vector<double> p;
    for (const auto& [odds, count] : all) {
      log_odds.push_back((static_cast<float>(odds % 64) - 32) / 4);  // many are the same
      words.push_back(count % 4 == 0 ? 0 : count);
      p.push_back(Probability(log_odds.back()));
    }
    const std::vector<ContentMark> marks = ByLogOdds(log_odds, words);
    int from = kBins;  // what is kept
    for (size_t i = 0; i < p.size(); ++i) from = marks[i].content ? std::min(from, BinOf(p[i])) : from;
    for (size_t i = 0; i < p.size(); ++i) {
      RC_ASSERT(marks[i].content == (BinOf(p[i]) >= from));
      for (size_t k = 0; k < p.size(); ++k) {
        if (p[i] < p[k]) RC_ASSERT(marks[i].score <= marks[k].score);
        if (p[i] == p[k]) RC_ASSERT(marks[i] == marks[k]);
      }
    }
    RC_ASSERT(from >= 13);
    for (int other = 13; other < kBins; ++other) {
      RC_ASSERT(ExpectedF(p, words, other) <= ExpectedF(p, words, from) + 1e-9);
    }
  }));
}

TEST(MarkByLogOdds, ALongMenuIsNotKeptBesideAShortText) {
  EXPECT_EQ(Kept({3, -1.2F}, {20, 1000}), (std::vector<bool>{true, false}));
  EXPECT_EQ(Kept({3, 0.5F}, {20, 1000}), (std::vector<bool>{true, true}));
}

TEST(MarkByLogOdds, MenusAreLeftOut) {
  std::vector<ContentMark> marks;
  MarkByLogOdds(std::vector<float>{3, 9}, {false, true}, std::vector<int32_t>{20, 1000}, &marks);
  EXPECT_TRUE(marks[0].content);
  EXPECT_EQ(marks[1], (ContentMark{kMostOfRest, false}));
  MarkByLogOdds(std::vector<float>{3, -9}, {false, true}, std::vector<int32_t>{20, 1000}, &marks);
  EXPECT_LT(marks[1].score, 0.01F);
}

TEST(MarkByLogOdds, OfNothingIsNothing) { EXPECT_TRUE(ByLogOdds({}, {}).empty()); }

TEST(MarkByLogOdds, ClearOnesAreKept) {
  EXPECT_EQ(Kept({9, -9, 9}, {10, 100, 10}), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(Kept({9, 9}, {0, 10}), (std::vector<bool>{true, true}));
  EXPECT_EQ(Kept({-9, -9}, {10, 10}), (std::vector<bool>{false, false}));
}

TEST(MarkByLogOdds, WithoutWords) {
  EXPECT_EQ(Kept({9, -9}, {0, 0}), (std::vector<bool>{true, false}));
  EXPECT_EQ(Kept({0, 0, 0}, {0, 0, 0}), (std::vector<bool>{true, true, true}));
}

// What is less likely than all else is kept where all is unlikely, up to a bound.
TEST(MarkByLogOdds, ThresholdsFollowThePage) {
  EXPECT_EQ(Kept({-0.7F}, {10}), std::vector<bool>{true});
  EXPECT_EQ(Kept({-0.7F, 9}, {1, 100}), (std::vector<bool>{false, true}));
}

// The nearest number to a score just below .5 is .5.
TEST(MarkByLogOdds, WhatIsJustBelowTheThresholdHasLess) {
  float below = -9;
  float above = 9;  // both without words, so that they change nothing
  for (int i = 0; i < 200; ++i) {
    const float between = below + (above - below) / 2;
    const bool content = ByLogOdds({10, between}, {1000, 0})[1].content;
    (content ? above : below) = between;
  }
  EXPECT_LE(above - below, 1e-6F);
}

TEST(MarkByLogOdds, AnyNumbers) {
  EXPECT_TRUE(rc::check([](const std::vector<float>& log_odds) {
    std::vector<int32_t> words;
    for (size_t i = 0; i < log_odds.size(); ++i) words.push_back(i % 3 == 0 ? INT32_MAX : 1);
    ByLogOdds(log_odds, words);
  }));
}

// --- pages ---

const std::string kMenuBlock =
    "<header><nav class=nav><ul><li><a href=/>トップ</a></li><li><a href=/a>会社概要</a></li><li><a "
    "href=/b>お問い合わせ</a>"
    "</li></ul></nav></header>";
const std::string kFooterBlock =
    "<footer class=footer><p><a href=/p>プライバシーポリシー</a></p><p>© 2023 例の会社</p></footer>";
const std::string kSentences =
    "これは本文の長い段落で、文がいくつも続いています。読む人がこの頁に来たのは、このような文を読むためであり、"
    "そのほかのところを見るためではありません。";

TEST(MainContent, KeepsTheArticle) {
  std::string html = "<html lang=ja><title>記事の題名</title>" + kMenuBlock + "<main><article><h1>記事の題名</h1>";
  for (int i = 0; i < 12; ++i) html += "<p>第" + std::to_string(i) + "段落。" + kSentences + kSentences + "</p>";
  const TestPage page(html + "</article></main>" + kFooterBlock);
  const std::vector<ContentMark> marks = MarksByModel(html + "</article></main>" + kFooterBlock);
  for (size_t i = 0; i < marks.size(); ++i) {
    const std::string_view text = page.TextOf(i);
    if (text.starts_with("第")) EXPECT_TRUE(marks[i].content) << text;
    if (text.find("会社") != std::string_view::npos || text.find("ポリシー") != std::string_view::npos) {
      EXPECT_FALSE(marks[i].content) << text;
    }
  }
}

TEST(MainContent, PagesMayHaveNothing) {
  for (const char* html : {"", "<p>", "<img><svg></svg>", "<frameset><frame></frameset>", "<p>。", "<p>・<p>|",
                           "<a>a</a>", "<p>\xF0\x9F\x98\x80"}) {
    MarksByModel(html);
  }
  EXPECT_TRUE(MarksByModel("").empty());
}

std::string RandomPage() {
  const auto piece = rc::gen::elementOf(
      std::vector<std::string>{kMenuBlock, kFooterBlock, "<div class=content>", "</div>", "<p>", "<h2>題</h2>",
                               "<p>" + kSentences, kSentences, "<hr>", "<li>", "・", "<table><td>", "</table>", "<x-a>",
                               "</x-a>", "<x-b>", "<a href=x>続き</a>", "<title>題名は長い</title>"});
  std::string html;
  for (const std::string& part : *rc::gen::container<std::vector<std::string>>(piece)) html += part;
  return html;
}

// By the model's trees as they are in its file, from the features in numbers.
class PlainModel {
 public:
  explicit PlainModel(const PageForContent& page) : n_(page.outline->paragraphs.size()) {
    const MainContentModel& model = MainContentModel::Get();
    features_.Measure(page, model.tokens);
    rows_.assign(n_, std::vector<float>(model.features + model.context_features));
    Read(0, model.features, [this](size_t first, size_t count) { features_.Compute(first, count); });
    features_.MeasureContext(LogOdds(model.first));
    Read(model.features, model.context_features,
         [this](size_t first, size_t count) { features_.ComputeContext(first, count); });
    DecideMarks(features_, LogOdds(model.second), &marks_);
  }
  const std::vector<ContentMark>& marks() const { return marks_; }

 private:
  template <typename Compute>
  void Read(size_t feature, size_t features, Compute compute) {
    for (size_t first = 0; first < n_; first += PageFeatures::kMostRows) {
      const size_t count = std::min(PageFeatures::kMostRows, n_ - first);
      compute(first, count);
      for (size_t i = 0; i < count; ++i) {
        for (size_t f = feature; f < feature + features; ++f) {
          rows_[first + i][f] = features_.columns()[f * PageFeatures::stride() + i];
        }
      }
    }
  }
  std::vector<float> LogOdds(std::span<const DecisionTree> trees) const {
    std::vector<float> sums(n_);
    for (size_t i = 0; i < n_; ++i) {
      for (const DecisionTree& tree : trees) {
        size_t node = 0;
        while (node < DecisionTree::kNodes) {
          node = 2 * node + (rows_[i][tree.features[node]] > tree.thresholds[node] ? 2 : 1);
        }
        sums[i] += tree.values[node - DecisionTree::kNodes];
      }
    }
    return sums;
  }

  PageFeatures features_;
  size_t n_;
  std::vector<std::vector<float>> rows_;
  std::vector<ContentMark> marks_;
};

// Whether a page has fewer paragraphs than a block, some blocks, or more than bins are kept of.
TEST(MainContent, DecidesAsTheModelsTreesDo) {
  MainContent main_content;
  for (const int n : {9000, 1, 31, 33, 64, 65, 300}) {
    std::string html = "<title>paragraph 5</title><nav><ul>";
    for (int i = 0; i < n; ++i) {
      const std::string number = std::to_string(i);
      html += i % 7 == 0 ? "<li class=menu><a href=/>関連記事 " + number + "</a>" : "<p>paragraph " + number;
      if (i % 3 == 0) html += " of the newspaper, which has a sentence of more than eight words.";
      if (i == n / 4) html += "</ul></nav><article><h1>ranking</h1>";
    }
    TestPage page(html);
    EXPECT_EQ(MarksBy(&main_content, &page), PlainModel(page.view()).marks()) << n;
  }
}

// Pages before it change nothing, be they large, or nothing.
TEST(MainContent, PagesLeaveNothingBehind) {
  TestPage large("<x-c>" + Repeat("<p class=x>" + kSentences, 10'000));
  EXPECT_TRUE(rc::check([&large] {
    const std::string html = RandomPage();
    TestPage page(html);
    TestPage other(RandomPage());
    MainContent used;
    if (*rc::gen::inRange(0, 20) == 0) MarksBy(&used, &large);
    MarksBy(&used, &other);
    RC_ASSERT(MarksBy(&used, &page) == MarksByModel(html));
    RC_ASSERT(MarksBy(&used, &page) == MarksByModel(html));
  }));
}

TEST(MainContent, TakesManyParagraphs) {
  EXPECT_EQ(MarksByModel(Repeat("<h2>題</h2><div class='a b'><p><b>文。</b></div>", 40'000)).size(), 80'000U);
}

}  // namespace
}  // namespace uzushio
