#include "dedup/comparer.h"

#include <algorithm>
#include <bit>

#include "dedup/grams.h"
#include "dedup/relation.h"

namespace uzushio {

uint32_t GramCounter::Count(std::u32string_view text) {
  return 2 * text.size() <= kMaxTableGrams ? CountByTable(text) : CountBySorting(text);
}

uint32_t GramCounter::CountByTable(std::u32string_view text) {
  size_t capacity = 64;
  while (capacity < 4 * text.size()) capacity *= 2;
  if (++text_number_ == 0 || capacity > slots_.size()) {
    slots_.assign(std::max(capacity, slots_.size()), Slot{});
    text_number_ = 1;
  }
  const size_t mask = capacity - 1;
  const int shift = 64 - std::countr_zero(capacity);
  uint32_t count = 0;
  ForEachGram(text, [&](uint64_t gram) {
    size_t slot = (gram * secret_) >> shift;
    while (slots_[slot].text == text_number_) {
      if (slots_[slot].gram == gram) return true;
      slot = (slot + 1) & mask;
    }
    slots_[slot] = {gram, text_number_};
    ++count;
    return true;
  });
  return count;
}

uint32_t GramCounter::CountBySorting(std::u32string_view text) {
  std::vector<uint64_t> grams;
  ForEachGram(text, [&grams](uint64_t gram) {
    grams.push_back(gram);
    return true;
  });
  std::sort(grams.begin(), grams.end());
  return static_cast<uint32_t>(std::unique(grams.begin(), grams.end()) - grams.begin());
}

uint64_t CharacterSet(std::u32string_view text) {
  uint64_t set = 0;
  for (const char32_t c : text) set |= uint64_t{1} << ((uint64_t{c} * 0x9e3779b97f4a7c15) >> 58);
  return set;
}

void Comparer::SetPivot(const ComparableText& pivot) {
  pivot_ = pivot;
  characters_ready_ = false;
  grams_ready_ = false;
}

bool Comparer::IsNear(const ComparableText& other) {
  const size_t a = pivot_.text.size();
  const size_t b = other.text.size();
  if (!LengthsAreNear(a, b)) return false;
  const size_t mean = MeanLength(a, b);
  if (mean == 0) return false;
  return mean <= kMaxShortMean ? EditsAreFew(other, MaxEdits(mean)) : GramsAreMany(other);
}

// --- short paragraphs ---

void Comparer::IndexCharacters() {
  positions_.fill(0);
  for (size_t i = 0; i < pivot_.text.size(); ++i) {
    const char32_t c = pivot_.text[i];
    size_t slot = c % kCharacterSlots;
    while (positions_[slot] != 0 && characters_[slot] != c) slot = (slot + 1) % kCharacterSlots;
    characters_[slot] = c;
    positions_[slot] |= uint64_t{1} << i;
  }
  characters_ready_ = true;
}

bool Comparer::EditsAreFew(const ComparableText& other, size_t max_edits) {
  const auto different = static_cast<size_t>(std::popcount(pivot_.character_set ^ other.character_set));
  if (different > 2 * max_edits) return false;
  if (!characters_ready_) IndexCharacters();
  // Differences between neighbours of a column of the distance matrix, as bits: +1 and -1.
  uint64_t plus = ~uint64_t{0};
  uint64_t minus = 0;
  const size_t length = pivot_.text.size();
  const uint64_t last = uint64_t{1} << (length - 1);
  size_t distance = length;
  size_t left = other.text.size();
  for (const char32_t c : other.text) {
    const uint64_t match = Positions(c);
    const uint64_t diagonal_zero = (((match & plus) + plus) ^ plus) | match | minus;
    uint64_t row_plus = minus | ~(diagonal_zero | plus);
    uint64_t row_minus = diagonal_zero & plus;
    distance += (row_plus & last) != 0 ? 1 : 0;
    distance -= (row_minus & last) != 0 ? 1 : 0;
    --left;
    if (distance > max_edits + left) return false;
    row_plus = row_plus << 1 | 1;
    row_minus <<= 1;
    plus = row_minus | ~(diagonal_zero | row_plus);
    minus = diagonal_zero & row_plus;
  }
  return distance <= max_edits;
}

// --- long paragraphs ---

void Comparer::IndexGrams() {
  size_t capacity = 64;
  while (capacity < 2 * size_t{pivot_.grams}) capacity *= 2;
  if (++pivot_number_ == 0 || capacity > slots_.size()) {
    slots_.assign(std::max(capacity, slots_.size()), Slot{});
    pivot_number_ = 1;
    comparison_ = 0;
  }
  slot_mask_ = capacity - 1;
  slot_shift_ = 64 - std::countr_zero(capacity);
  ForEachGram(pivot_.text, [this](uint64_t gram) {
    size_t slot = PlaceOf(gram);
    while (slots_[slot].pivot == pivot_number_ && slots_[slot].gram != gram) slot = (slot + 1) & slot_mask_;
    slots_[slot] = {gram, pivot_number_, 0};
    return true;
  });
  comparison_ = 0;
  grams_ready_ = true;
}

bool Comparer::GramsAreMany(const ComparableText& other) {
  const size_t needed = (7 * (size_t{pivot_.grams} + other.grams) + 16) / 17;
  if (std::min(pivot_.grams, other.grams) < needed) return false;
  if (!grams_ready_) IndexGrams();
  if (++comparison_ == 0) {
    IndexGrams();
    comparison_ = 1;
  }
  size_t missing = needed;  // n-grams in common that are still to be met
  size_t left = 2 * other.text.size() - 5;
  ForEachGram(other.text, [&](uint64_t gram) {
    size_t slot = PlaceOf(gram);
    while (slots_[slot].pivot == pivot_number_) {
      if (slots_[slot].gram == gram) {
        if (slots_[slot].seen != comparison_) {
          slots_[slot].seen = comparison_;
          --missing;
        }
        break;
      }
      slot = (slot + 1) & slot_mask_;
    }
    --left;
    return missing > 0 && left >= missing;
  });
  return missing == 0;
}

}  // namespace uzushio
