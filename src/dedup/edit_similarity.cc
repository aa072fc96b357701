#include "dedup/edit_similarity.h"

#include <algorithm>
#include <cstdlib>

#include "dedup/grams.h"

namespace uzushio {
namespace {

constexpr int64_t kBlock = 64;
constexpr uint32_t kNoBlock = UINT32_MAX;
constexpr int64_t kFirstBound = 63;  // of the distance; then four times as much, and so on
constexpr size_t kLeastSlots = 1024;

// The largest distance at which sequences of so many tokens are similar enough.
size_t MostEdits(size_t longer, double least) {
  const auto all = static_cast<double>(longer);
  auto most = static_cast<size_t>((1 - least) * all) + 1;
  while (most > 0 && 1 - static_cast<double>(most) / all < least) --most;
  return most;
}

}  // namespace

// --- distance ---

int64_t EditDistanceFinder::BottomOf(int64_t block) const {
  return std::min((block + 1) * kBlock, static_cast<int64_t>(rows_.size()));
}

// Whether no way of at most `most` goes through a row of the block. A row x above the last one costs up to x less, and
// from there it takes as many edits at least as rows and columns that are left differ.
bool EditDistanceFinder::IsUseless(int64_t block, int64_t column, int64_t most) const {
  const int64_t rows_left = static_cast<int64_t>(rows_.size()) - BottomOf(block);
  const int64_t more = rows_left - (static_cast<int64_t>(columns_.size()) - column);
  return cost_[static_cast<size_t>(block)] + std::max(more, -more - 2 * (kBlock - 1)) > most;
}

// Whether a way may go on into the block from the last row above it, which costs `above` in this column.
bool EditDistanceFinder::MayEnter(int64_t block, int64_t above, int64_t column, int64_t most) const {
  const int64_t rows_left = static_cast<int64_t>(rows_.size()) - block * kBlock;
  return above + std::abs(rows_left - (static_cast<int64_t>(columns_.size()) - column)) <= most;
}

// A block below one that costs `above` at its last row: each row one more, which is never too little.
void EditDistanceFinder::Activate(int64_t block, int64_t above) {
  const auto at = static_cast<size_t>(block);
  up_[at] = ~uint64_t{0};
  down_[at] = 0;
  cost_[at] = above + BottomOf(block) - block * kBlock;
}

void EditDistanceFinder::Index(size_t tokens) {
  std::vector<uint32_t> last(tokens, kNoBlock);
  begins_.assign(tokens + 1, 0);
  for (size_t row = 0; row < rows_.size(); ++row) {
    const auto block = static_cast<uint32_t>(row / kBlock);
    begins_[rows_[row] + 1] += last[rows_[row]] == block ? 0 : 1;
    last[rows_[row]] = block;
  }
  for (size_t token = 0; token < tokens; ++token) begins_[token + 1] += begins_[token] + 1;  // its end besides
  places_.assign(begins_[tokens], kNoBlock);
  masks_.assign(begins_[tokens], 0);
  cursors_.assign(begins_.begin(), begins_.end() - 1);
  for (size_t row = 0; row < rows_.size(); ++row) {
    const auto block = static_cast<uint32_t>(row / kBlock);
    size_t& at = cursors_[rows_[row]];
    if (places_[at] != kNoBlock && places_[at] != block) ++at;
    places_[at] = block;
    masks_[at] |= uint64_t{1} << (row % kBlock);
  }
}

// One column of the band: costs of the next token's.
void EditDistanceFinder::Advance(uint32_t token, int64_t column, int64_t most) {
  size_t& cursor = cursors_[token];
  while (places_[cursor] < first_) ++cursor;
  size_t at = cursor;
  uint64_t more = 1;  // of the row above: whether it costs one more than in the column before, or one less
  uint64_t less = 0;
  const auto advance = [&](size_t block, uint64_t last_row) {
    const bool is_here = places_[at] == block;
    uint64_t equal = is_here ? masks_[at] : 0;
    at += is_here ? 1 : 0;
    const uint64_t up = up_[block];
    const uint64_t down = down_[block];
    const uint64_t vertical = equal | down;
    equal |= less;
    const uint64_t horizontal = (((equal & up) + up) ^ up) | equal;
    uint64_t right = down | ~(horizontal | up);
    uint64_t left = up & horizontal;
    const uint64_t more_below = (right >> last_row) & 1;
    const uint64_t less_below = (left >> last_row) & 1;
    right = right << 1 | more;
    left = left << 1 | less;
    up_[block] = left | ~(vertical | right);
    down_[block] = right & vertical;
    more = more_below;
    less = less_below;
    cost_[block] += static_cast<int64_t>(more) - static_cast<int64_t>(less);
  };
  const auto blocks = static_cast<int64_t>(cost_.size());
  const uint64_t end = (rows_.size() - 1) % kBlock;
  for (int64_t block = first_; block <= last_; ++block) {
    advance(static_cast<size_t>(block), block + 1 == blocks ? end : kBlock - 1);
  }
  while (last_ + 1 < blocks) {
    const int64_t above = cost_[static_cast<size_t>(last_)];
    const int64_t above_before = above - static_cast<int64_t>(more) + static_cast<int64_t>(less);
    if (!MayEnter(last_ + 1, above, column, most) && !MayEnter(last_ + 1, above_before, column - 1, most)) break;
    ++last_;
    Activate(last_, above_before);
    advance(static_cast<size_t>(last_), last_ + 1 == blocks ? end : kBlock - 1);
  }
  while (first_ <= last_ && IsUseless(last_, column, most)) --last_;
  while (first_ <= last_ && IsUseless(first_, column, most)) ++first_;
}

std::optional<size_t> EditDistanceFinder::FindWithin(int64_t most) {
  const auto blocks = static_cast<int64_t>(cost_.size());
  std::copy(begins_.begin(), begins_.end() - 1, cursors_.begin());
  first_ = 0;
  for (last_ = 0; last_ < blocks; ++last_) {
    Activate(last_, last_ * kBlock);
    if (IsUseless(last_, 0, most)) break;
  }
  --last_;
  for (size_t column = 0; column < columns_.size() && first_ <= last_; ++column) {
    Advance(columns_[column], static_cast<int64_t>(column) + 1, most);
  }
  if (first_ > last_ || last_ + 1 < blocks || cost_.back() > most) return std::nullopt;
  return static_cast<size_t>(cost_.back());
}

std::optional<size_t> EditDistanceFinder::Find(std::span<const uint32_t> a, std::span<const uint32_t> b, size_t tokens,
                                               size_t most) {
  const auto prefix = static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  a = a.subspan(prefix);
  b = b.subspan(prefix);
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a = a.first(a.size() - 1);
    b = b.first(b.size() - 1);
  }
  rows_ = a.size() < b.size() ? b : a;
  columns_ = a.size() < b.size() ? a : b;
  if (rows_.size() - columns_.size() > most) return std::nullopt;
  if (columns_.empty()) return rows_.size();
  Index(tokens);
  const size_t blocks = (rows_.size() + kBlock - 1) / kBlock;
  up_.resize(blocks);
  down_.resize(blocks);
  cost_.resize(blocks);
  const auto last = static_cast<int64_t>(std::min(most, rows_.size()));
  for (int64_t bound = kFirstBound;; bound *= 4) {
    const auto found = FindWithin(std::min(bound, last));
    if (found || bound >= last) return found;
  }
}

// --- documents ---

void EditComparer::Grow() {
  std::vector<uint64_t> tokens(2 * tokens_.size());
  std::vector<uint32_t> numbers(tokens.size());
  for (size_t i = 0; i < tokens_.size(); ++i) {
    if (numbers_[i] == 0) continue;
    size_t at = Mix64(tokens_[i]) & (tokens.size() - 1);
    while (numbers[at] != 0) at = (at + 1) & (tokens.size() - 1);
    tokens[at] = tokens_[i];
    numbers[at] = numbers_[i];
  }
  tokens_.swap(tokens);
  numbers_.swap(numbers);
}

uint32_t EditComparer::NumberOf(uint64_t token) {
  if (2 * size_t{known_} >= tokens_.size()) Grow();
  size_t at = Mix64(token) & (tokens_.size() - 1);
  while (numbers_[at] != 0 && tokens_[at] != token) at = (at + 1) & (tokens_.size() - 1);
  if (numbers_[at] == 0) {
    tokens_[at] = token;
    numbers_[at] = ++known_;
  }
  return numbers_[at] - 1;
}

void EditComparer::Number(std::string_view document, std::vector<uint32_t>* numbers) {
  numbers->clear();
  while (!document.empty()) {
    for (const uint64_t token : reader_.Take(&document)) numbers->push_back(NumberOf(token));
  }
}

std::optional<double> EditComparer::Compare(std::string_view a, std::string_view b, double least) {
  if (a == b) return 1;
  tokens_.assign(kLeastSlots, 0);
  numbers_.assign(kLeastSlots, 0);
  known_ = 0;
  Number(a, &first_);
  Number(b, &second_);
  const size_t longer = std::max(first_.size(), second_.size());
  const auto distance = finder_.Find(first_, second_, known_, MostEdits(longer, least));
  if (!distance) return std::nullopt;
  return 1 - static_cast<double>(*distance) / static_cast<double>(longer);
}

}  // namespace uzushio
