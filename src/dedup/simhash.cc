#include "dedup/simhash.h"

#include <bit>

#include "dedup/grams.h"

namespace uzushio {
namespace {

constexpr size_t kSketchBits = 128;
constexpr size_t kMinSimHashGram = 2;
constexpr size_t kMaxSimHashGram = 4;

using Counters = std::array<int32_t, kSketchBits>;

void Count(uint64_t hash, Counters* counters) {
  for (size_t half = 0; half < 2; ++half) {
    const uint64_t bits = Mix64(hash + half);
    for (size_t i = 0; i < 64; ++i) (*counters)[half * 64 + i] += static_cast<int32_t>(bits >> i & 1);
  }
}

SimHashSignature Rotate(const SimHashSignature& signature, int bits) {
  SimHashSignature rotated = signature;
  if (bits >= 64) std::swap(rotated[0], rotated[1]);
  bits %= 64;
  if (bits == 0) return rotated;
  return {rotated[0] << bits | rotated[1] >> (64 - bits), rotated[1] << bits | rotated[0] >> (64 - bits)};
}

}  // namespace

SimHashSignature SimHash(std::u32string_view text) {
  Counters counters{};
  int32_t grams = 0;
  for (size_t begin = 0; begin < text.size(); ++begin) {
    uint64_t hash = 0;
    for (size_t n = 1; n <= kMaxSimHashGram && begin + n <= text.size(); ++n) {
      const char32_t c = text[begin + n - 1];
      if (c == U'\n') break;
      hash = Mix64(hash + c);
      if (n < kMinSimHashGram) continue;
      Count(hash, &counters);
      ++grams;
    }
  }
  SimHashSignature signature{};
  for (size_t i = 0; i < kSketchBits; ++i) signature[i / 64] |= uint64_t{2 * counters[i] > grams ? 1U : 0U} << (i % 64);
  return signature;
}

void MakeRotations(uint64_t paragraph, std::u32string_view text, int rotations, std::vector<BucketEntry>* entries) {
  entries->clear();
  const SimHashSignature signature = SimHash(text);
  const uint64_t length = std::min<uint64_t>(text.size(), BucketEntry::kMaxLength);
  for (int rotation = 0; rotation < rotations; ++rotation) {
    BucketEntry entry;
    entry.sketch = Rotate(signature, rotation * static_cast<int>(kSketchBits) / rotations);
    entry.bucket = entry.sketch[0];
    entry.paragraph_and_length = paragraph << 24 | length;
    entries->push_back(entry);
  }
}

bool RotationsAreNear(const BucketEntry& a, const BucketEntry& b) {
  return LengthsAreNear(a.length(), b.length()) &&
         std::popcount(a.sketch[0] ^ b.sketch[0]) + std::popcount(a.sketch[1] ^ b.sketch[1]) <= kMaxDifferentBits;
}

}  // namespace uzushio
