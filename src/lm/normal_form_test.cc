#include "lm/normal_form.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <cstdlib>
#include <random>

namespace uzushio {
namespace {

std::string Nfkc(std::string_view text) {
  std::string to = "before";
  NormalizeNfkc(text, &to);
  return to;
}

std::string Lower(std::string_view text) {
  std::string to = "before";
  LowerCase(text, &to);
  return to;
}

TEST(NormalizeNfkc, Examples) {
  EXPECT_EQ(Nfkc(""), "");
  EXPECT_EQ(Nfkc("漢字とかな。"), "漢字とかな。");
  EXPECT_EQ(Nfkc("ＡＢＣ１２３！　①㍿"), "ABC123! 1株式会社");
  EXPECT_EQ(Nfkc("ｶﾞｷﾞ漢ｱ"), "ガギ漢ア");
  EXPECT_EQ(Nfkc("か\u3099き\u3099x"), "がぎx");
  EXPECT_EQ(Nfkc("aか\u3099"), "aが");
  EXPECT_EQ(Nfkc("e\u0301 \u0301"), "é \u0301");
  EXPECT_EQ(Nfkc("\ufdfa\ufdfa").size(), 66U);  // of three bytes, thirty-three
}

TEST(NormalizeNfkc, IsThatOfTheWholeTextAtOnce) {
  constexpr char32_t kPoints[] = {'a',    'A',    0xC0,   0x301,  0x323,  0x3099, 0x309A,  0x304B,  0x306F, 0x30AB,
                                  0x3000, '\n',   0xFF76, 0xFF9E, 0xFF01, 0x4E00, 0xF900,  0x1100,  0x1161, 0x11A8,
                                  0xAC00, 0x3042, 0x30FF, 0x30FD, 0x302A, 0xFDFA, 0x1F600, 0x2F800, 0x3001, 0x212B};
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (size_t k = random() % 9; k > 0; --k) {
      utf8proc_uint8_t bytes[4];
      const auto point = static_cast<utf8proc_int32_t>(kPoints[random() % std::size(kPoints)]);
      text.append(reinterpret_cast<char*>(bytes), static_cast<size_t>(utf8proc_encode_char(point, bytes)));
    }
    utf8proc_uint8_t* const whole = utf8proc_NFKC(reinterpret_cast<const utf8proc_uint8_t*>(text.c_str()));
    EXPECT_EQ(Nfkc(text), reinterpret_cast<const char*>(whole)) << text;
    std::free(whole);
  }
}

// A page of a few MiB may be made of them.
TEST(NormalizeNfkc, MarksThatHaveToChangePlacesTakeLinearTime) {
  constexpr size_t kPairs = 300000;
  std::string text = "a";
  std::string below;
  std::string above;
  for (size_t i = 0; i < kPairs; ++i) text += "\u0301\u0316";
  for (size_t i = 0; i < kPairs; ++i) below += "\u0316";
  for (size_t i = 1; i < kPairs; ++i) above += "\u0301";
  EXPECT_TRUE(Nfkc(text) == "\u00e1" + below + above);
}

TEST(LowerCase, Examples) {
  EXPECT_EQ(Lower("AbZ[@漢ÀΣЖＡ"), "abz[@漢àσжａ");
  EXPECT_EQ(Lower(""), "");
}

}  // namespace
}  // namespace uzushio
