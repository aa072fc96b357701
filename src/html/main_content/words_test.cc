#include "html/main_content/words.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/test_support.h"

namespace uzushio {
namespace {

class KeepTokens final : public TokenVisitor {
 public:
  void Token(uint32_t hash) override { tokens.push_back(hash); }
  std::vector<uint32_t> tokens;
};

std::vector<uint32_t> WordsOf(std::string_view text) {
  KeepTokens keep;
  VisitWords(text, &keep);
  return keep.tokens;
}

TEST(VisitWords, EachWordEachTwoAndAll) {
  EXPECT_TRUE(WordsOf("").empty());
  EXPECT_TRUE(WordsOf("12/34、。 ・ →").empty());
  EXPECT_EQ(WordsOf("more").size(), 1U);
  EXPECT_EQ(WordsOf("read more").size(), 3U);
  EXPECT_EQ(WordsOf("read much more").size(), 6U);
  const std::vector<uint32_t> words = WordsOf("a b a b");
  EXPECT_EQ(words.size(), 8U);
  EXPECT_EQ(std::set<uint32_t>(words.begin(), words.end()).size(), 5U);  // a, b, a b, b a, a b a b
}

TEST(VisitWords, SmallLettersWithoutSignsDigitsAndLinkMarks) {
  EXPECT_EQ(WordsOf("Read More"), WordsOf("\x02read\x03: more (12)"));
  EXPECT_NE(WordsOf("read more"), WordsOf("readmore"));
  EXPECT_EQ(WordsOf("été").size(), 1U);
}

TEST(VisitWords, JapaneseScriptsPartWords) {
  EXPECT_EQ(WordsOf("関連記事"), WordsOf("【関連記事】"));
  EXPECT_EQ(WordsOf("関連記事").size(), 1U);
  EXPECT_EQ(WordsOf("人気ランキング").size(), 3U);
  EXPECT_EQ(WordsOf("この記事を書いた人").size(), 6U + 5U + 1U);
  EXPECT_EQ(WordsOf("スー・パー").size(), 3U);
  EXPECT_EQ(WordsOf("한국어 뉴스").size(), 3U);
}

TEST(VisitWords, LongTextsAreNotLookedAt) {
  EXPECT_FALSE(WordsOf(Repeat("a ", kMostWordsBytes / 2)).empty());
  EXPECT_TRUE(WordsOf(Repeat("a ", kMostWordsBytes / 2) + "b").empty());
}

WordScores ScoreWords(std::string_view text, const TokenScores& scores) {
  WordLookup lookup;
  for (const std::string_view each : {std::string_view("other good words"), text}) {  // what was there is forgotten
    lookup.Collect(each, scores);
    lookup.Sift(scores);
  }
  return lookup.Sum(scores);
}

TEST(WordLookup, LeastMostAndSum) {
  const uint32_t good = WordsOf("good")[0];
  const uint32_t bad = WordsOf("bad")[0];
  const std::vector<TokenScores::Entry> entries = {{good, 30}, {bad, -20}};
  const TokenScores scores(entries);
  const WordScores both = ScoreWords("bad good bad", scores);
  EXPECT_EQ(both.least, -20);
  EXPECT_EQ(both.most, 30);
  EXPECT_EQ(both.sum, -10);
  EXPECT_EQ(ScoreWords("good", scores).least, 0);
  EXPECT_EQ(ScoreWords("neither", scores).sum, 0);
  EXPECT_EQ(ScoreWords("", scores).sum, 0);
  EXPECT_EQ(ScoreWords(Repeat("good ", kMostWordsBytes), scores).sum, 0);
}

TEST(WordLookup, OfAsManyWordsAsThereMayBe) {
  const std::string text = Repeat("aあ", kMostWordsBytes / 4);
  const std::vector<uint32_t> words = WordsOf(text);
  std::vector<TokenScores::Entry> entries;
  int32_t score = 0;
  for (const uint32_t word : std::set<uint32_t>(words.begin(), words.end())) entries.push_back({word, ++score});
  const TokenScores scores(entries);
  int32_t sum = 0;
  for (const uint32_t word : words) sum += *scores.Find(word);
  const WordScores found = ScoreWords(text, scores);
  EXPECT_EQ(found.sum, sum);
  EXPECT_EQ(found.most, score);
  EXPECT_EQ(found.least, 0);
}

}  // namespace
}  // namespace uzushio
