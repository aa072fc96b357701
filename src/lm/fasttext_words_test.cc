#include "lm/fasttext_words.h"

#include <gmock/gmock.h>

#include <vector>

namespace uzushio {
namespace {

std::string LineOf(const FastTextForm& form, std::string_view text) {
  const FastTextWords words = FastTextWords::Open(form).ValueOrDie();
  FastTextBuffers buffers;
  Tokenizers tokenizers;
  return std::string(words.LineOf(text, &buffers, &tokenizers));
}

std::vector<std::string> WordsOf(std::string_view line) {
  std::vector<std::string> words;
  ForEachFastTextWord(line, [&words](std::string_view word) { words.emplace_back(word); });
  return words;
}

TEST(FastTextWords, ReplaceInOrder) {
  EXPECT_EQ(LineOf({}, "ＡＢ c\nd"), "ＡＢ c\nd");
  EXPECT_EQ(LineOf({.normalize = "nfkc", .lowercase = true}, "ＡＢ c\nd"), "ab c\nd");
  EXPECT_EQ(LineOf({.max_characters = 2, .normalize = "nfkc"}, "㍿ＡＢ"), "株式会社A");  // cut before
}

TEST(FastTextWords, CutIntoCharacters) {
  EXPECT_EQ(LineOf({.tokens = "characters"}, "本 a\n\u3000é\t。"), "本 a é 。");
  EXPECT_EQ(LineOf({.tokens = "characters"}, "a\xe3"), "a \xe3");
  EXPECT_EQ(LineOf({.tokens = "characters"}, ""), "");
}

TEST(FastTextWords, AreThoseThatPredictionLooksAt) {
  EXPECT_THAT(WordsOf(" a\tbb \n本 __label__x c"), testing::ElementsAre("a", "bb", "本", "c"));
  EXPECT_THAT(WordsOf("a </s> b"), testing::ElementsAre("a"));
  EXPECT_THAT(WordsOf(" \n"), testing::IsEmpty());
}

}  // namespace
}  // namespace uzushio
