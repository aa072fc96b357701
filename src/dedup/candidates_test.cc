#include "dedup/candidates.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <set>
#include <string>

#include "dedup/comparer.h"
#include "dedup/minhash.h"
#include "dedup/simhash.h"

namespace uzushio {
namespace {

std::u32string RandomText(std::mt19937_64* random, size_t length, char32_t alphabet) {
  std::u32string text;
  for (size_t i = 0; i < length; ++i) text += U'あ' + static_cast<char32_t>((*random)() % alphabet);
  return text;
}

std::vector<BucketEntry> Entries(uint64_t number, const std::u32string& text) {
  BucketMaker maker;
  std::vector<BucketEntry> entries;
  maker.Make(number, text, CharacterSet(text), &entries);
  return entries;
}

// Whether two paragraphs meet in a bucket and pass the test of their sketches.
bool AreCandidates(const std::u32string& a, const std::u32string& b) {
  for (const BucketEntry& first : Entries(1, a)) {
    for (const BucketEntry& second : Entries(2, b)) {
      if (first.bucket == second.bucket && SketchesAreNear(first, second)) return true;
    }
  }
  return false;
}

TEST(MinHash, EveryInstructionSetGivesTheSame) {
  std::mt19937_64 random(1);
  for (const size_t count : {size_t{0}, size_t{1}, size_t{5}, size_t{100}}) {
    std::vector<uint32_t> features(count);
    for (uint32_t& feature : features) feature = static_cast<uint32_t>(random());
    std::array<uint32_t, 96> plain{};
    MinHash(features, plain, Simd::kBaseline);
    for (const Simd simd : {Simd::kAvx2, Simd::kAvx512}) {
      if (!Supports(simd)) continue;
      std::array<uint32_t, 96> other{};
      MinHash(features, other, simd);
      EXPECT_EQ(plain, other);
    }
  }
}

TEST(MinHash, EqualValuesEstimateTheJaccardIndex) {
  std::mt19937_64 random(2);
  double sum = 0;
  constexpr int kRounds = 60;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<uint32_t> a;
    std::vector<uint32_t> b;
    for (int i = 0; i < 100; ++i) {
      const auto feature = static_cast<uint32_t>(random());
      if (i < 85) a.push_back(feature);
      if (i >= 15) b.push_back(feature);  // 70 of 100 in common
    }
    std::array<uint32_t, 128> first{};
    std::array<uint32_t, 128> second{};
    MinHash(a, first, BestSimd());
    MinHash(b, second, BestSimd());
    for (size_t i = 0; i < 128; ++i) sum += first[i] == second[i] ? 1 : 0;
  }
  EXPECT_NEAR(sum / (128 * kRounds), 0.7, 0.02);  // a standard deviation is .0052
}

TEST(Buckets, VeryShortParagraphsLoseNone) {
  std::mt19937_64 random(3);
  int near = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::u32string a = RandomText(&random, 4 + random() % 3, 30);
    std::u32string b = a;
    const size_t at = random() % a.size();
    if (i % 3 == 0) b[at] = U'ん';
    if (i % 3 == 1) b.erase(at, 1);
    if (i % 3 == 2) b.insert(at, 1, U'ん');
    if (MeanLength(a.size(), b.size()) > 6 || !NearDuplicatesByDefinition(a, b)) continue;
    ++near;
    ASSERT_TRUE(AreCandidates(a, b));
  }
  EXPECT_GT(near, 5000);
}

// The share of near-duplicates that meet, of texts of this length with this share of characters replaced.
double Recall(size_t length, double share, int rounds) {
  std::mt19937_64 random(length);
  int near = 0;
  int found = 0;
  for (int i = 0; i < rounds; ++i) {
    const std::u32string a = RandomText(&random, length, 80);
    std::u32string b = a;
    for (char32_t& c : b) {
      if (static_cast<double>(random() % 1000) < share * 1000) c = U'漢';
    }
    if (a == b || !NearDuplicatesByDefinition(a, b)) continue;
    ++near;
    found += AreCandidates(a, b) ? 1 : 0;
  }
  EXPECT_GT(near, rounds / 50);
  return static_cast<double>(found) / near;
}

TEST(Buckets, MeetAsOftenAsTheFormulaSays) {
  EXPECT_GT(Recall(300, 0.01, 300), 0.99);
  EXPECT_GT(Recall(200, 0.05, 2000), 0.97);  // Jaccard .7 to .8
  EXPECT_GT(Recall(20, 0.05, 1000), 0.98);
  EXPECT_GT(Recall(12, 0.1, 1000), 0.93);
}

TEST(Sketches, OfShortParagraphsAreNeverWrong) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 20000; ++i) {
    const std::u32string a = RandomText(&random, 6 + random() % 25, 40);
    std::u32string b = a;
    for (size_t edit = random() % 9; edit > 0; --edit) b[random() % b.size()] = static_cast<char32_t>(U'一' + edit);
    if (!NearDuplicatesByDefinition(a, b)) continue;
    BucketEntry first = Entries(1, a).front();
    BucketEntry second = Entries(2, b).front();
    first.bucket = second.bucket = 0;  // short
    first.sketch[1] = CharacterSet(a);
    second.sketch[1] = CharacterSet(b);
    ASSERT_TRUE(SketchesAreNear(first, second));
  }
}

TEST(Buckets, APairIsOfOneKind) {
  // At the border, pairs meet in the kind of their mean length.
  std::mt19937_64 random(5);
  for (size_t length = 25; length <= 36; ++length) {
    for (int i = 0; i < 50; ++i) {
      const std::u32string a = RandomText(&random, length, 80);
      std::u32string b = a;
      b.back() = U'漢';
      EXPECT_TRUE(AreCandidates(a, b)) << length;
    }
  }
}

TEST(Candidates, AHugeBucketCostsLittleAndKeepsItsLeaders) {
  std::vector<BucketEntry> bucket(100000);
  for (size_t i = 0; i < bucket.size(); ++i) bucket[i].paragraph_and_length = i << 24 | 10;
  size_t pairs = 0;
  std::set<uint64_t> met;
  ForEachLargeCandidate(bucket, [&](const CandidatePair& pair) {
    EXPECT_LT(pair.first, pair.second);
    ++pairs;
    if (pair.first == 0) met.insert(pair.second);
  });
  EXPECT_EQ(met.size(), bucket.size() - 1);
  EXPECT_LE(pairs, bucket.size() * (kBucketLeaders + kBucketNeighbours));
}

TEST(Candidates, ASmallBucketGivesAllPairs) {
  std::vector<BucketEntry> bucket(100);
  for (size_t i = 0; i < bucket.size(); ++i) bucket[i].paragraph_and_length = i << 24 | 10;
  std::set<CandidatePair> pairs;
  ForEachCandidate(bucket, [&](const CandidatePair& pair) { pairs.insert(pair); });
  EXPECT_EQ(pairs.size(), 4950U);
}

TEST(SimHash, NearTextsHaveNearSignatures) {
  std::mt19937_64 random(6);
  const std::u32string a = RandomText(&random, 200, 80);
  std::u32string b = a;
  b[100] = U'漢';
  const auto distance = [](const SimHashSignature& x, const SimHashSignature& y) {
    return std::popcount(x[0] ^ y[0]) + std::popcount(x[1] ^ y[1]);
  };
  EXPECT_EQ(distance(SimHash(a), SimHash(a)), 0);
  EXPECT_LT(distance(SimHash(a), SimHash(b)), 20);
  EXPECT_GT(distance(SimHash(a), SimHash(RandomText(&random, 200, 80))), 40);
}

}  // namespace
}  // namespace uzushio
