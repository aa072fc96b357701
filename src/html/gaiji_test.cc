#include "html/gaiji.h"

#include <gtest/gtest.h>

namespace uzushio {
namespace {

TEST(CharacterOfNote, ByItsPlaceInJisX0213) {
  EXPECT_EQ(CharacterOfNote("※(「需＋頁」、第3水準1-94-6)"), "顬");
  EXPECT_EQ(CharacterOfNote("※(「夕／寅」、第4水準2-5-29)"), "夤");
  EXPECT_EQ(CharacterOfNote("※(アステリズム、1-12-94)"), "⁂");
  EXPECT_EQ(CharacterOfNote("※(半濁点付き片仮名カ、1-5-87)"), "カ゚");  // two code points
}

TEST(CharacterOfNote, WithThePageOfABook) {
  EXPECT_EQ(CharacterOfNote("※(「需＋頁」、第3水準1-94-6、270-下-19)"), "顬");
  EXPECT_EQ(CharacterOfNote("※(「さんずい＋景＋頁」、第3水準1-87-32、読みは「こう」、229-上-5)"), "灝");
  EXPECT_EQ(CharacterOfNote("※(「夕／寅」、第4水準 2-5-29)"), "夤");
  EXPECT_EQ(CharacterOfNote("※(第3水準1-94-6)"), "");  // of which nothing says what it is
}

TEST(CharacterOfNote, ByItsCodePoint) {
  EXPECT_EQ(CharacterOfNote("※［＃「てへん＋丑」、U+6271、123-4］"), "扱");
  EXPECT_EQ(CharacterOfNote("※(、U+20B9F、1-2)"), "𠮟");
}

TEST(CharacterOfNote, ByTheNamesOfLetterAndAccent) {
  EXPECT_EQ(CharacterOfNote("※(アキュートアクセント付きE小文字)"), "é");
  EXPECT_EQ(CharacterOfNote("※(ダイエレシス付きU大文字)"), "Ü");
  EXPECT_EQ(CharacterOfNote("※(リガチャOE小文字)"), "œ");
  EXPECT_EQ(CharacterOfNote("※(サーカムフレックスアクセント付きU)"), "Û");
  EXPECT_EQ(CharacterOfNote("※(アキュートアクセント付き小文字)"), "");
}

TEST(CharacterOfNote, ElseThereIsNone) {
  for (const char* note : {"", "挿絵", "※", "※(、)", "※(、1-95-1)", "※(、3-1-1)", "※(、1-1)", "※(、0-0-0)",
                           "※(、U+D800)", "※(、U+110000)", "※(、99999999999-1-1)", "1-12-94"}) {
    EXPECT_EQ(CharacterOfNote(note), "") << note;
  }
}

}  // namespace
}  // namespace uzushio
