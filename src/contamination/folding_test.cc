#include "contamination/folding.h"

#include <gtest/gtest.h>

#include <random>

#include "base/test_support.h"

namespace uzushio {
namespace {

std::string Folded(const std::string& text, const FoldingOptions& options = {}) {
  std::string codes;
  Folding(options).Append(text, &codes);
  return codes;
}

TEST(Folding, TakesFormsOfACharacterForOne) {
  EXPECT_EQ(Folded("ＡＢＣ１２３"), Folded("abc123"));
  EXPECT_EQ(Folded("ｶﾞｷﾞﾊﾟ"), Folded("がぎぱ"));
  EXPECT_EQ(Folded("が"), Folded("か\u3099"));
  EXPECT_EQ(Folded("カ\u3099"), Folded("が"));
  EXPECT_EQ(Folded("データ"), Folded("でーた"));
  EXPECT_EQ(Folded("①㈱㍍"), Folded("1株めーとる"));
  EXPECT_EQ(Folded("é"), Folded("e\u0301"));
  EXPECT_EQ(Folded("次の、うち\n　正しい (もの)。"), Folded("次のうち正しいもの"));
  EXPECT_EQ(Folded("\u200b\ufeff\u00ad"), "");
  EXPECT_EQ(Folded("\U0002F800"), Folded("丽"));  // a compatibility ideograph beyond the table
  EXPECT_EQ(Folded("Straße"), Folded("STRASSE"));
  EXPECT_NE(Folded("か"), Folded("が"));
  EXPECT_NE(Folded("東京"), Folded("京東"));
}

TEST(Folding, DoesWhatItsOptionsSay) {
  EXPECT_NE(Folded("ＡＢ", {.width = false}), Folded("ab", {.width = false}));
  EXPECT_NE(Folded("AB", {.upper_case = false}), Folded("ab", {.upper_case = false}));
  EXPECT_NE(Folded("カナ", {.kana = false}), Folded("かな", {.kana = false}));
  EXPECT_EQ(Folded("ｶﾞ", {.kana = false}), Folded("ガ", {.kana = false}));
  EXPECT_NE(Folded("a b", {.spaces = false}), Folded("ab", {.spaces = false}));
  EXPECT_EQ(Folded("a\nb", {.spaces = false}), Folded("a b", {.spaces = false}));
  EXPECT_NE(Folded("a-b", {.punctuation = false}), Folded("ab", {.punctuation = false}));
}

TEST(Folding, HasNoCodeZero) {
  std::string all;
  for (char32_t point = 1; point < 0x30000; ++point) {
    if (point >= 0xD800 && point < 0xE000) continue;
    if (point < 0x80) {
      all += static_cast<char>(point);
    } else if (point < 0x800) {
      all += {static_cast<char>(0xC0 | point >> 6), static_cast<char>(0x80 | (point & 0x3F))};
    } else if (point < 0x10000) {
      all += {static_cast<char>(0xE0 | point >> 12), static_cast<char>(0x80 | (point >> 6 & 0x3F)),
              static_cast<char>(0x80 | (point & 0x3F))};
    } else {
      all += {static_cast<char>(0xF0 | point >> 18), static_cast<char>(0x80 | (point >> 12 & 0x3F)),
              static_cast<char>(0x80 | (point >> 6 & 0x3F)), static_cast<char>(0x80 | (point & 0x3F))};
    }
  }
  for (const bool width : {false, true}) {
    const std::string codes = Folded(all, {.width = width, .spaces = false, .punctuation = false});
    EXPECT_GT(codes.size(), 100000U);
    EXPECT_EQ(codes.find('\0'), std::string::npos);
  }
}

// Of hostile size: with time in proportion to its square, each of these takes minutes.
TEST(Folding, TakesLongTextsOfMarksAndCompatibilityCharacters) {
  constexpr size_t kTimes = 1'000'000;
  EXPECT_EQ(Folded(Repeat("ｶﾞ", kTimes)), Folded(Repeat("が", kTimes)));
  EXPECT_EQ(Folded(Repeat("㍍", kTimes)), Folded(Repeat("めーとる", kTimes)));
  EXPECT_EQ(Folded("か" + Repeat("\u3099", kTimes)), Folded("が"));
}

// Without places, runs of characters are taken at once.
TEST(Folding, MakesTheSameCodesWithAndWithoutPlaces) {
  const Folding folding({});
  std::mt19937_64 random(1);
  const std::vector<std::string> characters = {"a",  "Z",  " ",      "\n",         "-",         "é",  "ß",
                                               "か", "カ", "ｶ",      "ﾞ",          "\u3099",    "、", "東",
                                               "㍍", "が", "\u309A", "\U0002F800", "\U0001F600"};
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (size_t size = random() % 20; size > 0; --size) {
      text += Repeat(characters[random() % characters.size()], 1 + random() % 3);
    }
    std::string codes;
    std::string without;
    std::vector<uint32_t> places;
    folding.Append(text, &codes, &places);
    folding.Append(text, &without);
    EXPECT_EQ(without, codes) << text;
  }
}

TEST(Folding, SaysWhereCharactersBegin) {
  std::string codes;
  std::vector<uint32_t> places;
  const std::string text = "a ㍍、ｶﾞ東";
  Folding({}).Append(text, &codes, &places);
  EXPECT_EQ(places, (std::vector<uint32_t>{0, 2, 2, 2, 2, 8, 14}));
  EXPECT_EQ(places.size(), codes.size());
}

}  // namespace
}  // namespace uzushio
