#include "lm/tokenizer.h"

#include <gtest/gtest.h>

#include "base/test_support.h"
#include "lm/language_model.h"

namespace uzushio {
namespace {

std::vector<std::string> Sentences(const std::string& text) {
  std::vector<std::string> sentences;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = SentenceEnd(text, begin);
    sentences.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return sentences;
}

TEST(SentenceEnd, IsAfterSeparators) {
  EXPECT_EQ(Sentences("一。二、三！四？5!6?七\n八"),
            (std::vector<std::string>{"一。", "二、", "三！", "四？", "5!", "6?", "七\n", "八"}));
  EXPECT_TRUE(Sentences("").empty());
}

TEST(SentenceEnd, IsWhereSudachiCanTakeNoMore) {
  const auto ascii = Sentences(std::string(40000, 'a'));
  ASSERT_EQ(ascii.size(), 3U);
  EXPECT_EQ(ascii[0].size(), 16384U);
  for (const char* character : {"漢", "🌊"}) {
    for (const std::string& sentence : Sentences(Repeat(character, 30000))) {
      EXPECT_LE(sentence.size(), 49149U);
      EXPECT_TRUE(IsUtf8(sentence));
    }
  }
}

TEST(MeanScore, LeavesOutTheLeastLikely) {
  const std::vector<float> scores = {-1, -8, -2, -3};
  EXPECT_DOUBLE_EQ(MeanScore(scores, 0), -3.5);
  EXPECT_DOUBLE_EQ(MeanScore(scores, 0.24), -3.5);
  EXPECT_DOUBLE_EQ(MeanScore(scores, 0.25), -2);
  EXPECT_DOUBLE_EQ(MeanScore(scores, 1), -1);  // never all
  EXPECT_DOUBLE_EQ(MeanScore({}, 0.5), 0);
}

}  // namespace
}  // namespace uzushio
