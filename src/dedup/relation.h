// Which paragraphs are near-duplicates: the definition, as plain as it can be written.
//
// Two paragraphs are near-duplicates when their lengths in code points differ by at most min(30 % of the shorter,
// rounded up; 50), and, for m the mean of the lengths, rounded down,
//   * m > 30: the Jaccard index of their sets of 3- and 4-grams of code points is at least 0.7;
//   * else: their Levenshtein distance divided by m is below 0.3.
// The bounds are those of the original Uzushio (`DuplicateCandidateRow`), which estimates the Jaccard index by bit sets
// and counts UTF-16 units. `Comparer` (comparer.h) decides the same, fast; tests hold the two equal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace uzushio {

// Paragraphs whose mean length is above this are compared by n-grams, others by edits.
inline constexpr size_t kMaxShortMean = 30;

// The n-grams of the Jaccard index.
inline constexpr size_t kMinGram = 3;
inline constexpr size_t kMaxGram = 4;

// Whether lengths, in code points, are near enough.
constexpr bool LengthsAreNear(size_t a, size_t b) {
  const size_t shorter = std::min(a, b);
  return std::max(a, b) - shorter <= std::min<size_t>((shorter * 3 + 9) / 10, 50);
}

constexpr size_t MeanLength(size_t a, size_t b) { return (a + b) / 2; }

// Whether sets of these sizes with this intersection have a Jaccard index of at least 0.7.
constexpr bool JaccardIsNear(size_t size_a, size_t size_b, size_t common) {
  return 10 * common >= 7 * (size_a + size_b - common);
}

// The greatest Levenshtein distance of near-duplicates of this mean length.
constexpr size_t MaxEdits(size_t mean) { return mean == 0 ? 0 : (3 * mean - 1) / 10; }

// The definition. Arguments are code points. Time and memory grow with the product of the lengths.
bool NearDuplicatesByDefinition(std::u32string_view a, std::u32string_view b);

// A part of it, for tests and studies.
double JaccardByDefinition(std::u32string_view a, std::u32string_view b);

}  // namespace uzushio
