#include "html/main_content/text_measure.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <tuple>
#include <vector>

#include "base/test_support.h"

namespace uzushio {
namespace {

auto AsTuple(const TextMeasure& m) {
  return std::tuple(m.width, m.words, m.link_width, m.links, m.lines, m.sentences, m.commas, m.digits, m.capitals,
                    m.separators, m.currency, m.ends_sentence, m.ends_colon, m.starts_digit, m.copyright, m.hash);
}

TEST(MeasureText, OfNothingIsNothing) {
  TextMeasure m = MeasureText("");
  m.hash = 0;
  EXPECT_EQ(AsTuple(m), AsTuple(TextMeasure()));
  EXPECT_EQ(m.lines, 1);
}

TEST(MeasureText, Ascii) {
  const TextMeasure m = MeasureText("Hello, World. It's 42; a.b\n$1 | x/y? \"No!\"");
  EXPECT_EQ(m.width, 5 + 5 + 3 + 2 + 2 + 1 + 2 + 2);
  EXPECT_EQ(m.words, 10);  // Hello World It's 42 a b 1 x y No
  EXPECT_EQ(m.capitals, 4);
  EXPECT_EQ(m.digits, 3);
  EXPECT_EQ(m.commas, 2);
  EXPECT_EQ(m.sentences, 3);  // not that inside of a.b
  EXPECT_EQ(m.lines, 2);
  EXPECT_EQ(m.currency, 1);
  EXPECT_EQ(m.separators, 2);
  EXPECT_TRUE(m.ends_sentence);
  EXPECT_FALSE(m.starts_digit);
  EXPECT_FALSE(m.ends_colon);
  EXPECT_EQ(m.links, 0);
}

TEST(MeasureText, OtherLettersAreOfWords) {
  const TextMeasure m = MeasureText("Élan naïve Привет l’été “a” b…");
  EXPECT_EQ(m.words, 6);
  EXPECT_EQ(m.width, 4 + 5 + 6 + 4 + 1 + 1);
  EXPECT_EQ(m.sentences, 1);
}

TEST(MeasureText, WideCharactersCountTwice) {
  const TextMeasure m = MeasureText("これは、テストです。値段は5円！");
  EXPECT_EQ(m.width, 2 * 12 + 1);
  EXPECT_EQ(m.words, 1 + 6);  // two wide ones are a word, and 5
  EXPECT_EQ(m.commas, 1);
  EXPECT_EQ(m.sentences, 2);
  EXPECT_EQ(m.currency, 1);
  EXPECT_EQ(m.digits, 1);
  EXPECT_TRUE(m.ends_sentence);
  EXPECT_EQ(MeasureText("値").words, 1);
  EXPECT_EQ(MeasureText("値値値").words, 2);
  EXPECT_EQ(MeasureText("한국어").width, 6);
  EXPECT_EQ(MeasureText("😀").width, 2);
}

TEST(MeasureText, Links) {
  const TextMeasure m = MeasureText(
      "\x02"
      "ab\x03"
      "c 日\x02本\x03");
  EXPECT_EQ(m.width, 7);
  EXPECT_EQ(m.link_width, 4);
  EXPECT_EQ(m.links, 2);
  EXPECT_EQ(m.words, 3);
}

TEST(MeasureText, Signs) {
  EXPECT_EQ(MeasureText("a » b › c • d · e ‹ f « g → h | i / j > k").separators, 10);
  EXPECT_EQ(MeasureText("一｜二・三／四").separators, 3);
  EXPECT_EQ(MeasureText("£1 €2 ¥3 $4").currency, 4);
  EXPECT_TRUE(MeasureText("© 2023").copyright);
  EXPECT_FALSE(MeasureText("® 2023").copyright);
}

TEST(MeasureText, BeginsAndEnds) {
  for (const char* text :
       {"a.", "a!", "a?", "あ。", "あ！", "あ？", "あ…", "「あ」", "(a.)", "\"a.\"", "\x02あ。\x03"}) {
    EXPECT_TRUE(MeasureText(text).ends_sentence) << text;
  }
  for (const char* text : {"a", "a:", "あ、", ".a", ")", "\x03"}) EXPECT_FALSE(MeasureText(text).ends_sentence) << text;
  for (const char* text : {"a:", "あ：", "\x02:\x03"}) EXPECT_TRUE(MeasureText(text).ends_colon) << text;
  EXPECT_TRUE(MeasureText("1a").starts_digit);
  EXPECT_TRUE(MeasureText("\x02"
                          "1\x03")
                  .starts_digit);
  for (const char* text : {"\x02", "a1", "", " 1"}) EXPECT_FALSE(MeasureText(text).starts_digit) << text;
}

TEST(MeasureText, HashesTellTextsApart) {
  EXPECT_EQ(MeasureText("これは文です").hash, MeasureText("これは文です").hash);
  EXPECT_NE(MeasureText("これは文です").hash, MeasureText("これは丈です").hash);
  EXPECT_NE(MeasureText("ab").hash, MeasureText("ba").hash);
}

// Whatever stands behind a text, and wherever it is cut.
TEST(MeasureText, LooksAtTheTextAlone) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    for (const std::string& all : {bytes, "\x02あ。\x03é£…円😀.\xE3" + bytes}) {
      for (size_t size = 0; size <= all.size(); ++size) {
        const std::vector<char> exact(all.begin(), all.begin() + static_cast<ptrdiff_t>(size));  // nothing behind it
        const TextMeasure m = MeasureText({exact.data(), size});
        std::string more = all.substr(0, size) + "\x80\x80\x80 a";
        RC_ASSERT(AsTuple(m) == AsTuple(MeasureText(std::string_view(more).substr(0, size))));
        RC_ASSERT(m.link_width <= m.width && m.words <= m.width && static_cast<size_t>(m.width) <= 2 * size);
      }
    }
  }));
}

TEST(MeasureText, LongTextsDoNotOverflow) {
  const TextMeasure m = MeasureText(Repeat("あいうえお。", 500'000));
  EXPECT_EQ(m.width, 5'000'000);
  EXPECT_EQ(m.words, 1'250'000);
  EXPECT_EQ(m.sentences, 500'000);
}

}  // namespace
}  // namespace uzushio
