#include "dedup/jaccard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/test_support.h"

namespace uzushio {
namespace {

std::string Letters(size_t length, int letters, std::mt19937_64* random) {
  std::string text;
  for (size_t i = 0; i < length; ++i) text += static_cast<char>('a' + (*random)() % static_cast<uint64_t>(letters));
  return text;
}

// n-grams of five letters as numbers; a shorter text is one, which none of these is.
std::vector<uint64_t> SortedGrams(std::string_view text) {
  constexpr size_t kLength = 5;
  std::vector<uint64_t> grams;
  uint64_t gram = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    gram = (gram << 8 | static_cast<unsigned char>(text[i])) & 0xFF'FFFF'FFFF;
    if (i + 1 >= kLength) grams.push_back(gram);
  }
  if (text.size() < kLength) grams.push_back(gram);
  std::ranges::sort(grams);
  grams.erase(std::unique(grams.begin(), grams.end()), grams.end());
  return grams;
}

double JaccardOfSets(std::string_view one, std::string_view other) {
  const std::vector<uint64_t> a = SortedGrams(one);
  const std::vector<uint64_t> b = SortedGrams(other);
  std::vector<uint64_t> common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  return static_cast<double>(common.size()) / static_cast<double>(a.size() + b.size() - common.size());
}

// With so much memory for hashes: none, some, and enough.
class JaccardComparer5 : public FolderTest, public testing::WithParamInterface<int64_t> {
 protected:
  double Jaccard(std::string_view a, std::string_view b) {
    comparer_.SetFirst(a);
    comparer_.SetSecond(b);
    return comparer_.Compare().ValueOrDie();
  }
  void ExpectTruth(const std::string& a, const std::string& b) {
    const double truth = JaccardOfSets(a, b);
    EXPECT_EQ(Jaccard(a, b), truth);
    EXPECT_EQ(Jaccard(b, a), truth);
  }
  // Bytes that are hashed, and that are put on disk, for a text and its like of so many letters.
  std::pair<uint64_t, int64_t> CostOf(size_t length) {
    std::mt19937_64 random(length);
    const std::string text = Letters(length, 26, &random);
    const uint64_t hashed = comparer_.hashed_bytes();
    const int64_t written = space_.bytes_written();
    EXPECT_GT(Jaccard(text, text.substr(1) + "-"), 0.99);
    return {comparer_.hashed_bytes() - hashed, space_.bytes_written() - written};
  }

  MemoryBudget budget_{GetParam()};
  SpillSpace space_{root_};
  JaccardComparer comparer_{5, TokenForm::kCharacters, &budget_, &space_};
};
INSTANTIATE_TEST_SUITE_P(Memory, JaccardComparer5, testing::Values(0, 1 << 20, 1 << 30));

TEST_P(JaccardComparer5, EqualsSetsOfGrams) {
  EXPECT_EQ(Jaccard("", ""), 1);
  EXPECT_EQ(Jaccard("", "a"), 0);
  EXPECT_EQ(Jaccard("abcd", "abcd"), 1);
  std::mt19937_64 random(4);
  for (int i = 0; i < 100; ++i) {
    const std::string a = Letters(random() % 200, 2 + static_cast<int>(random() % 3), &random);
    ExpectTruth(a, random() % 2 == 0 ? a.substr(a.size() / 3) : Letters(random() % 200, 3, &random));
  }
}

// Up to the last length that is compared in memory, and beyond it: the same.
TEST_P(JaccardComparer5, EqualsSetsOfGramsInLongTexts) {
  constexpr size_t kLimit = JaccardComparer::kGramsInMemory;
  std::mt19937_64 random(5);
  const std::string part = Letters(kLimit / 2, 8, &random);
  const std::string twice = part + part;
  for (const size_t length : {kLimit, kLimit + 1, 2 * kLimit + 7}) {
    const std::string text = twice + Letters(length - kLimit, 8, &random);
    ExpectTruth(text, text);
    ExpectTruth(text, part);
    ExpectTruth(text, text.substr(0, kLimit - 1000) + Letters(70'000, 9, &random));
  }
  ExpectTruth(Letters(kLimit + 1, 26, &random), "");
  ExpectTruth(Letters(kLimit + 1, 26, &random), "abcdef");  // most partitions have none of its n-grams
  ExpectTruth(Letters(kLimit + 1, 26, &random), Letters(kLimit + 5, 26, &random));
  ExpectTruth(std::string(3 * kLimit, 'a'), std::string(2 * kLimit, 'a') + 'b');
}

TEST_P(JaccardComparer5, OfCharactersOfSeveralBytes) {
  std::string text;
  std::mt19937_64 random(6);
  for (size_t i = 0; i < JaccardComparer::kGramsInMemory + 5; ++i) {
    text += "\xE3\x81" + std::string(1, static_cast<char>(0x81 + random() % 60));
  }
  // The last 3 bytes are a character: of those n-grams that end in it, one is lost.
  EXPECT_GT(Jaccard(text, text.substr(0, text.size() - 3)), 0.999998);
  const size_t third = text.size() / 9 * 3;
  const std::string shorter = text.substr(0, third);
  EXPECT_GT(Jaccard(shorter, shorter.substr(3)), 0.99999);
}

TEST_P(JaccardComparer5, TakesTwiceTheWorkForTwiceTheText) {
  constexpr size_t kLength = 3 * JaccardComparer::kGramsInMemory;
  const auto [hashed, written] = CostOf(kLength);
  const auto [hashed_twice, written_twice] = CostOf(2 * kLength);
  constexpr size_t kUntilLong = 2 * (JaccardComparer::kGramsInMemory + 20'000);  // of both
  EXPECT_LE(hashed, 2 * kLength + kUntilLong);
  EXPECT_LE(hashed_twice, 4 * kLength + kUntilLong);
  if (GetParam() == 0) {
    EXPECT_LT(static_cast<double>(written_twice), 2.2 * static_cast<double>(written));
  }
  EXPECT_LE(static_cast<size_t>(written_twice), 2 * kLength * (sizeof(uint64_t) + 2 * sizeof(uint64_t)));
}

// A document that others follow is hashed once.
TEST_P(JaccardComparer5, HashesADocumentOnceForAllOfItsComparisons) {
  std::mt19937_64 random(7);
  const std::string leader = Letters(3000, 26, &random);
  comparer_.SetSecond(leader);
  for (size_t i = 0; i < 100; ++i) {
    const std::string follower = leader.substr(i);
    comparer_.SetFirst(follower);
    EXPECT_EQ(comparer_.Compare().ValueOrDie(), JaccardOfSets(leader, follower));
    EXPECT_LE(comparer_.hashed_bytes(), 3000 * (i + 2));
  }
  // What is compared by partitions in between takes its hashes.
  const std::string large = Letters(JaccardComparer::kGramsInMemory + 1, 26, &random);
  comparer_.SetFirst(large);
  EXPECT_EQ(comparer_.Compare().ValueOrDie(), JaccardOfSets(leader, large));
  comparer_.SetFirst(leader);
  EXPECT_EQ(comparer_.Compare().ValueOrDie(), 1);
}

// A text of megabytes that says little is as a short one, whatever shares a bucket with it.
TEST_P(JaccardComparer5, HashesALongDocumentOnceForManyShortOnes) {
  constexpr size_t kLength = 4 * JaccardComparer::kGramsInMemory;
  std::mt19937_64 random(9);
  std::string repeated;
  const std::string part = Letters(1000, 26, &random);
  while (repeated.size() < kLength) repeated += part;
  const std::string varied = Letters(kLength, 26, &random);
  const uint64_t before = comparer_.hashed_bytes();
  for (const std::string* leader : std::vector<const std::string*>{&repeated, &varied}) {
    comparer_.SetSecond(*leader);
    for (size_t i = 0; i < 100; ++i) {
      const std::string follower = (part + part).substr(0, 1004 + i);
      comparer_.SetFirst(follower);
      EXPECT_EQ(comparer_.Compare(0.9).ValueOrDie() < 0.9, leader == &varied);
    }
  }
  EXPECT_LE(comparer_.hashed_bytes() - before, 2 * kLength + 220'800);
  EXPECT_EQ(space_.bytes_written(), 0);
}

TEST_P(JaccardComparer5, WhatIsBelowTheLeastIsBelowIt) {
  std::mt19937_64 random(10);
  for (int i = 0; i < 2000; ++i) {
    const std::string a = Letters(random() % 40, 3, &random);
    const std::string b = random() % 2 == 0 ? a.substr(a.size() / 4) : Letters(random() % 40, 3, &random);
    comparer_.SetFirst(a);
    comparer_.SetSecond(b);
    const double truth = JaccardOfSets(a, b);
    const double index = comparer_.Compare(0.5).ValueOrDie();
    EXPECT_EQ(index < 0.5, truth < 0.5);
    EXPECT_GE(index, truth);
    if (truth >= 0.5) EXPECT_EQ(index, truth);
  }
}

TEST_P(JaccardComparer5, SaysThatThereIsNoPlaceForHashesOfTexts) {
  SpillSpace nowhere(root_ / "none");
  JaccardComparer comparer(5, TokenForm::kCharacters, &budget_, &nowhere);
  std::mt19937_64 random(8);
  const std::string text = Letters(3 * JaccardComparer::kGramsInMemory, 26, &random);
  comparer.SetFirst(text);
  comparer.SetSecond(text);
  EXPECT_EQ(comparer.Compare().ok(), GetParam() == 1 << 30);
}

}  // namespace
}  // namespace uzushio
