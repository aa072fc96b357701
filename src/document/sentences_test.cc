#include "document/sentences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "base/test_support.h"

namespace uzushio {
namespace {

std::vector<std::string> TokenizerParts(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = TokenizerPartEnd(text, begin);
    parts.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return parts;
}

TEST(TokenizerPartEnd, IsAfterSeparators) {
  EXPECT_EQ(TokenizerParts("一。二、三！四？5!6?七\n八"),
            (std::vector<std::string>{"一。", "二、", "三！", "四？", "5!", "6?", "七\n", "八"}));
  EXPECT_TRUE(TokenizerParts("").empty());
}

TEST(TokenizerPartEnd, IsWhereSudachiCanTakeNoMore) {
  const auto ascii = TokenizerParts(std::string(40000, 'a'));
  ASSERT_EQ(ascii.size(), 3U);
  EXPECT_EQ(ascii[0].size(), 16384U);
  for (const char* character : {"漢", "🌊"}) {
    for (const std::string& part : TokenizerParts(Repeat(character, 30000))) {
      EXPECT_LE(part.size(), 49149U);
      EXPECT_TRUE(IsUtf8(part));
    }
  }
}

std::vector<std::string> CutSentences(std::string_view text) {
  SentenceCutter cutter;
  const auto& cut = cutter.Cut(text);
  return {cut.begin(), cut.end()};
}

TEST(SentenceCutter, CutsBehindMarks) {
  EXPECT_THAT(CutSentences("今日は雨。明日は？！晴れ…です．もう!おわり"),
              testing::ElementsAre("今日は雨。", "明日は？！", "晴れ…です．", "もう!", "おわり"));
  EXPECT_THAT(CutSentences(""), testing::IsEmpty());
  EXPECT_THAT(CutSentences("\n\n"), testing::IsEmpty());
  EXPECT_THAT(CutSentences("一\n\n二。\n三"), testing::ElementsAre("一", "二。", "三"));
}

TEST(SentenceCutter, LeavesBracketsWhole) {
  EXPECT_THAT(CutSentences("彼は「行く。来る？」と言った。次。"),
              testing::ElementsAre("彼は「行く。来る？」と言った。", "次。"));
  EXPECT_THAT(CutSentences("（注：これ。）本文。』）後"), testing::ElementsAre("（注：これ。）本文。』）", "後"));
  EXPECT_THAT(CutSentences("すごい（笑）。はい"), testing::ElementsAre("すごい（笑）。", "はい"));
}

TEST(SentenceCutter, TakesBracketsThatMatchNothingAsLetters) {
  EXPECT_THAT(CutSentences("「開いた。まま。終わり"), testing::ElementsAre("「開いた。", "まま。", "終わり"));
  EXPECT_THAT(CutSentences("（一「二）三。四"), testing::ElementsAre("（一「二）三。", "四"));
  EXPECT_THAT(CutSentences("「一\n二。三」四"), testing::ElementsAre("「一", "二。", "三」四"));
}

// What is cut is all that there was, but line breaks.
TEST(SentenceCutter, LosesNothing) {
  const std::vector<std::string> parts = {"。", "！", "?", "「", "」", "（", "）",
                                          "\n", "あ", "a", "🌊", "｡",  "[",  "}"};
  rc::check([&parts] {
    const auto chosen = *rc::gen::container<std::vector<size_t>>(rc::gen::inRange<size_t>(0, parts.size()));
    std::string text;
    std::string without;
    for (const size_t part : chosen) {
      text += parts[part];
      if (parts[part] != "\n") without += parts[part];
    }
    std::string joined;
    for (const std::string& sentence : CutSentences(text)) {
      RC_ASSERT(!sentence.empty());
      joined += sentence;
    }
    RC_ASSERT(joined == without);
  });
}

TEST(SentenceCutter, IsLinear) {
  EXPECT_EQ(CutSentences(Repeat("「", 1 << 20)).size(), 1U);
  EXPECT_EQ(CutSentences(Repeat("「）", 1 << 19)).size(), 1U);
  EXPECT_EQ(CutSentences(Repeat("あ。", 1 << 19)).size(), size_t{1} << 19);
}

}  // namespace
}  // namespace uzushio
