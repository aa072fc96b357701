// Building takes two passes over the items: one counts the sampled n-grams of each place of the directory, the other
// puts their blocks there, so that no second copy of them is made. Each place is then sorted by tag and block, which
// brings the blocks of an n-gram together. Those of more than kMostBlocks are taken out, and the pieces of those that
// are boilerplate are marked. Further passes keep the n-grams of short items, mark what an item repeats, and look which
// items are found by nothing that is left.
//
// A search looks all of a document's sampled n-grams up at once, with the memory of each step fetched before it is
// read: with a million items nothing of the index is in the processor's caches. A Bloom filter of one word an n-gram
// (Putze, Sanders and Singler, "Cache-, hash- and space-efficient Bloom filters", 2007) leaves out most of those that
// no item has, at one read each. A posting is four bytes: as many bits as blocks need, and of the hash what is left.
// Most n-grams that a document shares with an item by chance end a few characters further, so that comparing kRun codes
// leaves almost nothing to compare in full.
//
// No text makes this quadratic: a sampled n-gram leads to kMostBlocks blocks at most, in each of which 64 places are
// looked at; an item is compared once for each third of its length, and where it is long, only if it has many anchors.
#include "contamination/item_index.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <ranges>
#include <tuple>
#include <unordered_set>

#include "base/library_memory.h"
#include "base/random_odd.h"
#include "contamination/folding.h"
#include "contamination/sampled_grams.h"

namespace uzushio {
namespace {

constexpr size_t kBlockCodes = 64;     // codes of a block
constexpr size_t kBetweenParts = 16;   // codes of marks and notices between the parts of the shortest items
constexpr size_t kMostBlocks = 16;     // of an n-gram that finds items
constexpr size_t kLeastShare = 1024;   // n-grams of more than one in so many blocks do not count, if they find nothing
constexpr size_t kPiece = 5;           // codes of the n-grams that are compared
constexpr uint64_t kLeastWeight = 11;  // of the pieces of a match
constexpr uint64_t kLeastPieces = 7;   // of one that has all
constexpr uint64_t kLeastAnswered = 14;     // of question and answer, of which a part is enough
constexpr size_t kLongPart = 32;            // codes; of items without such a part, short n-grams are kept
constexpr size_t kFewCodes = 14;            // of a part of which all short n-grams are kept
constexpr size_t kMostShortGrams = 131072;  // so that the time of a document hardly grows with the items
constexpr size_t kMostParts = 64;           // of an item; further choices are one part
constexpr size_t kPostingsPerPlace = 16;
constexpr size_t kFilterBits = 4;        // of the filter for each posting: 6 for an n-gram, which has 1.5 of them
constexpr size_t kLookups = 1024;        // of a document, that are made at once
constexpr size_t kMostAnchors = 32768;   // that are collected before items are compared, where no item is long
constexpr size_t kCodesPerAnchor = 512;  // an item of so many codes has to have two anchors in a place, and so on
constexpr uint64_t kPieceMask = (uint64_t{1} << 8 * kPiece) - 1;

uint64_t PieceAt(const char* codes) {
  uint64_t piece = 0;
  std::memcpy(&piece, codes, sizeof piece);
  return piece & kPieceMask;
}

// How far from an anchor an item's codes may lie, on either side: half as much again as the item has, for what stands
// between its parts.
size_t Reach(size_t codes) { return codes + codes / 2 + kBetweenParts; }

// Calls `use(place, size)` with each piece of a part: of one that is shorter than a piece, with all of it.
template <typename Use>
void ForEachPiece(std::string_view part, Use use) {
  if (part.size() < 2) return;
  const size_t size = std::min(kPiece, part.size());
  for (size_t place = 0; place + size <= part.size(); ++place) use(place, size);
}

// What a piece counts for.
uint64_t PiecesIn(size_t size) { return size < kPiece ? size : 1; }

bool HasOther(std::string_view codes) {
  return std::ranges::any_of(codes, [](char c) { return static_cast<unsigned char>(c) >= kOtherCode; });
}

uint64_t WeightOf(std::string_view piece) { return PiecesIn(piece.size()) * (HasOther(piece) ? 2 : 1); }

// Calls `use(part, place)` with each part of an item, and where it begins in its codes.
template <typename Use>
void ForEachItemPart(std::string_view item, Use use) {
  for (size_t from = 0; from < item.size();) {
    const std::string_view part = item.substr(from, item.find('\0', from) - from);
    use(part, from);
    from += part.size() + 1;
  }
}

const uint64_t piece_odd = RandomOdd();  // who chooses documents chooses pieces

size_t PieceSlot(uint64_t piece, size_t mask) { return (piece * piece_odd >> 32) & mask; }

}  // namespace

void ItemIndex::Freed::operator()(char* bytes) const { std::free(bytes); }

int64_t ItemIndex::bytes() const {
  const size_t bytes = codes_size_ + kSlack + short_grams_.bytes() + is_common_.capacity() / 8 +
                       (begins_.capacity() + numbers_.capacity()) * sizeof(uint32_t) +
                       (uncounted_.capacity() + filter_.capacity()) * sizeof(uint64_t) +
                       (block_items_.capacity() + directory_.capacity() + postings_.capacity()) * sizeof(uint32_t);
  return static_cast<int64_t>(bytes);
}

uint64_t ItemIndex::checksum() const {
  const uint64_t numbers = XXH3_64bits(numbers_.data(), numbers_.size() * sizeof(uint32_t));
  return XXH3_64bits_withSeed(codes_.get(), codes_size_, numbers);
}

// The bits of a hash that place and tag tell apart, spread evenly: sampled n-grams are those of low hashes.
inline uint64_t ItemIndex::Spread(uint64_t hash) const {
  const int left_out = 32 - place_bits_ + block_bits_;
  return (hash >> left_out << left_out) * 0x9E3779B97F4A7C15U;
}

inline std::pair<size_t, uint32_t> ItemIndex::PlaceAndTag(uint64_t spread) const {
  return {static_cast<size_t>(spread >> (64 - place_bits_)),
          static_cast<uint32_t>(spread << place_bits_ >> 32 >> block_bits_ << block_bits_)};
}

// Where the filter has an n-gram, by the first 32 bits of its hash as it is spread: a word, and up to three bits of it.
inline size_t ItemIndex::FilterWord(uint64_t spread) const { return (spread >> 32) * filter_.size() >> 32; }

inline uint64_t ItemIndex::FilterBits(uint64_t spread) {
  const uint32_t mixed = static_cast<uint32_t>(spread >> 32) * 0x9E3779B1U;
  const auto bit = [mixed](int from) { return uint64_t{1} << (mixed >> from & 63); };
  return bit(26) | bit(20) | bit(14);
}

// The item that a code is of.
uint32_t ItemIndex::ItemAt(size_t place, uint64_t* work) const {
  uint32_t item = block_items_[place / kBlockCodes];
  for (; begins_[item + 1] <= place; ++item) ++*work;
  return item;
}

// The place in the items of a run of kRun codes that a block shares with the document around the n-gram at `place`.
std::optional<uint32_t> ItemIndex::SharedRun(std::string_view codes, size_t place, uint32_t block,
                                             uint64_t* work) const {
  const char* const own = codes_.get();
  const size_t begin = block * kBlockCodes;
  const size_t end = std::min(begin + kBlockCodes, codes_size_ - kGram);
  uint64_t gram = 0;
  std::memcpy(&gram, codes.data() + place, sizeof gram);
  *work += kBlockCodes;
  for (size_t at = begin; at < end; ++at) {
    uint64_t other = 0;
    std::memcpy(&other, own + at, sizeof other);
    if (other != gram) continue;
    size_t before = 0;
    const size_t most_before = std::min({place, at, kRun - kGram});
    while (before < most_before && own[at - before - 1] == codes[place - before - 1]) ++before;
    size_t after = 0;
    while (before + kGram + after < kRun && place + kGram + after < codes.size() &&
           own[at + kGram + after] == codes[place + kGram + after]) {
      ++after;
    }
    *work += before + after;
    if (before + kGram + after >= kRun) return static_cast<uint32_t>(at);
  }
  return std::nullopt;
}

// Finds the anchors of the lookups at hand.
void ItemIndex::LookUp(std::string_view codes, ItemSearch* search) const {
  search->blocks.clear();
  search->work += search->looked_up;
  ItemSearch::Lookup* const lookups = search->lookups.data();
  size_t known = 0;
  for (size_t i = 0; i < search->looked_up; ++i) {  // without branches: whether it is known can not be predicted
    const ItemSearch::Lookup lookup = lookups[i];
    const uint64_t bits = FilterBits(lookup.spread);
    lookups[known] = lookup;
    known += (filter_[FilterWord(lookup.spread)] & bits) == bits ? 1 : 0;
  }
  search->looked_up = 0;
  for (size_t i = 0; i < known; ++i) __builtin_prefetch(&directory_[PlaceAndTag(lookups[i].spread).first]);
  search->ranges.resize(known);
  for (size_t i = 0; i < known; ++i) {
    const size_t at = PlaceAndTag(lookups[i].spread).first;
    search->ranges[i] = {directory_[at], directory_[at + 1]};
    if (directory_[at] < directory_[at + 1]) __builtin_prefetch(&postings_[directory_[at]]);
  }
  const uint32_t block_mask = (uint32_t{1} << block_bits_) - 1;
  for (size_t lookup = 0; lookup < known; ++lookup) {
    const uint32_t tag = PlaceAndTag(lookups[lookup].spread).second;
    const auto [begin, end] = search->ranges[lookup];
    for (uint32_t i = begin; i < end && (postings_[i] & ~block_mask) <= tag; ++i) {
      ++search->work;
      if ((postings_[i] & ~block_mask) != tag) continue;
      const uint32_t block = postings_[i] & block_mask;
      __builtin_prefetch(codes_.get() + block * kBlockCodes);
      __builtin_prefetch(&block_items_[block]);
      search->blocks.emplace_back(block, lookups[lookup].place);
    }
  }
  for (const auto& [block, place] : search->blocks) {
    const auto found = SharedRun(codes, place, block, &search->work);
    if (found) search->anchors.emplace_back(ItemAt(*found, &search->work), place);
  }
}

// The same of short n-grams, which begin from `begin` on and before `end`.
void ItemIndex::LookUpShort(std::string_view codes, size_t begin, size_t end, ItemSearch* search) const {
  short_grams_.ForEach(codes, begin, end, codes_.get(), &search->work,
                       [&](size_t place, std::span<const uint32_t> others) {
                         for (const uint32_t other : others) {
                           search->anchors.emplace_back(ItemAt(other, &search->work), static_cast<uint32_t>(place));
                         }
                       });
}

void ItemIndex::Coverage::Add(const Coverage& other) {
  pieces += other.pieces;
  covered += other.covered;
  weight += other.weight;
}

bool ItemIndex::Coverage::Suffices() const {
  return weight >= kLeastWeight || (covered == pieces && pieces >= kLeastPieces);
}

// Of a part, whose codes begin here.
template <typename Has>
ItemIndex::Coverage ItemIndex::CoverageOf(std::string_view part, size_t begin, Has has) const {
  Coverage coverage;
  ForEachPiece(part, [&](size_t place, size_t size) {
    if (!Counts(begin + place)) return;
    const std::string_view piece = part.substr(place, size);
    coverage.pieces += PiecesIn(size);
    if (!has(piece)) return;
    coverage.covered += PiecesIn(size);
    coverage.weight += WeightOf(piece);
  });
  return coverage;
}

// Compares an item with a part of a document.
ItemMatch ItemIndex::Compare(uint32_t item, std::string_view codes, size_t begin, size_t end,
                             ItemSearch* search) const {
  const size_t pieces = end - begin < kPiece ? 0 : end - begin - kPiece + 1;
  const size_t slots = std::bit_ceil(2 * pieces + 2);
  search->pieces.assign(slots, 0);
  search->work += slots;
  const auto slot_of = [&](uint64_t piece) {
    size_t slot = PieceSlot(piece, slots - 1);
    while (search->pieces[slot] != 0 && search->pieces[slot] != piece) slot = (slot + 1) & (slots - 1);
    return slot;
  };
  for (size_t at = begin; at < begin + pieces; ++at) {
    const uint64_t piece = PieceAt(codes.data() + at);
    search->pieces[slot_of(piece)] = piece;
  }

  ItemMatch match;
  match.item = item;
  match.begin = begin;
  match.end = end;
  const std::string_view all = CodesOfItem(item);
  const std::string_view place = codes.substr(begin, end - begin);
  search->work += all.size();
  const auto has = [&](std::string_view piece) {
    if (piece.size() == kPiece) return search->pieces[slot_of(PieceAt(piece.data()))] != 0;
    search->work += place.size();
    return place.find(piece) != std::string_view::npos;
  };
  Coverage sum;
  Coverage question;
  Coverage answered;  // question and answer
  size_t number = 0;
  ForEachItemPart(all, [&](std::string_view part, size_t from) {
    const Coverage own = CoverageOf(part, begins_[item] + from, has);
    sum.Add(own);
    if (number == 0) question = own;
    if (number == 1 && !part.empty()) {
      answered = question;
      answered.Add(own);
    }
    ++number;
  });
  if (answered.pieces < kLeastAnswered && answered.covered < answered.pieces) answered = {};
  for (const Coverage& coverage : {sum, answered}) {
    if (!coverage.Suffices()) continue;
    const double share = static_cast<double>(coverage.covered) / static_cast<double>(coverage.pieces);
    if (share <= match.share) continue;
    match.share = share;
    match.covered = static_cast<uint32_t>(coverage.covered);
    match.pieces = static_cast<uint32_t>(coverage.pieces);
  }
  return match;
}

// Compares items with their surroundings, and forgets the anchors that are not needed any more. Those of places before
// `until` are known; all are, where there is none.
template <typename Use>
void ItemIndex::Settle(std::string_view codes, std::optional<size_t> until, ItemSearch* search, Use use) const {
  auto& anchors = search->anchors;
  std::ranges::sort(anchors);
  search->work += anchors.size();
  search->resumed_next.clear();
  size_t kept = 0;
  auto resumed = search->resumed.begin();
  for (size_t i = 0; i < anchors.size();) {
    const uint32_t item = anchors[i].first;
    size_t end = i;
    while (end < anchors.size() && anchors[end].first == item) ++end;
    const size_t own = CodesOfItem(item).size();
    const size_t reach = Reach(own);
    while (resumed != search->resumed.end() && resumed->first < item) ++resumed;
    size_t from = resumed != search->resumed.end() && resumed->first == item ? resumed->second : 0;
    size_t first = i;  // the anchors of the place at hand
    size_t last = i;
    size_t next = i;
    while (true) {
      while (next < end && anchors[next].second < from) ++next;
      if (next == end) break;
      const size_t at = anchors[next].second;
      if (until && at + reach >= *until) break;  // more anchors of the place may follow
      while (anchors[first].second + reach < at) ++first;
      while (last < end && anchors[last].second <= at + reach) ++last;
      if (last - first > own / kCodesPerAnchor) {
        const ItemMatch match =
            Compare(item, codes, at < reach ? 0 : at - reach, std::min(codes.size(), at + kGram + reach), search);
        if (match.share > 0) use(match);
      }
      from = at + reach / 3 + 1;
    }
    if (until) {
      const size_t least = next < end ? anchors[next].second : *until;  // where the next place can be
      const size_t before = kept;
      for (size_t j = i; j < end; ++j) {
        if (anchors[j].second + reach >= least) anchors[kept++] = anchors[j];
      }
      if (kept > before) search->resumed_next.emplace_back(item, static_cast<uint32_t>(from));
    }
    i = end;
  }
  anchors.resize(kept);
  search->resumed.swap(search->resumed_next);
}

template <typename Use>
void ItemIndex::ForEachMatch(std::string_view codes, ItemSearch* search, Use use) const {
  search->looked_up = 0;
  search->lookups.resize(kLookups);
  search->anchors.clear();
  search->resumed.clear();
  if (codes_size_ == 0 || codes.size() > std::numeric_limits<uint32_t>::max()) return;
  search->work += codes.size();
  size_t most_anchors = kMostAnchors;
  size_t looked_up = 0;  // places, for short n-grams
  const auto look_up_until = [&](size_t place) {
    LookUp(codes, search);
    LookUpShort(codes, looked_up, place, search);
    looked_up = place;
  };
  ForEachSampledGram(codes, [&](size_t place, uint64_t hash) {
    const uint64_t spread = Spread(hash);
    __builtin_prefetch(&filter_[FilterWord(spread)]);
    search->lookups[search->looked_up++] = {spread, static_cast<uint32_t>(place)};
    if (search->looked_up < kLookups) return;
    look_up_until(place + 1);
    if (search->anchors.size() < most_anchors) return;
    Settle(codes, place + 1, search, use);
    most_anchors = std::max(kMostAnchors, 2 * search->anchors.size());
  });
  look_up_until(codes.size());
  Settle(codes, std::nullopt, search, use);
}

std::optional<ItemMatch> ItemIndex::Find(std::string_view codes, ItemSearch* search) const {
  std::optional<ItemMatch> best;
  ForEachMatch(codes, search, [&best](const ItemMatch& match) {
    if (!best || match.share > best->share || (match.share == best->share && match.item < best->item)) best = match;
  });
  return best;
}

void ItemIndex::FindAbove(std::string_view codes, double share, ItemSearch* search,
                          std::vector<ItemMatch>* matches) const {
  constexpr size_t kMost = 16384;
  matches->clear();
  const auto keep_best = [matches] {
    std::ranges::sort(*matches, {}, [](const ItemMatch& match) {
      return std::tuple(match.item, -match.share, match.begin, match.end);
    });
    const auto of_one_item = [](const ItemMatch& a, const ItemMatch& b) { return a.item == b.item; };
    matches->erase(std::unique(matches->begin(), matches->end(), of_one_item), matches->end());
  };
  size_t most = kMost;
  ForEachMatch(codes, search, [&](const ItemMatch& match) {
    if (match.share <= share) return;
    matches->push_back(match);
    if (matches->size() < most) return;
    keep_best();
    most = std::max(kMost, 2 * matches->size());
  });
  keep_best();
}

// Calls `use(hash, place)` with each run of so many codes, until it returns false.
template <typename Use>
void ForEachRun(std::string_view text, size_t length, Use use) {
  constexpr uint64_t kBase = 0x9E3779B97F4A7C15U;
  uint64_t leaving = 1;  // the weight of the code that leaves
  for (size_t i = 0; i < length; ++i) leaving *= kBase;
  uint64_t hash = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    hash = hash * kBase + static_cast<unsigned char>(text[i]);
    if (i >= length) hash -= leaving * static_cast<unsigned char>(text[i - length]);
    if (i + 1 >= length && !use(hash, i + 1 - length)) return;
  }
}

// Looks for runs of one length after another: where there is one of n codes, there is one of n - 1.
ItemRun ItemIndex::LongestRun(const ItemMatch& match, std::string_view codes) const {
  const std::string_view place = codes.substr(match.begin, match.end - match.begin);
  const std::string_view all = CodesOfItem(match.item);
  std::vector<std::pair<uint64_t, size_t>> runs;  // of the part
  // Where the place has the first run of so many codes that the part has, too.
  const auto find = [&](std::string_view part, size_t length) {
    runs.clear();
    ForEachRun(part, length, [&](uint64_t hash, size_t at) {
      runs.emplace_back(hash, at);
      return true;
    });
    std::ranges::sort(runs);
    std::optional<size_t> found;
    ForEachRun(place, length, [&](uint64_t hash, size_t at) {
      const auto run = std::ranges::lower_bound(runs, std::pair(hash, size_t{0}));
      if (run == runs.end() || run->first != hash) return true;
      if (part.substr(run->second, length) == place.substr(at, length)) found = at;
      return !found;
    });
    return found;
  };
  ItemRun best;
  size_t number = 0;
  for (size_t from = 0; from < all.size(); ++number) {
    const std::string_view part = all.substr(from, all.find('\0', from) - from);
    from += part.size() + 1;
    size_t least = best.length;  // a run of so many is known
    size_t most = std::min(part.size(), place.size());
    size_t length = least + 1;  // most parts have no longer one
    while (least < most) {
      const auto found = find(part, length);
      if (found) {
        best = {number, match.begin + *found, length};
        least = length;
      } else {
        most = length - 1;
      }
      length = least + (most - least + 1) / 2;
    }
  }
  return best;
}

// What was added before, by hashes.
struct ItemIndexBuilder::Known {
  std::unordered_set<uint64_t> items;
};

ItemIndexBuilder::ItemIndexBuilder() : known_(std::make_unique<Known>()), index_(new ItemIndex()) {}
ItemIndexBuilder::~ItemIndexBuilder() = default;

void ItemIndexBuilder::Append(std::string_view part) {
  const size_t wanted = index_->codes_size_ + part.size() + 1 + ItemIndex::kSlack;
  if (wanted > capacity_) {
    const size_t capacity = std::max(wanted, capacity_ + capacity_ / 2);
    char* const before = index_->codes_.release();
    auto* const grown = static_cast<char*>(std::realloc(before, capacity));
    index_->codes_.reset(grown != nullptr ? grown : before);
    Allocated(grown);
    capacity_ = capacity;
  }
  char* const end = index_->codes_.get() + index_->codes_size_;
  std::memcpy(end, part.data(), part.size());
  std::memset(end + part.size(), 0, 1 + ItemIndex::kSlack);
  index_->codes_size_ += part.size() + 1;
}

arrow::Result<ItemIndexBuilder::Added> ItemIndexBuilder::Add(const ItemParts& item) {
  const uint64_t number = added_++;
  bool is_short = true;
  ItemIndex::Coverage whole;
  const auto add = [&](const std::string& part) {
    is_short = is_short && part.size() < kShortGram;
    ForEachPiece(part, [&](size_t place, size_t size) {
      whole.pieces += PiecesIn(size);
      whole.weight += WeightOf(std::string_view(part).substr(place, size));
    });
  };
  add(item.question);
  add(item.answer);
  std::ranges::for_each(item.choices, add);
  whole.covered = whole.pieces;
  if (is_short || !whole.Suffices()) {
    ++index_->short_items_;
    return Added::kShort;
  }
  size_t codes = item.question.size() + item.answer.size();
  for (const std::string& choice : item.choices) codes += choice.size() + 1;
  constexpr size_t kMost = std::numeric_limits<uint32_t>::max() - kBlockCodes;
  if (number > kMost || codes > kMost - index_->codes_size_) {
    return arrow::Status::Invalid("items have more than 4 GiB of text; divide them among several filters");
  }
  Append(item.question);
  Append(item.answer);
  for (size_t i = 0; i < item.choices.size(); ++i) {
    Append(item.choices[i]);
    if (i + 3 >= kMostParts) --index_->codes_size_;  // the next is appended to it
  }
  if (item.choices.size() + 2 >= kMostParts) ++index_->codes_size_;
  const uint32_t begin = index_->begins_.back();
  const char* const own = index_->codes_.get() + begin;
  if (!known_->items.insert(XXH3_64bits(own, index_->codes_size_ - begin)).second) {
    index_->codes_size_ = begin;
    ++index_->repeated_items_;
    return Added::kRepeated;
  }
  index_->begins_.push_back(static_cast<uint32_t>(index_->codes_size_));
  index_->numbers_.push_back(static_cast<uint32_t>(number));
  return Added::kNew;
}

// Whether an n-gram of the items leads to where it is.
bool ItemIndex::HasPosting(size_t place, uint64_t hash) const {
  const auto [at, tag] = PlaceAndTag(Spread(hash));
  const auto first = postings_.begin() + directory_[at];
  return std::binary_search(first, postings_.begin() + directory_[at + 1],
                            tag | static_cast<uint32_t>(place / kBlockCodes));
}

// Whether a document that has all of it has enough.
bool ItemIndex::CanSuffice(uint32_t item) const {
  Coverage sum;
  ForEachItemPart(CodesOfItem(item), [&](std::string_view part, size_t from) {
    sum.Add(CoverageOf(part, begins_[item] + from, [](std::string_view) { return true; }));
  });
  return sum.Suffices();
}

// Puts sampled n-grams to their places.
void ItemIndexBuilder::Place() {
  ItemIndex& index = *index_;
  const std::string_view codes(index.codes_.get(), index.codes_size_);
  const auto for_each = [&](auto use) {
    for (size_t from = 0; from < codes.size();) {
      const std::string_view part = codes.substr(from, codes.find('\0', from) - from);
      ForEachSampledGram(part, [&](size_t place, uint64_t hash) { use(from + place, hash); });
      from += part.size() + 1;
    }
  };
  constexpr size_t kMostPlaceBits = 28;
  const size_t places = codes.size() * 2 / (kWindow + 1) / kPostingsPerPlace;
  index.block_bits_ = static_cast<int>(std::bit_width(codes.size() / kBlockCodes));
  index.place_bits_ = static_cast<int>(std::clamp<size_t>(std::bit_width(places), 1, kMostPlaceBits));
  std::vector<uint32_t>& directory = index.directory_;
  directory.assign((size_t{1} << index.place_bits_) + 1, 0);
  for_each([&](size_t /*place*/, uint64_t hash) { ++directory[index.PlaceAndTag(index.Spread(hash)).first]; });
  uint32_t sum = 0;
  for (uint32_t& count : directory) sum = count += sum;  // the end of each place
  index.postings_.resize(sum);
  for_each([&](size_t place, uint64_t hash) {
    const auto [at, tag] = index.PlaceAndTag(index.Spread(hash));
    index.postings_[--directory[at]] = tag | static_cast<uint32_t>(place / kBlockCodes);
  });
}

// Takes out the n-grams of many blocks, and what is there twice.
void ItemIndexBuilder::DropCommon() {
  ItemIndex& index = *index_;
  index.uncounted_.assign(index.codes_size_ / 64 + 1, 0);
  const uint32_t block_mask = (uint32_t{1} << index.block_bits_) - 1;
  std::vector<uint32_t>& postings = index.postings_;
  const auto mark = [&](size_t at, uint32_t tag, uint32_t block) {
    const size_t end = std::min((block + size_t{1}) * kBlockCodes, index.codes_size_ - kGram);
    for (size_t i = block * kBlockCodes; i < end; ++i) {
      if (index.PlaceAndTag(index.Spread(GramHash(index.codes_.get() + i))) != std::pair(at, tag)) continue;
      for (size_t j = i; j < i + kGram; ++j) index.uncounted_[j / 64] |= uint64_t{1} << j % 64;
    }
  };
  uint32_t kept = 0;
  uint32_t begin = 0;
  for (size_t at = 0; at + 1 < index.directory_.size(); ++at) {
    const uint32_t end = index.directory_[at + 1];
    std::sort(postings.begin() + begin, postings.begin() + end);
    const auto last = std::unique(postings.begin() + begin, postings.begin() + end);
    const auto unique_end = static_cast<uint32_t>(last - postings.begin());
    index.directory_[at] = kept;
    for (uint32_t i = begin; i < unique_end;) {
      const uint32_t tag = postings[i] & ~block_mask;
      uint32_t next = i;
      while (next < unique_end && (postings[next] & ~block_mask) == tag) ++next;
      if (next - i <= kMostBlocks) {
        for (; i < next; ++i) postings[kept++] = postings[i];
      } else {
        const bool is_boilerplate = (next - i) * kLeastShare > index.codes_size_ / kBlockCodes;
        for (; i < next; ++i) {
          if (is_boilerplate) mark(at, tag, postings[i] & block_mask);
        }
      }
    }
    begin = end;
  }
  index.directory_.back() = kept;
  postings.resize(kept);
  for (size_t i = 0; i < index.codes_size_; ++i) {  // bits of codes become those of pieces that have one of them
    const char* const piece = index.codes_.get() + i;
    size_t next = 0;
    while (next < kPiece && piece[next] != 0 && index.Counts(i + next)) ++next;
    if (next < kPiece && piece[next] != 0) index.uncounted_[i / 64] |= uint64_t{1} << i % 64;
  }
}

// Sets the bits of the n-grams that are left, of whose hashes place and tag have enough.
void ItemIndexBuilder::MakeFilter() {
  ItemIndex& index = *index_;
  const uint32_t block_mask = (uint32_t{1} << index.block_bits_) - 1;
  index.filter_.resize(index.postings_.size() * kFilterBits / 64 + 1);
  for (size_t at = 0; at + 1 < index.directory_.size(); ++at) {
    for (uint32_t i = index.directory_[at]; i < index.directory_[at + 1]; ++i) {
      const uint64_t tag = index.postings_[i] & ~block_mask;
      const uint64_t spread = uint64_t{at} << (64 - index.place_bits_) | tag << 32 >> index.place_bits_;
      index.filter_[index.FilterWord(spread)] |= ItemIndex::FilterBits(spread);
    }
  }
}

// Of its parts, but for the last of kMostParts, which may be of several choices.
size_t LongestPart(std::string_view item) {
  size_t longest = 0;
  size_t number = 0;
  ForEachItemPart(item, [&](std::string_view part, size_t) {
    if (++number < kMostParts) longest = std::max(longest, part.size());
  });
  return longest;
}

// Calls `use(place)` with n-grams that cover an item's parts. Of a longer part, those that any text may have are left
// out, if there are others.
template <typename Use>
void ForEachShortGram(std::string_view item, Use use) {
  ForEachItemPart(item, [&use](std::string_view part, size_t from) {
    if (part.size() < kShortGram) return;
    const size_t last = part.size() - kShortGram;
    const size_t steps = std::max<size_t>(1, (last + kShortGram - 1) / kShortGram);
    const size_t count = last == 0 ? 1 : steps + 1;
    const auto place_of = [&](size_t i) { return i * last / steps; };
    const auto is_telling = [&](size_t i) { return HasOther(part.substr(place_of(i), kShortGram)); };
    const auto all = std::views::iota(size_t{0}, count);
    const bool only_telling = part.size() >= kFewCodes && std::ranges::any_of(all, is_telling);
    for (const size_t i : all) {
      if (!only_telling || is_telling(i)) use(from + place_of(i));
    }
  });
}

// Of items without a long part; where n-grams of all are too many, of the shortest, and of all that nothing else finds.
void ItemIndexBuilder::PlaceShort() {
  ItemIndex& index = *index_;
  std::array<size_t, kLongPart> counts{};  // of n-grams, by the longest part
  for (uint32_t item = 0; item < index.size(); ++item) {
    const size_t longest = LongestPart(index.CodesOfItem(item));
    if (longest < kLongPart) ForEachShortGram(index.CodesOfItem(item), [&](size_t) { ++counts[longest]; });
  }
  size_t most_codes = 0;
  for (size_t sum = 0; most_codes < kLongPart && (most_codes < kRun || sum + counts[most_codes] <= kMostShortGrams);) {
    sum += counts[most_codes++];
  }
  std::vector<uint32_t> places;
  for (uint32_t item = 0; item < index.size(); ++item) {
    const std::string_view codes = index.CodesOfItem(item);
    if (LongestPart(codes) >= most_codes) continue;
    ForEachShortGram(codes,
                     [&](size_t place) { places.push_back(static_cast<uint32_t>(index.begins_[item] + place)); });
  }
  index.short_grams_.Make(index.codes_.get(), std::move(places), kMostBlocks);
}

// Counts the items that nothing finds: too little of them counts, or all their n-grams are too common.
void ItemIndexBuilder::CountCommon() {
  ItemIndex& index = *index_;
  std::vector<bool>& common = index.is_common_;
  common.assign(index.size(), true);
  for (const uint32_t place : index.short_grams_.places()) {
    uint64_t work = 0;
    common[index.ItemAt(place, &work)] = false;
  }
  for (uint32_t item = 0; item < index.size(); ++item) {
    ForEachItemPart(index.CodesOfItem(item), [&](std::string_view part, size_t from) {
      if (!common[item]) return;
      ForEachSampledGram(part, [&](size_t place, uint64_t hash) {
        if (common[item]) common[item] = !index.HasPosting(index.begins_[item] + from + place, hash);
      });
    });
    common[item] = common[item] || !index.CanSuffice(item);
    index.common_items_ += common[item] ? 1 : 0;
  }
}

// Marks the pieces that an item has before.
void ItemIndexBuilder::MarkRepeated() {
  ItemIndex& index = *index_;
  std::vector<std::pair<uint64_t, size_t>> pieces;
  for (uint32_t item = 0; item < index.size(); ++item) {
    pieces.clear();
    ForEachItemPart(index.CodesOfItem(item), [&](std::string_view part, size_t from) {
      ForEachPiece(part, [&](size_t place, size_t size) {
        const uint64_t piece = PieceAt(part.data() + place) & ((uint64_t{1} << 8 * size) - 1);
        pieces.emplace_back(piece, index.begins_[item] + from + place);
      });
    });
    std::ranges::sort(pieces);
    for (size_t i = 1; i < pieces.size(); ++i) {
      const auto& [piece, place] = pieces[i];
      if (piece == pieces[i - 1].first) index.uncounted_[place / 64] |= uint64_t{1} << place % 64;
    }
  }
}

std::unique_ptr<ItemIndex> ItemIndexBuilder::Finish() {
  known_.reset();
  ItemIndex& index = *index_;
  if (index.codes_size_ == 0) return std::move(index_);
  Place();
  DropCommon();
  MakeFilter();
  PlaceShort();
  MarkRepeated();
  index.begins_.shrink_to_fit();
  index.numbers_.shrink_to_fit();
  index.block_items_.resize(index.codes_size_ / kBlockCodes + 1);
  uint32_t item = 0;
  for (size_t block = 0; block < index.block_items_.size(); ++block) {
    while (item + 1 < index.size() && index.begins_[item + 1] <= block * kBlockCodes) ++item;
    index.block_items_[block] = item;
  }
  CountCommon();
  return std::move(index_);
}

}  // namespace uzushio
