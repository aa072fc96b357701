#include "quality/text_quality.h"

#include <xxhash.h>

#include <algorithm>

#include "base/utf8.h"
#include "document/sentences.h"
#include "quality/japanese_letters.h"
#include "quality/share.h"
#include "quality/white_space.h"

namespace uzushio {
namespace {

constexpr size_t kMostKeptPoints = size_t{1} << 20;  // buffers of longer texts are given back

bool EndsWithEllipsis(std::u32string_view sentence) {
  while (!sentence.empty() && IsStripped(sentence.back())) sentence.remove_suffix(1);
  return !sentence.empty() && (sentence.back() == U'・' || sentence.back() == U'…');
}

double& At(TextQuality::Values values, SwallowMetric metric) { return values[static_cast<size_t>(metric)]; }

void SetLetters(std::u32string_view text, TextQuality::Values values) {
  using enum SwallowMetric;
  const JapaneseLetters letters = CountJapaneseLetters(text);
  const auto all = static_cast<int64_t>(text.size());
  At(values, num_letters) = static_cast<double>(all);
  At(values, num_hiragana_letters) = static_cast<double>(letters.hiragana);
  At(values, num_katakana_letters) = static_cast<double>(letters.katakana);
  At(values, num_kanji_letters) = static_cast<double>(letters.kanji);
  At(values, num_kuten) = static_cast<double>(letters.kuten);
  At(values, num_toten) = static_cast<double>(letters.toten);
  At(values, num_japanese_letters) = static_cast<double>(letters.all());
  At(values, hiragana_fraction) = Share(letters.hiragana, letters.all());
  At(values, katakana_fraction) = Share(letters.katakana, letters.all());
  At(values, kanji_fraction) = Share(letters.kanji, letters.all());
  At(values, kuten_fraction) = Share(letters.kuten, letters.all());
  At(values, toten_fraction) = Share(letters.toten, letters.all());
  At(values, japanese_fraction) = Share(letters.all(), all);
}

}  // namespace

// A sentence has at least one letter that ends none: further marks after the first, and marks that a line begins with,
// are in no sentence, and so in no paragraph.
void TextQuality::Split() {
  kept_.clear();
  paragraphs_.clear();
  sentences_.clear();
  paragraphs_.reserve(1 + static_cast<size_t>(std::ranges::count(points_, U'\n')));
  paragraphs_.push_back({});
  bool open = false;  // a sentence
  for (const char32_t c : points_) {
    if (c == U'\n') {
      if (open) EndSentence();
      open = false;
      paragraphs_.back().length = Length(paragraphs_.back().start);
      paragraphs_.push_back({.start = Length(0)});
      continue;
    }
    const bool ends = EndsSentence(c);
    if (!open && ends) continue;
    if (!open) sentences_.push_back({.start = Length(0)});
    kept_ += c;
    open = !ends;
    if (ends) EndSentence();
  }
  if (open) EndSentence();
  paragraphs_.back().length = Length(paragraphs_.back().start);
}

void TextQuality::EndSentence() { sentences_.back().length = Length(sentences_.back().start); }

void TextQuality::CountSentences(Values values) const {
  using enum SwallowMetric;
  uint32_t longest = 0;
  int64_t ellipses = 0;
  for (const Part& sentence : sentences_) {
    longest = std::max(longest, sentence.length);
    ellipses += EndsWithEllipsis(Letters(sentence)) ? 1 : 0;
  }
  const auto sentences = static_cast<int64_t>(sentences_.size());
  At(values, avg_sentence_length) = Share(static_cast<int64_t>(kept_.size()), sentences);
  At(values, max_sentence_length) = static_cast<double>(longest);
  At(values, num_sentences_ending_with_ellipsis) = static_cast<double>(ellipses);
  At(values, ellipsis_fraction) = Share(ellipses, sentences);
}

std::array<double, 2> TextQuality::Duplicates(std::vector<Part>* parts) const {
  for (Part& part : *parts) part.hash = XXH3_64bits(&kept_[part.start], part.length * sizeof(char32_t));
  std::ranges::sort(*parts, [this](const Part& a, const Part& b) {
    return a.hash != b.hash ? a.hash < b.hash : Letters(a) < Letters(b);
  });
  int64_t duplicates = 0;
  int64_t letters = 0;
  for (size_t i = 1; i < parts->size(); ++i) {
    const Part& part = (*parts)[i];
    if (part.hash != (*parts)[i - 1].hash || Letters(part) != Letters((*parts)[i - 1])) continue;
    ++duplicates;
    letters += static_cast<int64_t>(part.length);
  }
  return {Share(duplicates, static_cast<int64_t>(parts->size())), Share(letters, static_cast<int64_t>(kept_.size()))};
}

void TextQuality::Measure(std::string_view text, Values values) {
  using enum SwallowMetric;
  points_.clear();
  DecodeUtf8(text, &points_);
  SetLetters(points_, values);
  Split();
  CountSentences(values);
  const auto paragraphs = Duplicates(&paragraphs_);
  At(values, duplicate_paragraph_fraction) = paragraphs[0];
  At(values, duplicate_paragraph_fraction_in_character) = paragraphs[1];
  const auto sentences = Duplicates(&sentences_);
  At(values, duplicate_sentence_fraction) = sentences[0];
  At(values, duplicate_sentence_fraction_in_character) = sentences[1];
  if (points_.size() > kMostKeptPoints) {  // before the counter takes its memory
    kept_ = std::u32string();              // {} would keep their memory
    paragraphs_ = std::vector<Part>();
    sentences_ = std::vector<Part>();
  }
  const NgramRepetition ngrams = ngrams_.Count(points_);
  std::ranges::copy(ngrams.top, &At(values, top_2gram_character_fraction));
  std::ranges::copy(ngrams.duplicate, &At(values, duplicate_5gram_character_fraction));
  if (points_.size() > kMostKeptPoints) *this = TextQuality();
}

}  // namespace uzushio
