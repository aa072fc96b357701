// MinHash signatures (Broder 1997): the share of equal values of two signatures estimates the Jaccard index of the
// sets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace uzushio {

// Instruction sets that the kernel exists for; all give the same values.
enum class Simd { kBaseline, kAvx2, kAvx512 };
// The widest that this machine has.
Simd BestSimd();
bool Supports(Simd simd);

// Number of hash functions: signatures have one value for each.
inline constexpr size_t kMaxHashFunctions = 128;
using MinHashSignature = std::array<uint32_t, kMaxHashFunctions>;

// The least value of each of the first `functions` hash functions over the features (a multiple of 32, at most
// kMaxHashFunctions). Features are hashes whose bits are all good; repeats do not matter. Function i is
// x -> a_i x + b_i (mod 2^32) with odd a_i, which is a permutation.
void MinHash(std::span<const uint32_t> features, size_t functions, MinHashSignature* signature, Simd simd);

}  // namespace uzushio
