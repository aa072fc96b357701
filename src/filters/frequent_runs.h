// The rule of LargeFreqParagraphs and KenLMParagraphPerplexity: paragraphs go where several one after another are bad.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "filters/filter_document.h"

namespace uzushio {

// `is_bad(i)` tells of each paragraph, also removed ones. An alive bad one is removed when it and the `count` - 1
// before it, or after it, are all bad; the document is surrounded by bad ones without end. So are alive bad ones among
// the `count` before it. Linear in the number of paragraphs.
template <typename IsBad, typename Remove>
void RemoveBadRuns(std::span<const FilterParagraph> paragraphs, size_t count, IsBad is_bad, Remove remove) {
  const size_t size = paragraphs.size();
  std::vector<size_t> after(size + 1);  // bad ones from here on
  for (size_t i = size; i-- > 0;) after[i] = is_bad(i) ? after[i + 1] + 1 : 0;
  size_t before = 0;  // bad ones up to here
  size_t swept = 0;   // up to here, the bad ones of the windows before are removed
  for (size_t i = 0; i < size; ++i) {
    before = is_bad(i) ? before + 1 : 0;
    if (!paragraphs[i].alive()) continue;
    const bool bad_before = before >= std::min(count, i + 1);
    const bool bad_after = after[i] >= std::min(count, size - i);
    if (!bad_before && !bad_after) continue;
    for (size_t at = std::max(swept, i - std::min(i, count)); at < i; ++at) {
      if (paragraphs[at].alive() && is_bad(at)) remove(at);
    }
    remove(i);
    swept = i + 1;
  }
}

}  // namespace uzushio
