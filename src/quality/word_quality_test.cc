#include "quality/word_quality.h"

#include <gtest/gtest.h>

#include <array>
#include <map>

namespace uzushio {
namespace {

// Metrics of a text whose words are separated by `/`, which is not in the text, by their names.
std::map<std::string, double> MeasuredWords(std::string_view divided) {
  static WordQuality quality;
  quality.Begin();
  std::string text;
  for (std::string_view rest = divided; !rest.empty();) {
    const size_t end = std::min(rest.find('/'), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    text += word;
    if (word != "\n" && word != " ") quality.AddWord(word);
  }
  const std::vector<std::string> stop_words = {"は", "を"};
  std::array<double, kFineWebMetrics> values{};
  values.fill(-1);
  quality.Measure(text, stop_words, values);
  std::map<std::string, double> named;
#define UZUSHIO_FINEWEB_VALUE(NAME, MEANING) named[#NAME] = values[static_cast<size_t>(FineWebMetric::NAME)];
  UZUSHIO_FINEWEB_METRICS(UZUSHIO_FINEWEB_VALUE)
#undef UZUSHIO_FINEWEB_VALUE
  return named;
}

TEST(WordQuality, NothingIsZero) {
  for (const auto& [name, value] : MeasuredWords("")) EXPECT_EQ(value, 0) << name;
}

TEST(WordQuality, CountsWords) {
  auto found = MeasuredWords("私/は/、/AB#/を/は/１");
  EXPECT_EQ(found["num_words"], 5);  // １ is a mark there
  EXPECT_EQ(found["mean_word_length"], 7 / 5.0);
  EXPECT_EQ(found["num_stop_words"], 2);
  EXPECT_EQ(found["hashes_per_word"], 1 / 7.0);
  EXPECT_EQ(found["alphabetic_word_fraction"], 5 / 7.0);
}

TEST(WordQuality, LooksAtLines) {
  auto found = MeasuredWords("　・一/\n/•二。/\n/-三…/\n/\n/四...　/\n/•二。/\n/　");
  EXPECT_EQ(found["duplicate_line_fraction"], 1 / 6.0);  // one is white space
  EXPECT_EQ(found["duplicate_line_letter_fraction"], 3 / 18.0);
  EXPECT_EQ(found["terminated_line_fraction"], 2 / 5.0);
  EXPECT_EQ(found["bullet_line_fraction"], 3 / 7.0);
  EXPECT_EQ(found["ellipsis_line_fraction"], 2 / 7.0);
}

TEST(WordQuality, TopNgramsAreOfWords) {
  auto found = MeasuredWords("a/bc/ab/c/a/bc/x");
  // "a bc" twice; "ab c" is another.
  EXPECT_EQ(found["top_2gram_word_fraction"], 4 * 2 / 10.0);
  // All once: the first, "a bc ab".
  EXPECT_EQ(found["top_3gram_word_fraction"], 7 / 10.0);
}

TEST(WordQuality, DuplicateNgramsDoNotOverlap) {
  EXPECT_EQ(MeasuredWords("a/a/a/a/a/a/a/a/a/a/a")["duplicate_5gram_word_fraction"], 10 / 11.0);
  // The five words of "a b c d e" again, cut in another way.
  EXPECT_EQ(MeasuredWords("a/b/c/d/e/x/ab/c/d/e/y/abc/d/e/y/a/b/c/d/e")["duplicate_5gram_word_fraction"], 5 / 23.0);
}

// A short text after a long one, whose buffers are given back.
TEST(WordQuality, BuffersAreGivenBack) {
  std::string text;
  for (int i = 0; i < 1 << 20; ++i) text += "あ/";
  EXPECT_EQ(MeasuredWords(text)["num_words"], 1 << 20);
  EXPECT_EQ(MeasuredWords("あ/い")["num_words"], 2);
}

}  // namespace
}  // namespace uzushio
