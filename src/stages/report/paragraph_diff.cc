#include "stages/report/paragraph_diff.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/text_hash.h"

namespace uzushio {
namespace {

constexpr size_t kUnpaired = SIZE_MAX;

// A paragraph of each text, by their places.
using Pair = std::pair<size_t, size_t>;

// For each paragraph of the first text, the one of the second that is as often preceded by equal ones, or kUnpaired. No
// two have the same.
std::vector<size_t> PairEqual(const std::vector<std::string>& first, const std::vector<std::string>& second) {
  std::unordered_map<std::string_view, std::vector<size_t>, TextHash> places;  // the last first
  for (size_t i = second.size(); i-- > 0;) places[second[i]].push_back(i);
  std::vector<size_t> pairs(first.size(), kUnpaired);
  for (size_t i = 0; i < first.size(); ++i) {
    const auto found = places.find(first[i]);
    if (found == places.end() || found->second.empty()) continue;
    pairs[i] = found->second.back();
    found->second.pop_back();
  }
  return pairs;
}

// The longest part of these pairs that rises on both sides.
std::vector<Pair> LongestRising(const std::vector<size_t>& pairs) {
  std::vector<size_t> ends;  // of rising parts of 1, 2, … pairs, the places in the first text of the least last ones
  std::vector<size_t> before(pairs.size(), kUnpaired);
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i] == kUnpaired) continue;
    const auto at = std::ranges::lower_bound(ends, pairs[i], {}, [&pairs](size_t end) { return pairs[end]; });
    if (at != ends.begin()) before[i] = *(at - 1);
    if (at == ends.end()) {
      ends.push_back(i);
    } else {
      *at = i;
    }
  }
  std::vector<Pair> rising;
  for (size_t i = ends.empty() ? kUnpaired : ends.back(); i != kUnpaired; i = before[i])
    rising.emplace_back(i, pairs[i]);
  std::ranges::reverse(rising);
  return rising;
}

// Adds what is between two common paragraphs: equal ones at both ends are common, too.
void AddGap(const std::vector<std::string>& first, const std::vector<std::string>& second, Pair begin, Pair end,
            std::vector<DiffedParagraph>* all) {
  using In = DiffedParagraph::In;
  for (; begin.first < end.first && begin.second < end.second && first[begin.first] == second[begin.second];
       ++begin.first, ++begin.second) {
    all->push_back({In::kBoth, begin.first});
  }
  size_t equal = 0;
  while (begin.first + equal < end.first && begin.second + equal < end.second &&
         first[end.first - equal - 1] == second[end.second - equal - 1]) {
    ++equal;
  }
  for (size_t i = begin.first; i < end.first - equal; ++i) all->push_back({In::kFirst, i});
  for (size_t i = begin.second; i < end.second - equal; ++i) all->push_back({In::kSecond, i});
  for (size_t i = end.first - equal; i < end.first; ++i) all->push_back({In::kBoth, i});
}

}  // namespace

std::vector<DiffedParagraph> DiffParagraphs(const std::vector<std::string>& first,
                                            const std::vector<std::string>& second) {
  std::vector<DiffedParagraph> all;
  Pair begin = {0, 0};
  for (const Pair& common : LongestRising(PairEqual(first, second))) {
    AddGap(first, second, begin, common, &all);
    all.push_back({DiffedParagraph::In::kBoth, common.first});
    begin = {common.first + 1, common.second + 1};
  }
  AddGap(first, second, begin, {first.size(), second.size()}, &all);
  return all;
}

}  // namespace uzushio
