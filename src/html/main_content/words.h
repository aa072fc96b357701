// Words of short texts, and what they say of being content: "Read more", "関連記事".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "html/main_content/tokens.h"

namespace uzushio {

// Texts of more bytes are not looked at: what they say is not in single words.
inline constexpr size_t kMostWordsBytes = 120;

// Calls `visit(hash)` for each word of a short text, each two that follow each other, and all of them together where
// there are more than two. A word is a run of letters, in small ones where they are ASCII, or of characters of one
// Japanese script, or of hangul; digits and signs part words, and spaces do not count. Hashes are others than those of
// classes and ids, so that one table has both.
void VisitWords(std::string_view text, TokenVisitor* visitor);

// Scores of a text's words, in 1/16 of log2 of the odds; 0 where none is known.
struct WordScores {
  int32_t least = 0;
  int32_t most = 0;
  int32_t sum = 0;
};

// Looks up the words of a short text in three steps, so that memory that one asks for arrives while other things are
// done. Used again for text after text.
class WordLookup {
 public:
  void Collect(std::string_view text, const TokenScores& scores);
  void Sift(const TokenScores& scores);             // after Collect
  WordScores Sum(const TokenScores& scores) const;  // after Sift

 private:
  size_t count_ = 0;
  std::array<uint32_t, 2 * kMostWordsBytes + 1> hashes_;  // a word has a byte or more, and ends a pair
};

}  // namespace uzushio
