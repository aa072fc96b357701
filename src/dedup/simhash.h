// SimHash signatures, and candidates from windows over sorted signatures: what the original Uzushio does.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dedup/candidates.h"

namespace uzushio {

// 128 bits; the share of equal bits of two signatures estimates the angle between the texts' n-gram counts (Charikar
// 2002). Hyperplanes are of random signs, n-grams are the 2- to 4-grams that do not cross a line break.
using SimHashSignature = std::array<uint64_t, 2>;
SimHashSignature SimHash(std::u32string_view text);

// Signatures of near-duplicates differ in about a fifth of their bits (Jaccard 0.7 of 3- and 4-grams is a cosine of
// 0.82, an angle of 0.19 pi); this bound is four standard deviations above for long paragraphs.
inline constexpr int kMaxDifferentBits = 44;

// Entries for sorting: one for each rotation, whose `sketch` is the signature rotated and `bucket` its first half.
void MakeRotations(uint64_t paragraph, std::u32string_view text, int rotations, std::vector<BucketEntry>* entries);

// Whether two entries of one rotation may be near-duplicates.
bool RotationsAreNear(const BucketEntry& a, const BucketEntry& b);

}  // namespace uzushio
