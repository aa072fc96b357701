#include "quality/text_quality.h"

#include <gtest/gtest.h>

#include <map>

namespace uzushio {
namespace {

std::map<std::string, double> Measured(std::string_view text) {
  static TextQuality quality;
  std::array<double, kSwallowMetrics> values;
  values.fill(-1);
  quality.Measure(text, values);
  std::map<std::string, double> named;
#define UZUSHIO_SWALLOW_VALUE(NAME, MEANING) named[#NAME] = values[static_cast<size_t>(SwallowMetric::NAME)];
  UZUSHIO_SWALLOW_METRICS(UZUSHIO_SWALLOW_VALUE)
#undef UZUSHIO_SWALLOW_VALUE
  return named;
}

TEST(TextQuality, CountsLetters) {
  auto found = Measured("ぁゖ゙ァヺー漢々\U00020BB7、，。．！？!a\n");
  EXPECT_EQ(found["num_letters"], 18);
  EXPECT_EQ(found["num_hiragana_letters"], 2);
  EXPECT_EQ(found["num_katakana_letters"], 2);
  EXPECT_EQ(found["num_kanji_letters"], 3);
  EXPECT_EQ(found["num_toten"], 2);
  EXPECT_EQ(found["num_kuten"], 4);
  EXPECT_EQ(found["num_japanese_letters"], 13);
  EXPECT_EQ(found["hiragana_fraction"], 2 / 13.0);
  EXPECT_EQ(found["japanese_fraction"], 13 / 18.0);
}

// Marks that follow an end, or begin a line, are in no sentence.
TEST(TextQuality, SplitsSentences) {
  auto found = Measured("。一文。！！二文だ…　\n!?三・\n\n。");
  EXPECT_EQ(found["avg_sentence_length"], (3 + 5 + 2) / 3.0);
  EXPECT_EQ(found["max_sentence_length"], 5);
  EXPECT_EQ(found["num_sentences_ending_with_ellipsis"], 2);
  EXPECT_EQ(found["duplicate_paragraph_fraction"], 1 / 4.0);  // the last two are empty
  EXPECT_EQ(found["duplicate_paragraph_fraction_in_character"], 0);
}

TEST(TextQuality, CountsWhatOccurredBefore) {
  auto found = Measured("あい。う。\nあい。\nう。あい。\nあい。");
  EXPECT_EQ(found["duplicate_sentence_fraction"], 4 / 6.0);
  EXPECT_EQ(found["duplicate_sentence_fraction_in_character"], (3 * 3 + 2) / 16.0);
  EXPECT_EQ(found["duplicate_paragraph_fraction"], 1 / 4.0);
  EXPECT_EQ(found["duplicate_paragraph_fraction_in_character"], 3 / 16.0);
}

// All are 0, but for the one paragraph that an empty text is.
TEST(TextQuality, OfNothing) {
  for (const std::string_view text : {"", "。", "\n"}) {
    for (const auto& [name, value] : Measured(text)) {
      const bool is_letter = name.starts_with("num_") || name == "kuten_fraction" || name == "japanese_fraction";
      const bool is_paragraph = text == "\n" && name == "duplicate_paragraph_fraction";
      if (!is_letter && !is_paragraph) EXPECT_EQ(value, 0) << name;
    }
  }
  EXPECT_EQ(Measured("\n")["duplicate_paragraph_fraction"], 0.5);
  EXPECT_EQ(Measured("あ")["max_sentence_length"], 1);
}

}  // namespace
}  // namespace uzushio
