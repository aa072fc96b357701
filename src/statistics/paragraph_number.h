// What a paragraph is called between the steps of the search, and what is told of it by that name.
#pragma once

#include <cstddef>
#include <cstdint>

namespace uzushio {

// A paragraph's number: its partition and its place in it, so that numbers are in order of hashes.
inline constexpr int kLocalBits = 28;
constexpr uint64_t ParagraphNumber(size_t partition, size_t local) { return uint64_t{partition} << kLocalBits | local; }
constexpr size_t PartitionOf(uint64_t number) { return number >> kLocalBits; }
constexpr size_t LocalOf(uint64_t number) { return number & ((uint64_t{1} << kLocalBits) - 1); }

// What a paragraph's near-duplicates add to its frequency, or that some of its candidates were not looked at.
struct NeighbourShare {
  uint64_t paragraph = 0;
  uint32_t count = 0;
  uint32_t partial = 0;
};

}  // namespace uzushio
