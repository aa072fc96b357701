// A page's elements, as far as they hold paragraphs: what they are, what they are like, which of them is the core.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "html/main_content/paragraph_sums.h"
#include "html/main_content/tokens.h"
#include "html/outline.h"

namespace uzushio {

struct ElementFacts {
  uint32_t flags = 0;                // ElementFlag, of itself and those above
  uint32_t up = PageOutline::kNone;  // the nearest above that holds more paragraphs
  int8_t level = 0;                  // LevelOfHeading, of itself
  int8_t sort = 0;                   // SortOfElement
  uint32_t shape = 0;                // a hash of tags and classes from the root down to it
  uint32_t own_shape = 0;            // of its own
  uint32_t run = 0;                  // siblings of its shape in a row, itself one of them
  uint32_t best_run = 0;             // the most among itself and those above
  uint32_t best_run_number = 0;      // of that run
  int32_t core_depth = 0;  // of the deepest element that the way from the root to it shares with that to the core
  // Scores of tokens, in 1/16 of log2 of the odds; 0 where none is known.
  int32_t own_least = 0;
  int32_t own_most = 0;
  int32_t nearest = 0;  // least and most of the nearest, upwards, that has any
  int32_t least = 0;    // of itself and those above
  int32_t most = 0;
  int32_t sum = 0;
};

// Siblings of one shape in a row, as the cards of a list: what is in them together.
struct ElementRun {
  uint32_t siblings = 0;
  uint32_t linked = 0;  // of them, those with one link or two, as cards have
  uint32_t first_paragraph = 0;
  uint32_t end_paragraph = 0;
};

class PageElements {
 public:
  void Measure(const PageOutline& outline, const ParagraphSums& sums, const TokenScores& tokens);

  const ElementFacts& operator[](uint32_t element) const { return facts_[element]; }
  // The longest run among those of an element and the ones above; the innermost such.
  const ElementRun& BestRunOf(uint32_t element) const { return runs_[facts_[element].best_run_number]; }
  uint32_t core() const { return core_; }            // the smallest with half of the page's prose
  uint32_t wide_core() const { return wide_core_; }  // with four fifths

 private:
  // What the tokens of a class attribute score, and that attribute, a view into the page.
  struct ClassScores {
    std::string_view value;
    int32_t least = std::numeric_limits<int32_t>::max();
    int32_t most = std::numeric_limits<int32_t>::min();
  };
  static constexpr size_t kKnownClasses = 256;

  void VisitClass(std::string_view value, uint32_t hash, const TokenScores& tokens, TokenRange* scores);
  void MeasureOne(const PageOutline& outline, uint32_t element, const TokenScores& tokens);
  void FindRuns(const PageOutline& outline, const ParagraphSums& sums);
  void FindCore(const PageOutline& outline, const ParagraphSums& sums);

  std::vector<ElementFacts> facts_;
  std::vector<uint32_t> last_child_;  // of each element, so far
  std::vector<ElementRun> runs_;
  std::array<ClassScores, kKnownClasses> classes_;  // by hash, the last one; of this page
  uint32_t core_ = 0;
  uint32_t wide_core_ = 0;
};

}  // namespace uzushio
