// Building takes two passes over the items: one counts the sampled n-grams of each place of the directory, the other
// puts their blocks there, so that no second copy of them is made. Each place is then sorted by tag and block, which
// brings the blocks of an n-gram together. Those of more than kMostBlocks are taken out, and the codes of those that
// are boilerplate are marked.
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
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <tuple>
#include <unordered_set>

#include "base/library_memory.h"
#include "base/random_odd.h"
#include "contamination/sampled_grams.h"

namespace uzushio {
namespace {

constexpr size_t kBlockCodes = 64;    // codes of a block
constexpr size_t kMostBlocks = 16;    // of an n-gram that finds items
constexpr size_t kLeastShare = 1024;  // n-grams of more than one in so many blocks do not count, if they find nothing
constexpr size_t kPiece = 5;          // codes of the n-grams that are compared
constexpr size_t kMostParts = 64;     // of an item; further choices are one part
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
size_t Reach(size_t codes) { return codes + codes / 2 + kBlockCodes; }

const uint64_t piece_odd = RandomOdd();  // who chooses documents chooses pieces

size_t PieceSlot(uint64_t piece, size_t mask) { return (piece * piece_odd >> 32) & mask; }

}  // namespace

void ItemIndex::Freed::operator()(char* bytes) const { std::free(bytes); }

int64_t ItemIndex::bytes() const {
  const size_t bytes = codes_size_ + kSlack + (begins_.capacity() + numbers_.capacity()) * sizeof(uint32_t) +
                       (common_.capacity() + filter_.capacity()) * sizeof(uint64_t) +
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
  const auto has = [&](uint64_t piece) { return search->pieces[slot_of(piece)] != 0; };

  ItemMatch match;
  match.item = item;
  match.begin = begin;
  match.end = end;
  const std::string_view all = CodesOfItem(item);
  const std::string_view place = codes.substr(begin, end - begin);
  search->work += all.size();
  Coverage sum;
  Coverage answered;  // question and answer
  size_t number = 0;
  for (size_t from = 0; from < all.size(); ++number) {
    const std::string_view part = all.substr(from, all.find('\0', from) - from);
    Coverage own;
    size_t until = 0;  // codes of the part are covered up to here
    if (part.size() < kPiece) {
      search->work += place.size();
      if (!part.empty() && place.find(part) != std::string_view::npos) until = part.size();
    }
    for (size_t i = 0; i < part.size(); ++i) {
      if (i + kPiece <= part.size() && has(PieceAt(part.data() + i))) until = i + kPiece;
      const bool is_covered = i < until;
      if (IsCommon(begins_[item] + from + i)) continue;
      ++own.codes;
      own.covered += is_covered ? 1 : 0;
    }
    sum.codes += own.codes;
    sum.covered += own.covered;
    if (number == 1 && part.empty()) {  // the answer is not known
      answered = {};
    } else if (number < 2) {
      answered.codes += own.codes;
      answered.covered += own.covered;
    }
    from += part.size() + 1;
  }
  for (const Coverage& coverage : {sum, answered}) {
    if (coverage.codes < kRun) continue;
    const double share = static_cast<double>(coverage.covered) / static_cast<double>(coverage.codes);
    if (share <= match.share) continue;
    match.share = share;
    match.covered = static_cast<uint32_t>(coverage.covered);
    match.codes = static_cast<uint32_t>(coverage.codes);
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
  if (postings_.empty() || codes.size() > std::numeric_limits<uint32_t>::max()) return;
  search->work += codes.size();
  size_t most_anchors = kMostAnchors;
  ForEachSampledGram(codes, [&](size_t place, uint64_t hash) {
    const uint64_t spread = Spread(hash);
    __builtin_prefetch(&filter_[FilterWord(spread)]);
    search->lookups[search->looked_up++] = {spread, static_cast<uint32_t>(place)};
    if (search->looked_up < kLookups) return;
    LookUp(codes, search);
    if (search->anchors.size() < most_anchors) return;
    Settle(codes, place + 1, search, use);
    most_anchors = std::max(kMostAnchors, 2 * search->anchors.size());
  });
  LookUp(codes, search);
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
    std::ranges::sort(*matches, {},
                      [](const ItemMatch& match) { return std::tuple(match.item, -match.share, match.begin); });
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
  const auto is_short = [](const std::string& part) { return part.size() < kRun; };
  if (is_short(item.question) && is_short(item.answer) && std::ranges::all_of(item.choices, is_short)) {
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

// Whether too few of its codes count for it to be found.
bool ItemIndex::IsCommonItem(uint32_t item) const {
  size_t counted = 0;
  for (size_t i = begins_[item]; i < begins_[item + 1] && counted < kRun; ++i) {
    counted += codes_.get()[i] != 0 && !IsCommon(i) ? 1 : 0;
  }
  return counted < kRun;
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
  const uint32_t block_mask = (uint32_t{1} << index.block_bits_) - 1;
  std::vector<uint32_t>& postings = index.postings_;
  const auto mark = [&](size_t at, uint32_t tag, uint32_t block) {
    index.common_.resize(index.codes_size_ / 64 + 1);
    const size_t end = std::min((block + size_t{1}) * kBlockCodes, index.codes_size_ - kGram);
    for (size_t i = block * kBlockCodes; i < end; ++i) {
      if (index.PlaceAndTag(index.Spread(GramHash(index.codes_.get() + i))) != std::pair(at, tag)) continue;
      for (size_t j = i; j < i + kGram; ++j) index.common_[j / 64] |= uint64_t{1} << j % 64;
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

std::unique_ptr<ItemIndex> ItemIndexBuilder::Finish() {
  known_.reset();
  ItemIndex& index = *index_;
  if (index.codes_size_ == 0) return std::move(index_);
  Place();
  DropCommon();
  MakeFilter();
  index.begins_.shrink_to_fit();
  index.numbers_.shrink_to_fit();
  index.block_items_.resize(index.codes_size_ / kBlockCodes + 1);
  uint32_t item = 0;
  for (size_t block = 0; block < index.block_items_.size(); ++block) {
    while (item + 1 < index.size() && index.begins_[item + 1] <= block * kBlockCodes) ++item;
    index.block_items_[block] = item;
  }
  for (item = 0; item < index.size(); ++item) index.common_items_ += index.IsCommonItem(item) ? 1 : 0;
  return std::move(index_);
}

}  // namespace uzushio
