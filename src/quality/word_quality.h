// What FineWeb-2 measures of a text: the rules of Gopher (Rae et al. 2021, arXiv 2112.11446, appendix A.1) and of
// FineWeb (Penedo et al. 2024, arXiv 2406.17557, section 3.6), as the filters of datatrove 0.10 count them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random_odd.h"

namespace uzushio {

// Each metric: a name, what it is. Letters are code points; words are those of a tokenizer. Fractions of nothing are 0.
#define UZUSHIO_FINEWEB_METRICS(METRIC)                                                                  \
  METRIC(duplicate_line_fraction, "lines that occurred before / lines")                                  \
  METRIC(top_2gram_word_fraction,                                                                        \
         "letters of the most frequent 2-gram of words, spaces between words included, times its "       \
         "occurrences / letters of the text")                                                            \
  METRIC(top_3gram_word_fraction, "the same of the most frequent 3-gram")                                \
  METRIC(top_4gram_word_fraction, "the same of the most frequent 4-gram")                                \
  METRIC(duplicate_5gram_word_fraction,                                                                  \
         "letters of 5-grams of words that occurred before, not overlapping / letters of the text")      \
  METRIC(duplicate_6gram_word_fraction, "the same of 6-grams")                                           \
  METRIC(duplicate_7gram_word_fraction, "the same of 7-grams")                                           \
  METRIC(duplicate_8gram_word_fraction, "the same of 8-grams")                                           \
  METRIC(duplicate_9gram_word_fraction, "the same of 9-grams")                                           \
  METRIC(duplicate_10gram_word_fraction, "the same of 10-grams")                                         \
  METRIC(terminated_line_fraction, "lines that end with a mark that ends sentences / lines")             \
  METRIC(duplicate_line_letter_fraction, "letters of lines that occurred before / letters of the text")  \
  METRIC(line_breaks_per_word, "line breaks / words")                                                    \
  METRIC(num_words, "words with more than punctuation")                                                  \
  METRIC(mean_word_length, "mean number of letters of these")                                            \
  METRIC(hashes_per_word, "marks # / words")                                                             \
  METRIC(ellipses_per_word, "marks … and ... / words")                                                   \
  METRIC(bullet_line_fraction, "lines that begin with • or - / lines")                                   \
  METRIC(ellipsis_line_fraction, "lines that end with … or ... / lines")                                 \
  METRIC(alphabetic_word_fraction, "words with a letter of an alphabet, a syllabary or a kanji / words") \
  METRIC(num_stop_words, "different stop words of the text")

enum class FineWebMetric : uint8_t {
#define UZUSHIO_FINEWEB_NAME(NAME, MEANING) NAME,
  UZUSHIO_FINEWEB_METRICS(UZUSHIO_FINEWEB_NAME)
#undef UZUSHIO_FINEWEB_NAME
};
inline constexpr size_t kFineWebMetrics = static_cast<size_t>(FineWebMetric::num_stop_words) + 1;

// Buffers of one thread that measure texts. Time is linear in the text; memory is up to 40 bytes a word.
class WordQuality {
 public:
  using Values = std::span<double, kFineWebMetrics>;

  // The words of a text come first, from its first to its last, without white space at their ends.
  void Begin();
  void AddWord(std::string_view word);
  // Sets all metrics of the text in UTF-8 whose words were added. The stop words are sorted.
  void Measure(std::string_view text, std::span<const std::string> stop_words, Values values);

 private:
  struct Border {
    uint32_t begin = 0;    // the byte of `joined_` where a word begins; a text of Arrow has less than 2^31 bytes
    uint32_t letters = 0;  // of all words before it
  };
  // An n-gram or a line that occurred.
  struct Slot {
    uint64_t key = 0;
    uint32_t count = 0;  // 0: free
    uint32_t first = 0;  // its first place
  };
  size_t words() const { return words_.size() - 1; }
  // The words from `i` on, to the one before `i + n`.
  std::string_view Bytes(size_t i, size_t n) const;
  uint32_t Letters(size_t i, size_t n) const;
  void MakeTable(size_t keys);
  Slot& SlotOf(uint64_t key);
  double TopNgram(size_t n);
  double DuplicateNgrams(size_t n);
  void MeasureLines(std::string_view text, Values values);
  void MeasureWords(std::string_view text, std::span<const std::string> stop_words, Values values) const;

  std::string joined_;                                  // all words
  std::vector<Border> words_ = std::vector<Border>(1);  // and the end of the last
  std::vector<Slot> table_;                             // a power of two, at most half full
  int shift_ = 0;
  uint64_t odd_ = RandomOdd();
};

}  // namespace uzushio
