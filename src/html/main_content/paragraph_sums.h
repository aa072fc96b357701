// Amounts of text of a page's paragraphs, and their sums over any that follow each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "html/main_content/text_measure.h"

namespace uzushio {

// Sentences that are not for the most part links.
inline bool IsProse(const TextMeasure& text) {
  constexpr int kLeastWords = 8;
  return text.sentences > 0 && text.words >= kLeastWords && 3 * text.link_width < text.width;
}

struct TextSums {
  int64_t paragraphs = 0;
  int64_t width = 0;
  int64_t link_width = 0;
  int64_t prose = 0;  // width of prose
  int64_t currency = 0;
  int64_t links = 0;
  int64_t wide = 0;  // characters

  void Add(const TextMeasure& text) {
    ++paragraphs;
    width += text.width;
    link_width += text.link_width;
    prose += IsProse(text) ? text.width : 0;
    currency += text.currency;
    links += text.links;
    wide += text.wide;
  }
};

class ParagraphSums {
 public:
  // For so many paragraphs.
  void Begin(size_t paragraphs) {
    before_.reserve(paragraphs + 1);
    before_.assign(1, {});
  }
  void Add(const TextMeasure& text) {
    before_.push_back(before_.back());
    before_.back().Add(text);
  }

  TextSums Between(size_t first, size_t end) const {
    const TextSums& a = before_[first];
    const TextSums& b = before_[end];
    return {b.paragraphs - a.paragraphs,
            b.width - a.width,
            b.link_width - a.link_width,
            b.prose - a.prose,
            b.currency - a.currency,
            b.links - a.links,
            b.wide - a.wide};
  }
  const TextSums& Before(size_t paragraph) const { return before_[paragraph]; }
  const TextSums& All() const { return before_.back(); }

 private:
  std::vector<TextSums> before_;
};

}  // namespace uzushio
