#include "html/main_content/justext.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/test_support.h"
#include "html/html_parser.h"
#include "html/paragraphs.h"
#include "html/shown_text.h"

namespace uzushio {
namespace {

std::vector<ContentMark> Marks(const std::string& html, bool shown = false) {
  HtmlParser parser{PageLimits{}};
  EXPECT_EQ(parser.Parse(html), ParseOutcome::kOk);
  std::string text;
  PageOutline outline;
  constexpr size_t kMost = size_t{8} << 20;
  EXPECT_TRUE(shown ? ExtractShownParagraphs(parser.document(), RubyForm::kBase, kMost, &text, &outline)
                    : ExtractParagraphs(parser.document(), kMost, &text, &outline));
  std::vector<ContentMark> marks = {{.5F, true}};  // which go
  Justext justext;
  justext.Mark({parser.document(), "", text, &outline}, &marks);
  EXPECT_EQ(marks.size(), outline.paragraphs.size());
  return marks;
}

// The scores of a page's paragraphs in hundredths; those of content are at least 50.
std::vector<int> Scores(const std::string& html) {
  std::vector<int> scores;
  for (const ContentMark& mark : Marks(html)) {
    scores.push_back(static_cast<int>(std::lround(mark.score * 100)));
    EXPECT_EQ(mark.content, mark.score >= 0.5F);
  }
  return scores;
}

// So many characters, of which a share is hiragana.
std::string Characters(int length, double share = 0.5) {
  std::string text;
  int hiragana = 0;
  for (int i = 0; i < length; ++i) {
    const bool now = hiragana < share * (i + 1);
    hiragana += now ? 1 : 0;
    text += now ? "の" : "漢";
  }
  return text;
}
std::string Text(int length, double share = 0.5) { return "<p>" + Characters(length, share) + "</p>"; }

const std::string kGood = Text(101);
const std::string kNear = Text(50);
const std::string kShort = "<p>短い</p>";
const std::string kBad = "<p><a href=x>連なり</a></p>";

using List = std::vector<int>;

TEST(Justext, LongParagraphsOfSentencesAreGood) {
  EXPECT_EQ(Scores(kGood), List{100});
  EXPECT_EQ(Scores(Text(100)), List{40});  // nearly so, between the page's ends
  EXPECT_EQ(Scores(kGood + Text(300, 0.29)), (List{100, 0}));
  EXPECT_EQ(Scores(kGood + Text(300, 0.31)), (List{100, 90}));
  EXPECT_EQ(Scores(kGood + Text(300, 0.33)), (List{100, 100}));
}

TEST(Justext, LinksCopyrightAndChoicesAreBad) {
  EXPECT_EQ(Scores("<p><a href=x>" + Characters(101) + "</a>" + Characters(399)), List{0});
  EXPECT_EQ(Scores("<p><a href=x>" + Characters(100) + "</a>" + Characters(400)), List{100});
  EXPECT_EQ(Scores(kGood + "<p>© 例</p>" + kGood), (List{100, 0, 100}));
  EXPECT_EQ(Scores(kGood + "<select><option>一</select>" + kGood), (List{100, 0, 100}));
  EXPECT_EQ(Scores(kGood + kBad + kGood), (List{100, 0, 100}));
  EXPECT_EQ(Scores(kGood + "<p>" + Characters(40) + "<a href=x>の</a></p>" + kGood), (List{100, 90, 100}));
}

TEST(Justext, ShortOnesAreWhatIsAroundThem) {
  EXPECT_EQ(Scores(kShort), List{20});
  EXPECT_EQ(Scores(kGood + kShort + kGood), (List{100, 70, 100}));
  EXPECT_EQ(Scores(kGood + kShort + kShort), (List{100, 20, 20}));
  EXPECT_EQ(Scores(kGood + kShort + kNear + kBad), (List{100, 70, 90, 0}));
  EXPECT_EQ(Scores(kBad + kNear + kShort + kGood), (List{0, 90, 70, 100}));
  EXPECT_EQ(Scores(kGood + kNear + kShort + kBad), (List{100, 90, 20, 0}));
}

TEST(Justext, NearlyGoodOnesAreBadBetweenBadOnes) {
  EXPECT_EQ(Scores(kBad + kNear + kBad), (List{0, 40, 0}));
  EXPECT_EQ(Scores(kBad + kNear + kNear + kGood), (List{0, 90, 90, 100}));
  EXPECT_EQ(Scores(kGood + kNear + kNear + kBad), (List{100, 90, 90, 0}));
}

TEST(Justext, HeadingsBelongToWhatFollows) {
  EXPECT_EQ(Scores(kBad + "<h2>題</h2>" + kGood), (List{0, 70, 100}));
  EXPECT_EQ(Scores(kBad + "<p>題</p>" + kGood), (List{0, 20, 100}));
  EXPECT_EQ(Scores(kBad + "<h2>題</h2>" + Text(100, 0.1) + kGood), (List{0, 70, 0, 100}));
  EXPECT_EQ(Scores(kBad + "<h2>題</h2>" + Text(101, 0.1) + kGood), (List{0, 20, 0, 100}));
  EXPECT_EQ(Scores(kBad + "<h2><a href=x>題</a></h2>" + kGood), (List{0, 0, 100}));
}

// There are no lists of their words: what is long and has few links is content.
TEST(Justext, OtherLanguagesHaveNoStopWords) {
  const std::string english = "<p>" + Repeat("wholly English words ", 20) + "</p>";
  EXPECT_EQ(Scores(english + kBad), (List{100, 0}));
  EXPECT_EQ(Scores(english + Text(101) + kBad), (List{0, 100, 0}));
}

TEST(Justext, APageMayHaveNothing) { EXPECT_TRUE(Marks("").empty()); }

// A heading looks ahead by characters, others by one pass.
TEST(Justext, TakesManyHeadings) {
  EXPECT_EQ(Marks(Repeat("<h2>題", 40'000)).size(), 40'000U);  // minutes, if each looked through all that follow
}

TEST(Justext, ShownTextIsJudgedAlike) {
  const std::string page = "<nav><a href=/>トップ</a></nav><h1>題</h1><p>" + Repeat("これは、ながい文章です。", 20) +
                           "<p>" + Repeat("これも、ながい文章です。", 20);
  EXPECT_EQ(Marks(page, true), Marks(page));
}

}  // namespace
}  // namespace uzushio
