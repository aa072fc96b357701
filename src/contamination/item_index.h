// Finds items of benchmarks in documents.
//
// Texts are codes of characters (contamination/folding.h). An item has parts: its question, its answer, the other
// choices. The index holds their codes, a byte each, and for each sampled n-gram (contamination/sampled_grams.h) the
// blocks of 64 codes in which it occurs, 4 bytes each. About 2 bytes a character, all in all.
//
// An item is compared with the surroundings of each place where it shares kRun consecutive codes with a document, or,
// if it is short, one of its kept n-grams of kShortGram codes (contamination/short_grams.h).
// Compared are pieces of kPiece codes, in any order, so that names, numbers and the order of choices may differ. A
// piece that an item has several times counts once. A part of two to four codes has to occur whole, and counts as many
// pieces as it has codes; one of a single code does not count. n-grams of more than 16 blocks find nothing. If they are
// in one of 1,024 blocks or more, they are boilerplate, and pieces with one of their codes do not count.
//
// What is shared by chance is left out: a match has pieces of a weight of 11, where one with a character other than
// kana, digits and a to z weighs 2 and another 1, or all pieces, if they are seven or more. A part of question and
// answer alone is one if they have 14 pieces. Measured on published benchmarks and 122,000 pages (docs/benchmarks.md).
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contamination/short_grams.h"

namespace uzushio {

// An item as codes. Choices other than the answer; choices without an answer, if it is not known which is it.
struct ItemParts {
  std::string question;
  std::string answer;
  std::vector<std::string> choices;
};

// How much of an item a document has in one place.
struct ItemMatch {
  uint32_t item = 0;
  double share = 0;      // covered / pieces; the larger of: all parts, question and answer
  uint32_t covered = 0;  // of the pieces that count, those that the document has
  uint32_t pieces = 0;   // of the item that count
  size_t begin = 0;      // the place, in the document's codes
  size_t end = 0;
};

// The longest run of codes that a part of an item and a document share.
struct ItemRun {
  size_t part = 0;   // 0: the question, 1: the answer, from 2: the other choices
  size_t begin = 0;  // in the document's codes
  size_t length = 0;
};

// What a thread searches with. Keeps its memory from document to document; besides 2 MiB, that of the largest item.
struct ItemSearch {
  struct Lookup {
    uint64_t spread = 0;  // the hash, as ItemIndex spreads it
    uint32_t place = 0;   // in the document's codes
  };
  std::vector<Lookup> lookups;                         // of a part of the document, and room
  size_t looked_up = 0;                                // of them without the room
  std::vector<std::pair<uint32_t, uint32_t>> ranges;   // of postings, of the lookups that the filter lets through
  std::vector<std::pair<uint32_t, uint32_t>> blocks;   // with places
  std::vector<std::pair<uint32_t, uint32_t>> anchors;  // items with places, that are not compared yet
  std::vector<std::pair<uint32_t, uint32_t>> resumed;  // items with the place from which anchors are to be compared
  std::vector<std::pair<uint32_t, uint32_t>> resumed_next;
  std::vector<uint64_t> pieces;  // a hash table of the surroundings
  uint64_t work = 0;             // codes and entries that were looked at, for tests
};

class ItemIndex {
 public:
  // The best match of a document: of equal ones the first item's. Nothing where no item shares a run. `codes` has room:
  // kSlack bytes can be read behind it. Takes time in proportion to the document, whatever it is.
  std::optional<ItemMatch> Find(std::string_view codes, ItemSearch* search) const;
  // Sets `matches` to the best of each item of which there is more than this share, in order of items; of equal ones
  // the first.
  void FindAbove(std::string_view codes, double share, ItemSearch* search, std::vector<ItemMatch>* matches) const;
  // The longest run of a match: of equal ones that of the first part, at its first place in the document. Takes time in
  // proportion to item and place, times the logarithm of the run.
  ItemRun LongestRun(const ItemMatch& match, std::string_view codes) const;
  static constexpr size_t kSlack = 8;

  size_t size() const { return begins_.size() - 1; }
  // The number of the item among those that were added, from 0.
  uint64_t NumberOf(uint32_t item) const { return numbers_[item]; }
  // Items of too few codes to be found; which occurred before; of which all n-grams are too common, or too little
  // counts: that is boilerplate or repeated.
  int64_t short_items() const { return short_items_; }
  int64_t repeated_items() const { return repeated_items_; }
  int64_t common_items() const { return common_items_; }
  bool IsCommonItem(uint32_t item) const { return is_common_[item]; }
  // Bytes in memory.
  int64_t bytes() const;
  // Equal indexes, equal checksums.
  uint64_t checksum() const;

 private:
  friend class ItemIndexBuilder;
  // Bytes that grow in place where the system can, so that half of them are not there twice.
  struct Freed {
    void operator()(char* bytes) const;
  };
  // The pieces that are covered, of those that count.
  struct Coverage {
    uint64_t pieces = 0;
    uint64_t covered = 0;
    uint64_t weight = 0;  // of what is covered

    void Add(const Coverage& other);
    bool Suffices() const;
  };

  std::string_view CodesOfItem(uint32_t item) const {
    return {codes_.get() + begins_[item], begins_[item + 1] - begins_[item]};
  }
  bool Counts(size_t place) const { return (uncounted_[place / 64] >> place % 64 & 1) == 0; }
  uint64_t Spread(uint64_t hash) const;
  std::pair<size_t, uint32_t> PlaceAndTag(uint64_t spread) const;
  size_t FilterWord(uint64_t spread) const;
  static uint64_t FilterBits(uint64_t spread);
  uint32_t ItemAt(size_t place, uint64_t* work) const;
  bool HasPosting(size_t place, uint64_t hash) const;
  bool CanSuffice(uint32_t item) const;
  void LookUp(std::string_view codes, ItemSearch* search) const;
  void LookUpShort(std::string_view codes, size_t begin, size_t end, ItemSearch* search) const;
  template <typename Use>
  void ForEachMatch(std::string_view codes, ItemSearch* search, Use use) const;
  template <typename Use>
  void Settle(std::string_view codes, std::optional<size_t> until, ItemSearch* search, Use use) const;
  std::optional<uint32_t> SharedRun(std::string_view codes, size_t place, uint32_t block, uint64_t* work) const;
  ItemMatch Compare(uint32_t item, std::string_view codes, size_t begin, size_t end, ItemSearch* search) const;
  template <typename Has>
  Coverage CoverageOf(std::string_view part, size_t begin, Has has) const;

  std::unique_ptr<char, Freed> codes_;  // of all items; each part is followed by 0: question, answer, choices
  size_t codes_size_ = 0;
  std::vector<uint32_t> begins_{0};    // of items; and the end
  std::vector<uint32_t> numbers_;      // of items
  std::vector<uint64_t> uncounted_;    // a bit for each code: a piece that begins there does not count
  std::vector<uint32_t> block_items_;  // the item of each block's first code
  std::vector<uint32_t> directory_;    // where postings begin, by the first bits of hashes
  std::vector<uint32_t> postings_;     // the next bits of the hash, and the block
  std::vector<uint64_t> filter_;       // a Bloom filter of the n-grams that have postings, each in one word
  ShortGrams short_grams_;
  std::vector<bool> is_common_;  // items that nothing finds
  int place_bits_ = 0;
  int block_bits_ = 0;
  int64_t short_items_ = 0;
  int64_t repeated_items_ = 0;
  int64_t common_items_ = 0;
};

// Collects items.
class ItemIndexBuilder {
 public:
  ItemIndexBuilder();
  ~ItemIndexBuilder();
  ItemIndexBuilder(const ItemIndexBuilder&) = delete;
  ItemIndexBuilder& operator=(const ItemIndexBuilder&) = delete;

  enum class Added : uint8_t { kNew, kShort, kRepeated };
  // Errors: there are more than 2^32 codes.
  arrow::Result<Added> Add(const ItemParts& item);
  // Takes time in proportion to the items, times the logarithm of how often one n-gram occurs, and of the largest item,
  // and 16 bytes for each code of that.
  std::unique_ptr<ItemIndex> Finish();

 private:
  void Append(std::string_view part);
  void Place();
  void DropCommon();
  void PlaceShort();
  void MarkRepeated();
  void CountCommon();
  void MakeFilter();

  struct Known;
  std::unique_ptr<Known> known_;
  std::unique_ptr<ItemIndex> index_;
  size_t capacity_ = 0;
  uint64_t added_ = 0;
};

}  // namespace uzushio
