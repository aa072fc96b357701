#include "html/title_text.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "base/test_support.h"
#include "base/utf8.h"

namespace uzushio {
namespace {

using Views = std::vector<std::string_view>;

TEST(TitleParts, AreBetweenMarks) {
  EXPECT_EQ(TitleParts("題 - 副題 | 例｜x"), (Views{"題", "副題", "例", "x"}));
  EXPECT_EQ(TitleParts("a-b x—y C++ ::z"), (Views{"a-b x—y C++ ::z"}));
  EXPECT_EQ(TitleParts("| 題 » | "), Views{"題"});
  EXPECT_EQ(TitleParts(""), Views{});
}

TEST(TitleLetters, AreThoseOfNfkcWithoutCaseAndPunctuation) {
  EXPECT_EQ(TitleLetters("「題・名」　— Ａ b！"), U"題名ab");
  EXPECT_EQ(TitleLetters("ｶﾞｲﾄﾞ"), U"ガイド");
  EXPECT_EQ(TitleLetters("か\u3099"), U"が");
  EXPECT_EQ(TitleLetters("①Straße ㌔"), U"1strasseキロ");
  EXPECT_EQ(TitleLetters("∇ C++ 人々"), U"∇c人々");
  EXPECT_EQ(TitleLetters(Repeat("\uFDFA", 100)).size(), 1500U);  // 18 code points of each, three of which are spaces
  EXPECT_EQ(TitleLetters(" —\u200b\xFF"), U"");
  EXPECT_EQ(TitleLetters(""), U"");
}

TEST(TitleLetters, TakesAnyBytes) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    RC_ASSERT(IsValidUtf8(bytes) || TitleLetters(bytes).empty());
    RC_ASSERT(TitleLetters(bytes + bytes).size() <= 36 * bytes.size());
  }));
}

// A sign beyond ASCII has the tables looked at.
TEST(TitleLetters, OfAsciiAreTheSameWithoutTables) {
  EXPECT_TRUE(rc::check([] {
    const auto bytes = *rc::gen::container<std::string>(
        rc::gen::map(rc::gen::inRange(0, 128), [](int c) { return static_cast<char>(c); }));
    RC_ASSERT(TitleLetters(bytes) == TitleLetters(bytes + "—"));
  }));
}

TEST(HeadingRepeatsTitle, WhereOneIsInTheOther) {
  EXPECT_TRUE(HeadingRepeatsTitle("題 – A b", "題-a\nB ¶"));
  EXPECT_TRUE(HeadingRepeatsTitle("「題・名」", "題名"));
  EXPECT_TRUE(HeadingRepeatsTitle("初期セットアップ手順 | 例の会社", "初期セットアップ手順"));
  EXPECT_TRUE(HeadingRepeatsTitle("手順", "初期セットアップ手順"));
  EXPECT_TRUE(HeadingRepeatsTitle("ﾘｻｲｸﾙ", "リサイクル"));
  EXPECT_FALSE(HeadingRepeatsTitle("8.3. 手順", "手順 8.3"));
  EXPECT_FALSE(HeadingRepeatsTitle("題", "名"));
  EXPECT_FALSE(HeadingRepeatsTitle("題", "—"));
}

TEST(ParagraphRepeatsTitle, WhereItSaysLittleElseOrBeginsWithIt) {
  EXPECT_TRUE(
      ParagraphRepeatsTitle("鳴門の渦潮", "鳴門の渦潮は、世界でもめずらしい大きな渦で、春と秋によく見られます。"));
  EXPECT_TRUE(ParagraphRepeatsTitle("鳴門の渦潮 | 塩と海", "鳴門の渦潮は、世界でもめずらしい大きな渦です。"));
  EXPECT_TRUE(ParagraphRepeatsTitle("鳴門の渦潮", "3. 鳴門の渦潮 (2)"));
  EXPECT_TRUE(ParagraphRepeatsTitle("鳴門の渦潮の見ごろ", "渦潮の見ごろ"));
  EXPECT_FALSE(ParagraphRepeatsTitle("2023年度の予算案についてのお知らせ", "2023年度"));
  EXPECT_FALSE(ParagraphRepeatsTitle("猫", "うちに来たときにはまだ小さかった猫が、もう十歳になりました。"));
  EXPECT_FALSE(ParagraphRepeatsTitle("渦潮 | 塩と海", "塩と海は、鳴門の海の近くで暮らす二人が書いている日記です。"));
  EXPECT_FALSE(ParagraphRepeatsTitle("渦潮", ""));
}

}  // namespace
}  // namespace uzushio
