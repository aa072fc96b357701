// MinHash signatures (Broder 1997): the share of equal values of two signatures estimates the Jaccard index of the
// sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace uzushio {

// Instruction sets that the kernel exists for; all give the same values.
enum class Simd { kBaseline, kAvx2, kAvx512 };
// The widest that this machine has.
Simd BestSimd();
bool Supports(Simd simd);

// Hash functions that there are: x -> a_i x + b_i (mod 2^32) with odd a_i, a permutation; constants of a fixed
// generator.
inline constexpr size_t kMaxHashFunctions = 16384;
// Functions are worked on in groups of so many.
inline constexpr size_t kHashFunctionGroup = 32;

// The least value of each of the first functions over the features, as many as `minima` has room for, a multiple of
// kHashFunctionGroup. Features are hashes whose bits are all good; repeats do not matter. Of none, UINT32_MAX.
void MinHash(std::span<const uint32_t> features, std::span<uint32_t> minima, Simd simd);
// The same for features that come in parts: lowers minima of those before.
void LowerMinHash(std::span<const uint32_t> features, std::span<uint32_t> minima, Simd simd);

}  // namespace uzushio
