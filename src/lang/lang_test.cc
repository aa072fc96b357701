#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "lang/identify.h"
#include "lang/kana.h"
#include "lang/rapid.h"
#include "lang/scripts.h"

namespace uzushio {
namespace {

std::string Repeat(const std::string& text, size_t times) {
  std::string result;
  for (size_t i = 0; i < times; ++i) result += text;
  return result;
}

struct Piece {
  const char* text;
  int kana;
  int letters;
};

const std::vector<Piece> kPieces = {{"ぁ", 1, 1}, {"ゖ", 1, 1}, {"ァ", 1, 1}, {"ヺ", 1, 1}, {"ー", 1, 1},
                                    {"・", 0, 1}, {"漢", 0, 1}, {"、", 0, 0}, {"「", 0, 0}, {"한", 0, 1},
                                    {"é", 0, 1},  {"я", 0, 1},  {"z", 0, 1},  {"A", 0, 1},  {"@", 0, 0},
                                    {"[", 0, 0},  {"`", 0, 0},  {"{", 0, 0},  {"5", 0, 0},  {" ", 0, 0},
                                    {"€", 0, 0},  {"Ａ", 0, 1}, {"，", 0, 0}, {"😀", 0, 1}, {"\xC2\xA0", 0, 0}};

TEST(CountScripts, EqualsTheCharactersCounted) {
  EXPECT_TRUE(rc::check([] {
    const auto choice = *rc::gen::container<std::vector<size_t>>(rc::gen::inRange<size_t>(0, kPieces.size()));
    std::string text;
    int64_t kana = 0;
    int64_t letters = 0;
    for (const size_t index : choice) {
      text += kPieces[index].text;
      kana += kPieces[index].kana;
      letters += kPieces[index].letters;
    }
    ScriptCounts counts;
    CountScripts(text, &counts);
    RC_ASSERT(counts.kana == kana);
    RC_ASSERT(counts.letters == letters);
    RC_ASSERT(CountKana(text, 1'000'000) == static_cast<size_t>(kana));
  }));
}

TEST(CountKana, StopsWhenThereAreEnough) {
  EXPECT_GE(CountKana(Repeat("あ", 100), 10), 10U);
  EXPECT_EQ(CountKana("", 10), 0U);
  EXPECT_EQ(CountKana("\xE3\x81", 10), 0U);
  EXPECT_EQ(CountKana("\xE3\xE3\x81\x82", 10), 0U);
}

TEST(CountKanaReferences, DecimalAndHexadecimal) {
  EXPECT_EQ(CountKanaReferences("&#12354;&#x3042;&#X30a2&#12539;&#65;&amp;&#&#x;&#99999999999999;&", 100), 3U);
  EXPECT_EQ(CountKanaReferences(Repeat("&#12354;", 50), 10), 10U);
}

TEST(CantBeJapanese, CountsKanaInAnyForm) {
  EXPECT_TRUE(CantBeJapanese("<p>English", true));
  EXPECT_TRUE(CantBeJapanese(Repeat("あ", kMinKana - 1), true));
  EXPECT_FALSE(CantBeJapanese(Repeat("あ", kMinKana), true));
  EXPECT_FALSE(CantBeJapanese(Repeat("&#12354;", kMinKana), true));
  EXPECT_FALSE(CantBeJapanese(Repeat("&#12354;", kMinKana), false));
  EXPECT_FALSE(CantBeJapanese(Repeat("あ", 5) + Repeat("&#12354;", kMinKana), true));
}

TEST(CantBeJapanese, LargePagesNeedMoreUnlessTheySaySo) {
  const std::string large = Repeat("あ", 20) + std::string(200'000, 'x');
  EXPECT_TRUE(CantBeJapanese(large, true));
  EXPECT_TRUE(CantBeJapanese("<html lang=\"en\">" + large, true));
  EXPECT_FALSE(CantBeJapanese("<html lang=\"ja\">" + large, true));
  EXPECT_FALSE(CantBeJapanese("<html xml:lang='ja-JP'>" + large, true));
  EXPECT_FALSE(CantBeJapanese("<html lang=ja>" + large, true));
}

std::string Document(const std::string& text) { return "body>p\x1c" + text; }

TEST(IsJapanese, ByKanaAndTheirShare) {
  EXPECT_TRUE(IsJapanese(Document("これはにほんごのぶんしょうです。"), ""));
  EXPECT_FALSE(IsJapanese(Document("これは"), ""));
  EXPECT_FALSE(IsJapanese(Document("我们都是好朋友"), ""));
  EXPECT_FALSE(IsJapanese(Document(Repeat("English text ", 200) + "にほんごがすこしだけあります"), ""));
  EXPECT_TRUE(IsJapanese(Document(Repeat("English text ", 50) + Repeat("にほんごのぶん", 20)), ""));
}

TEST(IsJapanese, ThePagesWordLowersTheBar) {
  const std::string text = Document(Repeat("English text ", 300) + Repeat("にほんごのぶん", 5));
  EXPECT_FALSE(IsJapanese(text, ""));
  EXPECT_FALSE(IsJapanese(text, "jam"));
  EXPECT_TRUE(IsJapanese(text, "ja"));
  EXPECT_TRUE(IsJapanese(text, "JA-jp"));
}

TEST(IsJapanese, PathsDoNotCount) {
  EXPECT_FALSE(
      IsJapanese("body>div.これはにほんごのなまえです#これはにほんごのなまえです\x1c"
                 "English",
                 ""));
}

TEST(IdentifyForeign, KnowsLanguages) {
  EXPECT_EQ(IdentifyForeign(Document("The quick brown fox jumps over the lazy dog and runs away from the hunter.")),
            "en");
  EXPECT_EQ(IdentifyForeign(Document("Der schnelle braune Fuchs springt über den faulen Hund und läuft davon.")), "de");
  EXPECT_EQ(IdentifyForeign(Document("안녕하세요 오늘은 날씨가 좋습니다 그래서 산책을 갑니다")), "ko");
  EXPECT_EQ(IdentifyForeign(Document("12345")), "und");
  EXPECT_EQ(IdentifyForeign(""), "und");
}

}  // namespace
}  // namespace uzushio
