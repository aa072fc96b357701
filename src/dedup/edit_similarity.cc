#include "dedup/edit_similarity.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "dedup/grams.h"

// Idea. A column of the dynamic programming matrix is kept as differences between neighbouring rows, which are -1, 0 or
// +1: two bits a row, 64 rows a word, advanced by a few word operations for each column (Myers 1999; Hyyrö 2003). Only
// blocks that a path of at most `bound` edits can cross are advanced; the bound starts at 63 and is multiplied by four
// until the distance fits, or cannot.
//
// Cost. O(tokens * distance / 64) time, O(tokens) memory. Documents that differ in one sentence cost a single narrow
// band.
//
// Example. "kitten" and "sitting": three edits, found with the first bound in one block. Two documents of 10,000 tokens
// with 100 edits: the bounds 63 and 252, at most four to nine blocks of 157 a column.
namespace uzushio {
namespace {

constexpr int64_t kBlockRows = 64;
constexpr uint32_t kNoBlock = UINT32_MAX;
constexpr int64_t kFirstBound = 63;  // of the distance; then four times as much, and so on
constexpr int64_t kNear = 512;       // rows beside the diagonal
constexpr size_t kLeastSlots = 1024;

// The largest distance at which sequences of so many tokens are similar enough.
size_t MostEdits(size_t longer, double least) {
  const auto all = static_cast<double>(longer);
  auto most = static_cast<size_t>((1 - least) * all) + 1;
  while (most > 0 && 1 - static_cast<double>(most) / all < least) --most;
  return most;
}

// What may lie on a way of at most `most` edits, by what it has cost: from a place it takes as many edits at least as
// rows and columns that are left differ.
struct CostBand {
  int64_t rows;
  int64_t columns;
  int64_t most;

  // Whether none of a block's rows does, the last of which, `row`, costs `cost`. One x above it costs up to x less.
  bool IsUseless(int64_t row, int64_t column, int64_t cost) const {
    const int64_t more = (rows - row) - (columns - column);
    return cost + std::max(more, -more - 2 * (kBlockRows - 1)) > most;
  }
  // Whether a way may go on below this row.
  bool MayPass(int64_t row, int64_t column, int64_t cost) const {
    return cost + std::abs((rows - row) - (columns - column)) <= most;
  }
};

// What lies so near the diagonals of the first and the last place, whatever it costs.
struct PlaceBand {
  int64_t rows;
  int64_t columns;
  int64_t width;

  bool IsUseless(int64_t row, int64_t column, int64_t /*cost*/) const {
    return row - column < -width || row - column - (kBlockRows - 1) > rows - columns + width;
  }
  bool MayPass(int64_t row, int64_t column, int64_t /*cost*/) const { return row - column < rows - columns + width; }
};

}  // namespace

// --- distance ---

int64_t EditDistanceFinder::BottomOf(int64_t block) const {
  return std::min((block + 1) * kBlockRows, static_cast<int64_t>(rows_.size()));
}

// A block below one that costs `above` at its last row: each row one more, which is never too little.
void EditDistanceFinder::Activate(int64_t block, int64_t above) {
  blocks_[static_cast<size_t>(block)] = {~uint64_t{0}, 0, above + BottomOf(block) - block * kBlockRows};
}

void EditDistanceFinder::Index(size_t tokens) {
  std::vector<uint32_t> last(tokens, kNoBlock);
  begins_.assign(tokens + 1, 0);
  for (size_t row = 0; row < rows_.size(); ++row) {
    const auto block = static_cast<uint32_t>(row / kBlockRows);
    begins_[rows_[row] + 1] += last[rows_[row]] == block ? 0 : 1;
    last[rows_[row]] = block;
  }
  for (size_t token = 0; token < tokens; ++token) begins_[token + 1] += begins_[token] + 1;  // its end besides
  places_.assign(begins_[tokens], kNoBlock);
  masks_.assign(begins_[tokens], 0);
  cursors_.assign(begins_.begin(), begins_.end() - 1);
  for (size_t row = 0; row < rows_.size(); ++row) {
    const auto block = static_cast<uint32_t>(row / kBlockRows);
    size_t& at = cursors_[rows_[row]];
    if (places_[at] != kNoBlock && places_[at] != block) ++at;
    places_[at] = block;
    masks_[at] |= uint64_t{1} << (row % kBlockRows);
  }
}

// One column of the band: costs of the next token's.
template <typename Band>
void EditDistanceFinder::Advance(const Band& band, uint32_t token, int64_t column) {
  size_t& cursor = cursors_[token];
  while (places_[cursor] < first_) ++cursor;
  const uint32_t* place = &places_[cursor];
  const uint64_t* mask = &masks_[cursor];
  const auto blocks = static_cast<int64_t>(blocks_.size());
  const uint64_t end = (rows_.size() - 1) % kBlockRows;
  const auto advance = [&place, &mask, blocks, end, of = blocks_.data()](int64_t at, Step above) {
    Block& block = of[at];
    const bool is_here = *place == at;
    uint64_t equal = *mask & (uint64_t{0} - static_cast<uint64_t>(is_here));
    place += is_here ? 1 : 0;
    mask += is_here ? 1 : 0;
    const uint64_t vertical = equal | block.down;
    equal |= above.less;
    const uint64_t horizontal = (((equal & block.up) + block.up) ^ block.up) | equal;
    const uint64_t right = block.down | ~(horizontal | block.up);
    const uint64_t left = block.up & horizontal;
    const uint64_t last = at + 1 == blocks ? end : kBlockRows - 1;
    const Step step = {(right >> last) & 1, (left >> last) & 1};
    const uint64_t right_above = right << 1 | above.more;
    block.up = (left << 1 | above.less) | ~(vertical | right_above);
    block.down = right_above & vertical;
    block.cost += static_cast<int64_t>(step.more) - static_cast<int64_t>(step.less);
    return step;
  };
  Step step;
  for (int64_t block = first_, last = last_; block <= last; ++block) step = advance(block, step);
  while (last_ + 1 < blocks) {
    const int64_t row = BottomOf(last_);
    const int64_t above = blocks_[static_cast<size_t>(last_)].cost;
    const int64_t before = above - static_cast<int64_t>(step.more) + static_cast<int64_t>(step.less);
    if (!band.MayPass(row, column, above) && !band.MayPass(row, column - 1, before)) break;
    ++last_;
    Activate(last_, before);
    step = advance(last_, step);
  }
  const auto is_useless = [&](int64_t block) {
    return band.IsUseless(BottomOf(block), column, blocks_[static_cast<size_t>(block)].cost);
  };
  while (first_ <= last_ && is_useless(last_)) --last_;
  while (first_ <= last_ && is_useless(first_)) ++first_;
}

// The cost of the best way in the band, if there is one.
template <typename Band>
std::optional<size_t> EditDistanceFinder::FindIn(const Band& band) {
  const auto blocks = static_cast<int64_t>(blocks_.size());
  std::copy(begins_.begin(), begins_.end() - 1, cursors_.begin());
  first_ = 0;
  for (last_ = 0; last_ < blocks; ++last_) {
    Activate(last_, last_ * kBlockRows);
    if (band.IsUseless(BottomOf(last_), 0, BottomOf(last_))) break;
  }
  --last_;
  for (size_t column = 0; column < columns_.size() && first_ <= last_; ++column) {
    Advance(band, columns_[column], static_cast<int64_t>(column) + 1);
  }
  if (first_ > last_ || last_ + 1 < blocks) return std::nullopt;
  return static_cast<size_t>(blocks_.back().cost);
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
  blocks_.resize((rows_.size() + kBlockRows - 1) / kBlockRows);
  const auto rows = static_cast<int64_t>(rows_.size());
  const auto columns = static_cast<int64_t>(columns_.size());
  // Some way's cost: the distance is no more.
  const std::optional<size_t> way = FindIn(PlaceBand{rows, columns, kNear});
  const auto last = static_cast<int64_t>(std::min(most, way.value_or(rows_.size())));
  for (int64_t bound = kFirstBound;; bound *= 4) {
    if (4 * bound >= last) bound = last;
    const auto found = FindIn(CostBand{rows, columns, bound});
    if (found && *found <= static_cast<size_t>(bound)) return found;
    if (bound >= last) return std::nullopt;
  }
}

// --- documents ---

void EditComparer::Grow() {
  std::vector<uint64_t> tokens(2 * tokens_.size());
  std::vector<uint32_t> numbers(tokens.size());
  for (size_t i = 0; i < tokens_.size(); ++i) {
    if (numbers_[i] == 0) continue;
    size_t at = PlaceOf(tokens_[i], tokens.size());
    while (numbers[at] != 0) at = (at + 1) & (tokens.size() - 1);
    tokens[at] = tokens_[i];
    numbers[at] = numbers_[i];
  }
  tokens_.swap(tokens);
  numbers_.swap(numbers);
}

size_t EditComparer::PlaceOf(uint64_t token, size_t places) const {
  return (Mix64(token) * odd_) >> (64 - std::countr_zero(places));
}

uint32_t EditComparer::NumberOf(uint64_t token) {
  if (2 * size_t{known_} >= tokens_.size()) Grow();
  size_t at = PlaceOf(token, tokens_.size());
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
