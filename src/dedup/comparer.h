// Decides fast which paragraphs are near-duplicates of one.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/random_odd.h"

namespace uzushio {

// A paragraph with what comparisons need. Views the text.
struct ComparableText {
  std::u32string_view text;
  uint32_t grams = 0;          // distinct 3- and 4-grams; see GramCounter
  uint64_t character_set = 0;  // see CharacterSet
};

// Distinct 3- and 4-grams of a text. Works in a table that it keeps.
class GramCounter {
 public:
  uint32_t Count(std::u32string_view text);

 private:
  static constexpr size_t kMaxTableGrams = size_t{1} << 16;  // more would make the table large
  uint32_t CountByTable(std::u32string_view text);
  static uint32_t CountBySorting(std::u32string_view text);

  struct Slot {
    uint64_t gram = 0;
    uint32_t text = 0;  // the slot is of the text with this number
  };
  std::vector<Slot> slots_;
  uint32_t text_number_ = 0;
  uint64_t secret_ = RandomOdd();  // who chooses texts chooses hashes
};

// A set of the text's characters in 64 bits (several share a bit). An edit changes at most two bits.
uint64_t CharacterSet(std::u32string_view text);

// Compares one paragraph with many. Decides as NearDuplicatesByDefinition does, except that n-grams are compared by
// 64-bit hashes.
//
// Short paragraphs: Levenshtein distance by bit-parallel columns (Myers 1999, in the form of Hyyrö 2003), after bounds
// by lengths and by sets of characters. Long ones: the n-grams of the other are looked up in a hash table of this
// one's, and given up as soon as too many are missing.
class Comparer {
 public:
  // The one paragraph. Its text must stay where it is.
  void SetPivot(const ComparableText& pivot);
  // Whether `other` is a near-duplicate of it.
  bool IsNear(const ComparableText& other);

 private:
  void IndexCharacters();
  void IndexGrams();
  uint64_t Positions(char32_t c) const {
    size_t slot = c % kCharacterSlots;
    while (positions_[slot] != 0 && characters_[slot] != c) slot = (slot + 1) % kCharacterSlots;
    return positions_[slot];
  }
  bool EditsAreFew(const ComparableText& other, size_t max_edits);
  bool GramsAreMany(const ComparableText& other);

  ComparableText pivot_;
  bool characters_ready_ = false;
  bool grams_ready_ = false;

  // Positions of each of the pivot's characters, as bits: open addressing by the character's low bits.
  static constexpr size_t kCharacterSlots = 128;
  std::array<char32_t, kCharacterSlots> characters_{};
  std::array<uint64_t, kCharacterSlots> positions_{};

  // The pivot's n-grams, open addressing; `seen_` is the last comparison that met the n-gram.
  struct Slot {
    uint64_t gram = 0;
    uint32_t pivot = 0;  // the slot is of the pivot with this number
    uint32_t seen = 0;
  };
  std::vector<Slot> slots_;
  size_t PlaceOf(uint64_t gram) const { return (gram * secret_) >> slot_shift_; }
  size_t slot_mask_ = 0;
  int slot_shift_ = 0;
  uint64_t secret_ = RandomOdd();  // who chooses texts chooses hashes
  uint32_t pivot_number_ = 0;
  uint32_t comparison_ = 0;
};

}  // namespace uzushio
