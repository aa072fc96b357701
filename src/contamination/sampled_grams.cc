#include "contamination/sampled_grams.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace uzushio {
namespace {

static_assert(kWindow == 5);  // as the loops over windows have it

constexpr uint64_t kSign = uint64_t{1} << 63;  // keys are compared as signed numbers

int64_t Lesser(int64_t one, int64_t other) { return one < other ? one : other; }

// Keys of the n-grams from `first` on.
void MakeKeys(const char* codes, size_t first, size_t grams, int64_t* keys) {
  for (size_t i = first; i < grams; ++i) {
    keys[i] = static_cast<int64_t>(((GramHash(codes + i) | LeastGrams::kPlaces) - i) ^ kSign);
  }
}

// Windows from `first` on. The first of all is changed: no key is 0. An equal n-gram may follow the one that left.
void CompareWindows(const int64_t* keys, size_t first, size_t windows, LeastGrams* found) {
  int64_t before = first == 0 ? 0 : found->least[first - 1];
  int64_t left = first == 0 ? 0 : keys[first - 1];
  int64_t second = Lesser(keys[first + 1], keys[first + 2]);  // the lesser of the window's second and third,
  int64_t third = Lesser(keys[first + 2], keys[first + 3]);   // and of its third and fourth
  for (size_t i = first; i < windows; ++i) {
    const int64_t fourth = Lesser(keys[i + 3], keys[i + 4]);
    const int64_t own = Lesser(keys[i], Lesser(second, fourth));
    found->least[i] = own;
    found->changed[found->count] = static_cast<uint16_t>(i);
    const bool is_equal = static_cast<uint64_t>(own ^ left) <= LeastGrams::kPlaces;
    found->count += static_cast<size_t>(own != before) | static_cast<size_t>(is_equal);
    before = own;
    left = keys[i];
    second = third;
    third = fourth;
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i Product(__m256i a, uint64_t factor) {
  const __m256i low = _mm256_set1_epi64x(static_cast<int64_t>(factor));  // of which 32 bits are taken
  const __m256i high = _mm256_set1_epi64x(static_cast<int64_t>(factor >> 32));
  const __m256i crossed = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(a, 32), low), _mm256_mul_epu32(a, high));
  return _mm256_add_epi64(_mm256_mul_epu32(a, low), _mm256_slli_epi64(crossed, 32));
}

// Four at a time, as long as 16 bytes can be read: how many there are.
[[gnu::target("avx2")]] size_t MakeKeysWide(std::string_view codes, size_t grams, int64_t* keys) {
  const __m256i grams_of_four = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 8,  //
                                                 2, 3, 4, 5, 6, 7, 8, 9, 3, 4, 5, 6, 7, 8, 9, 10);
  const __m256i all_places = _mm256_set1_epi64x(LeastGrams::kPlaces);
  const __m256i sign = _mm256_set1_epi64x(static_cast<int64_t>(kSign));
  __m256i place = _mm256_setr_epi64x(0, 1, 2, 3);
  size_t i = 0;
  for (; i + 4 <= grams && i + sizeof(__m128i) <= codes.size(); i += 4) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes.data() + i));
    __m256i hash = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(bytes), grams_of_four);
    hash = Product(hash, kFirstFactor);
    hash = _mm256_xor_si256(hash, _mm256_srli_epi64(hash, 32));
    hash = Product(hash, kSecondFactor);
    hash = _mm256_xor_si256(hash, _mm256_srli_epi64(hash, 29));
    const __m256i key = _mm256_xor_si256(_mm256_sub_epi64(_mm256_or_si256(hash, all_places), place), sign);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(keys + i), key);
    place = _mm256_add_epi64(place, _mm256_set1_epi64x(4));
  }
  return i;
}

[[gnu::target("avx2"), gnu::always_inline]] inline __m256i FourAt(const int64_t* keys) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys));
}
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i LesserOfFour(__m256i a, __m256i b) {
  return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
}

// Four at a time: how many there are.
[[gnu::target("avx2")]] size_t CompareWindowsWide(const int64_t* keys, size_t windows, LeastGrams* found) {
  // Of four bits, the numbers of those that are set, and how many these are.
  struct Bits {
    std::array<uint16_t, 4> numbers{};
    size_t count = 0;
  };
  static constexpr auto kBits = [] {
    std::array<Bits, 16> all;
    for (size_t bits = 0; bits < all.size(); ++bits) {
      for (uint16_t number = 0; number < 4; ++number) {
        if ((bits >> number & 1) != 0) all[bits].numbers[all[bits].count++] = number;
      }
    }
    return all;
  }();
  __m256i before = _mm256_setzero_si256();
  size_t count = 0;
  size_t i = 0;
  for (; i + 4 <= windows; i += 4) {
    const __m256i first = LesserOfFour(FourAt(keys + i), FourAt(keys + i + 1));
    const __m256i last = LesserOfFour(LesserOfFour(FourAt(keys + i + 2), FourAt(keys + i + 3)), FourAt(keys + i + 4));
    const __m256i own = LesserOfFour(first, last);
    _mm256_store_si256(reinterpret_cast<__m256i*>(found->least.data() + i), own);
    const __m256i turned = _mm256_permute4x64_epi64(own, 0x93);  // the last one is the first
    const __m256i is_same = _mm256_cmpeq_epi64(own, _mm256_blend_epi32(turned, before, 0x03));
    before = turned;
    const __m256i difference = _mm256_srli_epi64(_mm256_xor_si256(own, FourAt(keys + i - 1)), 9);
    const __m256i is_equal = _mm256_cmpeq_epi64(difference, _mm256_setzero_si256());
    const __m256i is_kept = _mm256_andnot_si256(is_equal, is_same);
    const auto kept = static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(is_kept)));
    const Bits& changed = kBits[kept ^ 0xF];
    uint64_t numbers = 0;
    std::memcpy(&numbers, changed.numbers.data(), sizeof numbers);
    numbers += i * 0x0001000100010001;
    std::memcpy(&found->changed[count], &numbers, sizeof numbers);
    count += changed.count;
  }
  found->count = count;
  return i;
}
#endif

}  // namespace

void FindLeast(std::string_view codes, size_t windows, [[maybe_unused]] bool wide, LeastGrams* found) {
  int64_t* const keys = found->keys.data() + LeastGrams::kBefore;
  keys[-1] = 0;
  const size_t grams = windows + kWindow - 1;
  size_t made = 0;
  size_t compared = 0;
  found->count = 0;
#if defined(__x86_64__)
  if (wide) made = MakeKeysWide(codes, grams, keys);
#endif
  MakeKeys(codes.data(), made, grams, keys);
#if defined(__x86_64__)
  if (wide) compared = CompareWindowsWide(keys, windows, found);
#endif
  if (compared < windows) CompareWindows(keys, compared, windows, found);
}

}  // namespace uzushio
