#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "base/test_support.h"
#include "lang/identify.h"
#include "lang/kana.h"
#include "lang/rapid.h"
#include "lang/scripts.h"

namespace uzushio {
namespace {

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

// --- against what the code points say, for all of them ---

std::string Utf8Of(uint32_t code) {
  std::string text;
  if (code < 0x80) return text += static_cast<char>(code);
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr std::array<uint32_t, 4> kLead = {0, 0xC0, 0xE0, 0xF0};
  text += static_cast<char>(kLead[static_cast<size_t>(more)] | code >> 6 * more);
  for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80 | (code >> 6 * i & 0x3F));
  return text;
}

bool IsKanaCode(uint32_t code) {
  return (code >= 0x3041 && code <= 0x3096) || (code >= 0x30A1 && code <= 0x30FA) || code == 0x30FC;
}

bool IsLetterCode(uint32_t code) {
  if (code < 0xC0) return (code >= 'A' && code <= 'Z') || (code >= 'a' && code <= 'z');
  if (code <= 0x1FFF) return true;
  if (code < 0x2C00) return false;
  return !(code >= 0x3000 && code <= 0x303F) && !(code >= 0xFE00 && code <= 0xFE6F) &&
         !(code >= 0xFF00 && code <= 0xFF20);
}

TEST(CountScripts, EveryCodePoint) {
  for (uint32_t code = 0; code < 0x110000; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    const std::string text = Utf8Of(code);
    ScriptCounts counts;
    CountScripts(text, &counts);
    ASSERT_EQ(counts.kana, IsKanaCode(code) ? 1 : 0) << std::hex << code;
    ASSERT_EQ(counts.letters, IsLetterCode(code) ? 1 : 0) << std::hex << code;
    ASSERT_EQ(CountKana(text, 10), IsKanaCode(code) ? 1U : 0U) << std::hex << code;
  }
}

TEST(CountScripts, AddsUpAndEndsOnAnyBytes) {
  EXPECT_TRUE(rc::check([](const std::string& a, const std::string& b) {
    ScriptCounts counts;
    CountScripts(a + "\xE3", &counts);
    CountScripts(b + "\xF0\x9F", &counts);
    RC_ASSERT(counts.kana >= 0 && counts.kana <= counts.letters);
    CountKana(a + "\xE3\x81", 1000);
    CountKanaReferences(a + "&#" + b, 1000);
    CountKanaReferences(a + "&#x", 1000);
    CantBeJapanese(a + "<html " + b + "<html lang", true);
    IsJapanese(a + "\x1c" + b, b);
    IdentifyForeign(a + "\x1c" + b);
  }));
}

TEST(CountKanaReferences, EveryCodePointInEachForm) {
  for (uint32_t code = 0; code < 0x12000; ++code) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "&#%u;&#x%x;&#X%X &#%07u&", code, code, code, code);
    ASSERT_EQ(CountKanaReferences(text.data(), 10), IsKanaCode(code) ? 4U : 0U) << text.data();
  }
}

TEST(CountKana, EqualsItsPartsAndTheWhole) {
  EXPECT_TRUE(rc::check([] {
    const auto codes = *rc::gen::container<std::vector<uint32_t>>(
        rc::gen::oneOf(rc::gen::inRange<uint32_t>(0x3000, 0x3100), rc::gen::inRange<uint32_t>(0x20, 0x7F),
                       rc::gen::inRange<uint32_t>(0x4E00, 0x9FFF)));
    std::string text;
    size_t expected = 0;
    for (const uint32_t code : codes) {
      text += Utf8Of(code);
      expected += IsKanaCode(code) ? 1 : 0;
    }
    RC_ASSERT(CountKana(text, 1'000'000) == expected);
    const auto enough = *rc::gen::inRange<size_t>(1, 20);
    RC_ASSERT((CountKana(text, enough) >= enough) == (expected >= enough));
  }));
}

TEST(CantBeJapanese, SparesNoPageThatIsJapanese) {
  EXPECT_TRUE(rc::check([] {
    const auto parts = *rc::gen::container<std::vector<std::string>>(
        rc::gen::elementOf(std::vector<std::string>{"あ", "カ", "漢字", "English ", "12", "。"}));
    std::string text;
    for (int i = 0; i < 10; ++i) {
      for (const std::string& part : parts) text += part;
    }
    if (IsJapanese(Document(text), "")) RC_ASSERT(!CantBeJapanese("<p>" + text, true));
    if (IsJapanese(Document(text), "ja")) RC_ASSERT(!CantBeJapanese("<html lang=ja><p>" + text, true));
  }));
}

TEST(IsJapanese, LinkMarksAndParagraphsDoNotMatter) {
  const std::string text = "これはにほんごのぶん";
  std::string apart;
  for (size_t i = 0; i < text.size(); i += 3) {
    apart += (apart.empty() ? "p\x1c\x02" : "\n\np\x1c\x02") + text.substr(i, 3) + "\x03";
  }
  EXPECT_TRUE(IsJapanese(Document(text), ""));
  EXPECT_TRUE(IsJapanese(apart, ""));
}

TEST(IdentifyForeign, NeverSaysJapanese) {
  EXPECT_EQ(IdentifyForeign(Document(Repeat("これはにほんごのぶんしょうです。", 20))), "und");
}

TEST(IdentifyForeign, LooksAtAllOfTheText) {
  const std::string english = Repeat("English words on the navigation of this page. ", 4);
  std::string document = Document(english);
  for (int i = 0; i < 200; ++i) {
    document += "\n\n" + Document("Dies ist ein deutscher Absatz über das Wetter und die schönen Städte des Landes.");
  }
  EXPECT_EQ(IdentifyForeign(document), "de");
}

TEST(IdentifyForeign, TellsChineseWritingsApart) {
  EXPECT_EQ(IdentifyForeign(Document(Repeat("这是一个关于中国历史和文化的网站，欢迎访问我们的主页。", 5))), "zh");
  EXPECT_EQ(IdentifyForeign(Document(Repeat("這是一個關於中國歷史和文化的網站，歡迎訪問我們的主頁。", 5))), "zh-Hant");
}

}  // namespace
}  // namespace uzushio
