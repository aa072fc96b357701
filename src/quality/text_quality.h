// What the Swallow corpus annotates a text with (Okazaki et al. 2024, section 3.2; quality.py of swallow-corpus), by
// its names.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quality/ngram_repetition.h"

namespace uzushio {

// Each metric: a name, what it is. Letters are code points; a paragraph is a line; a sentence ends with one of
// 。．！？!? or its line. Fractions of nothing are 0.
#define UZUSHIO_SWALLOW_METRICS(METRIC)                                                               \
  METRIC(num_letters, "letters of the text, including line breaks")                                   \
  METRIC(num_hiragana_letters, "letters ぁ … ゖ")                                                     \
  METRIC(num_katakana_letters, "letters ァ … ヺ")                                                     \
  METRIC(num_kanji_letters, "letters U+3400-9FFF, U+F900-FAFF, U+20000-2FFFF, 々, 〇, 〻")            \
  METRIC(num_kuten, "marks 。．！？")                                                                 \
  METRIC(num_toten, "marks 、，")                                                                     \
  METRIC(num_japanese_letters, "sum of these")                                                        \
  METRIC(hiragana_fraction, "hiragana / Japanese letters")                                            \
  METRIC(katakana_fraction, "katakana / Japanese letters")                                            \
  METRIC(kanji_fraction, "kanji / Japanese letters")                                                  \
  METRIC(kuten_fraction, "kuten / Japanese letters")                                                  \
  METRIC(toten_fraction, "toten / Japanese letters")                                                  \
  METRIC(japanese_fraction, "Japanese letters / letters")                                             \
  METRIC(avg_sentence_length, "mean number of letters of a sentence")                                 \
  METRIC(max_sentence_length, "number of letters of the longest sentence")                            \
  METRIC(num_sentences_ending_with_ellipsis, "sentences that end with ・ or …")                       \
  METRIC(ellipsis_fraction, "such sentences / sentences")                                             \
  METRIC(duplicate_paragraph_fraction, "paragraphs that occurred before / paragraphs")                \
  METRIC(duplicate_paragraph_fraction_in_character, "their letters / letters of paragraphs")          \
  METRIC(duplicate_sentence_fraction, "sentences that occurred before / sentences")                   \
  METRIC(duplicate_sentence_fraction_in_character, "their letters / letters of sentences")            \
  METRIC(top_2gram_character_fraction, "occurrences of the most frequent 2-gram of characters / all") \
  METRIC(top_3gram_character_fraction, "the most frequent 3-gram / all")                              \
  METRIC(top_4gram_character_fraction, "the most frequent 4-gram / all")                              \
  METRIC(duplicate_5gram_character_fraction,                                                          \
         "distinct 5-grams of characters that occur more than once / distinct 5-grams")               \
  METRIC(duplicate_6gram_character_fraction, "the same of 6-grams")                                   \
  METRIC(duplicate_7gram_character_fraction, "the same of 7-grams")                                   \
  METRIC(duplicate_8gram_character_fraction, "the same of 8-grams")                                   \
  METRIC(duplicate_9gram_character_fraction, "the same of 9-grams")                                   \
  METRIC(duplicate_10gram_character_fraction, "the same of 10-grams")

enum class SwallowMetric : uint8_t {
#define UZUSHIO_SWALLOW_NAME(NAME, MEANING) NAME,
  UZUSHIO_SWALLOW_METRICS(UZUSHIO_SWALLOW_NAME)
#undef UZUSHIO_SWALLOW_NAME
};
inline constexpr size_t kSwallowMetrics = static_cast<size_t>(SwallowMetric::duplicate_10gram_character_fraction) + 1;

// Buffers of one thread that annotate texts.
class TextQuality {
 public:
  using Values = std::span<double, kSwallowMetrics>;
  // Sets all metrics of a text in UTF-8.
  void Measure(std::string_view text, Values values);

 private:
  // A paragraph or a sentence: letters of kept_.
  struct Part {
    uint64_t hash = 0;
    uint32_t start = 0;  // a text of Arrow has less than 2^31 bytes
    uint32_t length = 0;
  };
  void Split();
  void EndSentence();
  uint32_t Length(uint32_t from) const { return static_cast<uint32_t>(kept_.size()) - from; }
  void CountSentences(Values values) const;
  std::u32string_view Letters(const Part& part) const {
    return std::u32string_view(kept_).substr(part.start, part.length);
  }
  // The share of the parts that occurred before, and of their letters.
  std::array<double, 2> Duplicates(std::vector<Part>* parts) const;

  std::u32string points_;
  std::u32string kept_;  // without marks that no sentence begins with
  std::vector<Part> paragraphs_;
  std::vector<Part> sentences_;
  NgramCounter ngrams_;
};

}  // namespace uzushio
