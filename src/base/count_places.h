// Counting places of a text, sixteen at once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace uzushio {

// NOLINTNEXTLINE(modernize-use-using): attributes of vectors need a typedef
typedef uint8_t SixteenBytes __attribute__((vector_size(16)));

inline SixteenBytes LoadBytes(const char* at) {
  SixteenBytes bytes;
  std::memcpy(&bytes, at, sizeof bytes);
  return bytes;
}

// The number of bytes of `text` for which `is(at)` has all bits set, which says so of the sixteen bytes from `at` on.
// `is` may look at `kAhead` bytes more. Behind the text it sees 0xBF, for which it has to be zero.
template <size_t kAhead, typename Is>
int64_t CountPlaces(std::string_view text, Is is) {
  constexpr size_t kLanes = sizeof(SixteenBytes);
  constexpr size_t kRounds = 255;  // what a lane can count
  static_assert(kAhead < kLanes);
  const auto count = [&is](const char* at, size_t rounds) {
    SixteenBytes lanes{};
    for (; rounds > 0; --rounds, at += kLanes) lanes -= std::bit_cast<SixteenBytes>(is(at));
    std::array<uint64_t, 2> halves{};
    std::memcpy(halves.data(), &lanes, sizeof lanes);
    constexpr uint64_t kEven = 0x00FF00FF00FF00FF;
    const uint64_t sums =
        (halves[0] & kEven) + (halves[0] >> 8 & kEven) + (halves[1] & kEven) + (halves[1] >> 8 & kEven);
    return static_cast<int64_t>(sums * 0x0001000100010001 >> 48);
  };
  int64_t places = 0;
  while (text.size() >= kLanes + kAhead) {
    const size_t rounds = std::min((text.size() - kAhead) / kLanes, kRounds);
    places += count(text.data(), rounds);
    text.remove_prefix(rounds * kLanes);
  }
  std::array<char, 3 * kLanes> rest;
  rest.fill('\xBF');
  text.copy(rest.data(), text.size());
  return places + count(rest.data(), (text.size() + kLanes - 1) / kLanes);
}

}  // namespace uzushio
