#include "html/charset_score.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace uzushio {
namespace {

std::string LikeliestOf(std::string_view bytes, const std::vector<const char*>& labels) {
  std::string best;
  int64_t least = 0;
  for (const char* label : labels) {
    const int64_t bits = BitsOfText(*Encoding::ForLabel(label), bytes);
    if (best.empty() || bits < least) {
      best = label;
      least = bits;
    }
  }
  return best;
}

TEST(BitsOfText, AreFewestInWhatTheTextIsIn) {
  const std::vector<const char*> all = {"utf-8", "shift_jis", "euc-jp", "gbk", "big5", "euc-kr", "windows-1252"};
  const std::vector<std::pair<const char*, std::string>> texts = {
      {"utf-8", "日本語"},
      {"shift_jis", "\x8c\x9f\x8d\xf5"},                               // 検索
      {"shift_jis", "\x83\x81\x83\x6a\x83\x85\x81\x5b"},               // メニュー
      {"euc-jp", "\xb8\xa1\xba\xf7 \xca\xd4\xbd\xb8"},                 // 検索 編集
      {"euc-jp", "\xa4\xb3\xa4\xec\xa4\xcf"},                          // これは
      {"gbk", "\xb0\xef\xd6\xfa \xcb\xd1\xcb\xf7 \xcf\xd4\xca\xbe"},   // 帮助 搜索 显示
      {"euc-kr", "\xb1\xd7\xb8\xb2 \xc6\xed\xc1\xfd"},                 // 그림 편집
      {"big5", "\xbf\xef\xbe\xdc \xc5\xe3\xa5\xdc \xa6\x77\xb8\xcb"},  // 選擇 顯示 安裝
      {"windows-1252",
       "na\xefve caf\xe9, M\xfcnchen, gr\xf6\xdf"
       "er"},
      {"windows-1252", "don\x92t \x93quote\x94 \xa0"}};
  for (const auto& [label, bytes] : texts) EXPECT_EQ(LikeliestOf(bytes, all), label) << bytes;
}

TEST(BitsOfText, OfLettersOfOtherScriptsAreFewerThanOfRareKanji) {
  const std::string russian = "\xcf\xf0\xe8\xe2\xe5\xf2 \xec\xe8\xf0 \xef\xee\xe8\xf1\xea";  // Привет мир поиск
  EXPECT_EQ(LikeliestOf(russian, {"windows-1251", "windows-1252", "koi8-r", "shift_jis", "euc-jp", "gbk", "euc-kr"}),
            "windows-1251");
}

TEST(BitsOfText, OfRunsOfHalfWidthKatakanaAreFewerThanOfSingleOnes) {
  const Encoding sjis = *Encoding::ForLabel("shift_jis");
  EXPECT_LT(BitsOfText(sjis, "\xb1\xb2\xb3 ..."), BitsOfText(sjis, "\xb1.\xb2.\xb3 ."));
}

TEST(BitsOfText, GrowWithFaults) {
  EXPECT_EQ(BitsOfText(Encoding::Utf8(), ""), 0);
  EXPECT_LT(BitsOfText(Encoding::Utf8(), "あ"), BitsOfText(Encoding::Utf8(), "\xe3\x81"));
  EXPECT_LT(BitsOfText(Encoding::Utf8(), "あ"), BitsOfText(Encoding::Utf8(), "\uE000"));
  const Encoding latin = *Encoding::ForLabel("windows-1252");
  EXPECT_LT(BitsOfText(latin, "\xe9"), BitsOfText(latin, "\x81"));
  EXPECT_LT(BitsOfText(*Encoding::ForLabel("euc-jp"), "\xc6\xfc"), BitsOfText(*Encoding::ForLabel("gb18030"), "\xff"));
}

}  // namespace
}  // namespace uzushio
