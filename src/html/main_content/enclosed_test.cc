#include "html/main_content/enclosed.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/test_support.h"
#include "html/main_content/features.h"
#include "html/main_content/main_content.h"
#include "html/main_content/model.h"
#include "html/main_content/test_page.h"

namespace uzushio {
namespace {

// Which of some paragraphs are kept. `kept` has for each + where it is content, else what it is: - something of a few
// words, L that with links, T a text, W a long one. `shapes` has their shapes' numbers.
std::string WithEnclosed(const std::string& kept, const std::string& shapes) {
  std::vector<ContentMark> marks;
  std::vector<uint32_t> numbers;
  std::vector<int32_t> words;
  std::vector<bool> plain;
  for (size_t i = 0; i < kept.size(); ++i) {
    marks.push_back({kept[i] == '+' ? 0.8F : 0.3F, kept[i] == '+'});
    numbers.push_back(static_cast<uint32_t>(shapes[i] - '0'));
    words.push_back(kept[i] == 'W' ? 750 : kept[i] == 'T' ? 60 : kept[i] == '+' ? 70 : 59);
    plain.push_back(kept[i] != 'L');
  }
  KeepEnclosed(numbers, words, plain, &marks);
  std::string left;
  for (const ContentMark& mark : marks) {
    EXPECT_EQ(mark.content, mark.score >= 0.5F);
    left += mark.content ? '+' : '-';
  }
  return left;
}

TEST(KeepEnclosed, BetweenOthersOfTheShape) {
  EXPECT_EQ(WithEnclosed("-+--+-", "000000"), "-++++-");
  EXPECT_EQ(WithEnclosed("+--+", "0010"), "++-+");
  EXPECT_EQ(WithEnclosed("++-+-+", "010101"), "++-+-+");
  EXPECT_EQ(WithEnclosed("+-+", "012"), "+-+");
}

TEST(KeepEnclosed, LinksStayOut) { EXPECT_EQ(WithEnclosed("+L-+L", "00000"), "+-++-"); }

TEST(KeepEnclosed, TextsOfAShapeThatIsMostlyKeptAreContent) {
  EXPECT_EQ(WithEnclosed("T++", "000"), "+++");
  EXPECT_EQ(WithEnclosed("++T", "000"), "+++");
  EXPECT_EQ(WithEnclosed("++++-", "00000"), "++++-");  // no text
  EXPECT_EQ(WithEnclosed("++TT", "0000"), "++--");     // 140 of 260 words
  EXPECT_EQ(WithEnclosed("++T", "001"), "++-");
}

TEST(KeepEnclosed, LongTextsOfAKeptShapeAreContent) {
  EXPECT_EQ(WithEnclosed("W+-W", "0000"), "++-+");
  EXPECT_EQ(WithEnclosed("+W", "01"), "+-");
}

TEST(KeepEnclosed, OfNothingIsNothing) { EXPECT_EQ(WithEnclosed("", ""), ""); }

// What is plain is known from the page.
TEST(KeepEnclosed, ParagraphsOfAPage) {
  const std::string text = "文が一つある。";
  TestPage page("<nav><p><a href=/a>a</a><p>b</nav><div><p>" + Repeat(text, 20) + "<p>c<p><a href=/d>d</a><p>" +
                Repeat(text, 20) + "</div>");
  PageFeatures features;
  features.Measure(page.view(), MainContentModel::Get().tokens);
  std::vector<ContentMark> marks;
  DecideMarks(features, std::vector<float>{-3, -3, 3, -3, -3, 3}, &marks);
  std::string kept;
  for (const ContentMark& mark : marks) kept += mark.content ? '+' : '-';
  EXPECT_EQ(kept, "--++-+");
}

}  // namespace
}  // namespace uzushio
