#include "dedup/minhash.h"

#include <algorithm>
#include <array>

#include "dedup/grams.h"

namespace uzushio {
namespace {

struct Functions {
  alignas(64) std::array<uint32_t, kMaxHashFunctions> factor{};
  alignas(64) std::array<uint32_t, kMaxHashFunctions> offset{};
};

constexpr Functions MakeFunctions() {
  Functions functions;
  for (size_t i = 0; i < kMaxHashFunctions; ++i) {
    const uint64_t random = Mix64(0x757a757368696f00 + i);
    functions.factor[i] = static_cast<uint32_t>(random) | 1;
    functions.offset[i] = static_cast<uint32_t>(random >> 32);
  }
  return functions;
}

constexpr Functions kFunctions = MakeFunctions();

// Vectors of the compiler (GCC, Clang): `kBytes` wide, split where the target has narrower ones.
template <size_t kBytes>
struct Vector;
template <>
struct Vector<16> {
  using Type [[gnu::vector_size(16)]] = uint32_t;
};
template <>
struct Vector<32> {
  using Type [[gnu::vector_size(32)]] = uint32_t;
};
template <>
struct Vector<64> {
  using Type [[gnu::vector_size(64)]] = uint32_t;
};

// Functions are taken in groups whose running minima, factors and offsets fit the registers.
template <size_t kBytes>
[[gnu::always_inline]] inline void Kernel(const uint32_t* features, size_t count, size_t functions, uint32_t* minima) {
  using V = typename Vector<kBytes>::Type;  // NOLINT(readability-redundant-typename): for older Clang
  constexpr size_t kLanes = kBytes / sizeof(uint32_t);
  constexpr size_t kGroup = kLanes >= 16 ? 2 : 4;
  static_assert(kHashFunctionGroup % (kGroup * kLanes) == 0);
  for (size_t first = 0; first < functions; first += kGroup * kLanes) {
    V least[kGroup];   // NOLINT(modernize-avoid-c-arrays)
    V factor[kGroup];  // NOLINT(modernize-avoid-c-arrays)
    V offset[kGroup];  // NOLINT(modernize-avoid-c-arrays)
    for (size_t g = 0; g < kGroup; ++g) {
      for (size_t lane = 0; lane < kLanes; ++lane) least[g][lane] = minima[first + g * kLanes + lane];
      factor[g] = *reinterpret_cast<const V*>(&kFunctions.factor[first + g * kLanes]);
      offset[g] = *reinterpret_cast<const V*>(&kFunctions.offset[first + g * kLanes]);
    }
    for (size_t i = 0; i < count; ++i) {
      for (size_t g = 0; g < kGroup; ++g) {
        const V value = factor[g] * features[i] + offset[g];
        least[g] = value < least[g] ? value : least[g];
      }
    }
    for (size_t g = 0; g < kGroup; ++g) {
      for (size_t lane = 0; lane < kLanes; ++lane) minima[first + g * kLanes + lane] = least[g][lane];
    }
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void KernelAvx2(const uint32_t* features, size_t count, size_t functions, uint32_t* minima) {
  Kernel<32>(features, count, functions, minima);
}
[[gnu::target("avx512f")]] void KernelAvx512(const uint32_t* features, size_t count, size_t functions,
                                             uint32_t* minima) {
  Kernel<64>(features, count, functions, minima);
}
#endif

}  // namespace

bool Supports(Simd simd) {
#if defined(__x86_64__)
  if (simd == Simd::kAvx2) return __builtin_cpu_supports("avx2") != 0;
  if (simd == Simd::kAvx512) return __builtin_cpu_supports("avx512f") != 0;
#endif
  return simd == Simd::kBaseline;
}

Simd BestSimd() {
  if (Supports(Simd::kAvx512)) return Simd::kAvx512;
  return Supports(Simd::kAvx2) ? Simd::kAvx2 : Simd::kBaseline;
}

void MinHash(std::span<const uint32_t> features, std::span<uint32_t> minima, Simd simd) {
  std::ranges::fill(minima, UINT32_MAX);
  LowerMinHash(features, minima, simd);
}

void LowerMinHash(std::span<const uint32_t> features, std::span<uint32_t> minima, Simd simd) {
#if defined(__x86_64__)
  if (simd == Simd::kAvx512) return KernelAvx512(features.data(), features.size(), minima.size(), minima.data());
  if (simd == Simd::kAvx2) return KernelAvx2(features.data(), features.size(), minima.size(), minima.data());
#endif
  Kernel<16>(features.data(), features.size(), minima.size(), minima.data());
}

}  // namespace uzushio
