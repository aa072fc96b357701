#include "html/main_content/scattered.h"

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

// Which of some paragraphs are kept: `kept` has + for what was content, `shapes` their shapes' numbers.
std::string Left(const std::string& kept, const std::string& shapes, const std::vector<int32_t>& words) {
  std::vector<ContentMark> marks;
  std::vector<uint32_t> numbers;
  for (size_t i = 0; i < kept.size(); ++i) {
    marks.push_back({kept[i] == '+' ? 0.8F : 0.3F, kept[i] == '+'});
    numbers.push_back(static_cast<uint32_t>(shapes[i] - '0'));
  }
  LeaveOutScattered(numbers, words, &marks);
  std::string left;
  for (const ContentMark& mark : marks) {
    EXPECT_EQ(mark.content, mark.score >= 0.5F);
    left += mark.content ? '+' : '-';
  }
  return left;
}

std::vector<int32_t> Ones(size_t n) { return std::vector<int32_t>(n, 1); }

TEST(LeaveOutScattered, ATenthOfAShapeGoes) {
  EXPECT_EQ(Left("+---------", "0000000000", Ones(10)), "----------");
  EXPECT_EQ(Left("++--------", "0000000000", Ones(10)), "++--------");
}

TEST(LeaveOutScattered, OtherShapesStay) {
  EXPECT_EQ(Left("+---------++", "000000000012", Ones(12)), "----------++");
  EXPECT_EQ(Left("+------", "0000000", {0, 0, 0, 0, 0, 0, 0}), "+------");  // of few paragraphs
}

// A page without classes may have its text in a cell like those of its menu.
TEST(LeaveOutScattered, WordsCountNotParagraphs) {
  EXPECT_EQ(Left("+---------", "0000000000", {500, 2, 2, 2, 2, 2, 2, 2, 2, 2}), "+---------");
  EXPECT_EQ(Left("++--------", "0000000000", {1, 1, 9, 9, 9, 9, 9, 9, 9, 9}), "----------");
  EXPECT_EQ(Left("+---------", "0000000000", {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}), "----------");  // no word counts as one
}

TEST(LeaveOutScattered, OfNothingIsNothing) { EXPECT_EQ(Left("", "", {}), ""); }

// Shapes are those of the features, page after page.
TEST(LeaveOutScattered, ShapesOfAPage) {
  PageFeatures features;
  for (const size_t items : {size_t{12}, size_t{9}}) {
    TestPage page("<div>" + Repeat("<p class=item>item</p>", items) + "</div><p>text</p>");
    features.Measure(page.view(), MainContentModel::Get().tokens);
    ASSERT_EQ(features.shapes().size(), items + 1);
    for (size_t i = 0; i < items; ++i) EXPECT_EQ(features.shapes()[i], features.shapes()[0]);
    EXPECT_NE(features.shapes()[items], features.shapes()[0]);
    std::vector<float> log_odds(items, -3);
    log_odds[4] = 3;
    log_odds.push_back(3);
    std::vector<ContentMark> marks;
    MarkByLogOdds(log_odds, std::vector<bool>(log_odds.size()), features.words(), &marks);
    EXPECT_TRUE(marks[4].content);
    LeaveOutScattered(features.shapes(), features.words(), &marks);
    EXPECT_EQ(marks[4].content, items < 10);
    EXPECT_TRUE(marks[items].content);
  }
}

}  // namespace
}  // namespace uzushio
