// A paragraph's text in numbers.
#pragma once

#include <cstdint>
#include <string_view>

namespace uzushio {

// What is known of one paragraph's text. Widths are of letters, digits and signs: 1, or 2 of Chinese, Japanese and
// Korean ones, which say as much as two or more Latin letters.
struct TextMeasure {
  int32_t width = 0;
  int32_t words = 0;  // two wide characters are one
  int32_t wide = 0;   // Chinese, Japanese and Korean characters
  int32_t link_width = 0;
  int32_t links = 0;
  int32_t lines = 1;
  int32_t sentences = 0;  // ends of sentences
  int32_t commas = 0;
  int32_t digits = 0;
  int32_t capitals = 0;    // words that begin with one
  int32_t separators = 0;  // | / > » › • · and such
  int32_t currency = 0;
  bool ends_sentence = false;
  bool ends_colon = false;
  bool starts_digit = false;
  bool copyright = false;
  uint32_t hash = 0;
};
// Of a paragraph as it stands in a document: with link marks, in clean UTF-8.
TextMeasure MeasureText(std::string_view text);

}  // namespace uzushio
