#include "dedup/comparer.h"
#include "base/edit_distance.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <set>
#include <string>

#include "dedup/relation.h"

namespace uzushio {
namespace {

// A text over few characters, some of them outside the Basic Multilingual Plane, so that chances of agreement are high.
std::u32string RandomString(std::mt19937_64* random, size_t length, size_t alphabet) {
  static const std::u32string kCharacters = U"のはあ0イ漢🌊字a1、。𠮟がー2でにz ";
  std::u32string text;
  for (size_t i = 0; i < length; ++i) text += kCharacters[(*random)() % std::min(alphabet, kCharacters.size())];
  return text;
}

std::u32string Edited(std::mt19937_64* random, std::u32string text, size_t edits) {
  for (size_t i = 0; i < edits; ++i) {
    const size_t at = (*random)() % (text.size() + 1);
    switch ((*random)() % 3) {
      case 0:
        text.insert(at, 1, U'新');
        break;
      case 1:
        if (at < text.size()) text.erase(at, 1);
        break;
      default:
        if (at < text.size()) text[at] = U'替';
    }
  }
  return text;
}

bool FastAnswer(Comparer* comparer, const std::u32string& a, const std::u32string& b) {
  GramCounter grams;
  comparer->SetPivot({a, grams.Count(a), CharacterSet(a)});
  return comparer->IsNear({b, grams.Count(b), CharacterSet(b)});
}

TEST(Relation, BoundsOfTheLengths) {
  EXPECT_TRUE(LengthsAreNear(10, 13));
  EXPECT_FALSE(LengthsAreNear(10, 14));
  EXPECT_TRUE(LengthsAreNear(11, 15));  // 3.3 is rounded up
  EXPECT_TRUE(LengthsAreNear(1000, 1050));
  EXPECT_FALSE(LengthsAreNear(1051, 1000));
  EXPECT_TRUE(LengthsAreNear(0, 0));
  EXPECT_FALSE(LengthsAreNear(0, 1));
}

TEST(Relation, ShortOnesByEdits) {
  EXPECT_TRUE(NearDuplicatesByDefinition(U"これは十文字の文です", U"それは十文宇の文です"));
  EXPECT_FALSE(NearDuplicatesByDefinition(U"これは十文字の文です", U"それは十文宇の文でる"));  // .3 is not below .3
  EXPECT_EQ(MaxEdits(10), 2U);
  EXPECT_EQ(MaxEdits(11), 3U);
  EXPECT_EQ(MaxEdits(3), 0U);
  EXPECT_EQ(MaxEdits(0), 0U);
  EXPECT_EQ(EditDistance(U"", U"abc"), 3U);
  EXPECT_EQ(EditDistance(U"kitten", U"sitting"), 3U);
}

TEST(Relation, LongOnesBySharedGrams) {
  std::u32string a;
  for (char32_t i = 0; i < 100; ++i) a += U'一' + i;
  std::u32string b = a;
  b[50] = U'x';  // of 98 3-grams and 97 4-grams, 3 and 4 are lost and as many new: 188 of 202
  EXPECT_NEAR(JaccardByDefinition(a, b), 188.0 / 202, 1e-12);
  EXPECT_TRUE(NearDuplicatesByDefinition(a, b));
  for (size_t i = 0; i < 100; i += 10) b[i] = U'y';
  EXPECT_FALSE(NearDuplicatesByDefinition(a, b));
}

TEST(Relation, JaccardAtTheThresholdIsNear) {
  EXPECT_TRUE(JaccardIsNear(17, 17, 14));  // 14 of 20
  EXPECT_FALSE(JaccardIsNear(18, 17, 14));
}

// The bounds in other words, for all small lengths.
TEST(Relation, BoundsAreTheDefinitions) {
  for (size_t shorter = 0; shorter < 400; ++shorter) {
    const auto share = static_cast<size_t>(std::ceil(static_cast<double>(shorter) * 0.3 - 1e-9));
    const size_t most = shorter + (share < 50 ? share : 50);
    EXPECT_TRUE(LengthsAreNear(shorter, most)) << shorter;
    EXPECT_TRUE(LengthsAreNear(most, shorter)) << shorter;
    EXPECT_FALSE(LengthsAreNear(shorter, most + 1)) << shorter;
    EXPECT_FALSE(LengthsAreNear(most + 1, shorter)) << shorter;
  }
  for (size_t mean = 0; mean < 100; ++mean) {
    size_t edits = 0;
    while (static_cast<double>(edits + 1) / static_cast<double>(mean) < 0.3 - 1e-9) ++edits;
    EXPECT_EQ(MaxEdits(mean), edits) << mean;
  }
  for (size_t a = 1; a < 30; ++a) {
    for (size_t b = 1; b < 30; ++b) {
      for (size_t common = 0; common <= std::min(a, b); ++common) {
        const double jaccard = static_cast<double>(common) / static_cast<double>(a + b - common);
        EXPECT_EQ(JaccardIsNear(a, b, common), jaccard >= 0.7 - 1e-9) << a << " " << b << " " << common;
      }
    }
  }
  EXPECT_EQ(MeanLength(3, 4), 3U);
  EXPECT_EQ(MeanLength(4, 4), 4U);
  EXPECT_DOUBLE_EQ(JaccardByDefinition(U"abcd", U"abcx"), 0.2);  // abc, of that, bcd, bcx, abcd, abcx
  EXPECT_EQ(JaccardByDefinition(U"ab", U"ab"), 0);               // no n-grams
  EXPECT_EQ(JaccardByDefinition(U"abc", U"abc"), 1);
}

// Eight edits that leave few n-grams: near by edits, up to a mean of 30, and not by n-grams above.
TEST(Relation, MeansAbove30AreComparedByGrams) {
  const auto pair = [](size_t length) {
    std::u32string a;
    for (char32_t i = 0; i < length; ++i) a += U'一' + i;
    std::u32string b = a;
    for (size_t i = 0; i < 8; ++i) b[3 * i + 2] = U'x';
    return std::pair(a, b);
  };
  const auto [a, b] = pair(30);
  EXPECT_TRUE(NearDuplicatesByDefinition(a, b));
  std::u32string longer = b + U"y";  // a mean of 30.5, which is rounded down
  longer[2] = a[2];
  EXPECT_TRUE(NearDuplicatesByDefinition(a, longer));
  const auto [c, d] = pair(31);
  EXPECT_FALSE(NearDuplicatesByDefinition(c, d));
  EXPECT_FALSE(NearDuplicatesByDefinition(U"", U"abc"));
  EXPECT_FALSE(NearDuplicatesByDefinition(U"", U""));
  // The same n-grams, of lengths that are and are not near.
  const auto repeated = [](size_t length) { return std::u32string(length, U'あ'); };
  EXPECT_TRUE(NearDuplicatesByDefinition(repeated(1000), repeated(1050)));
  EXPECT_FALSE(NearDuplicatesByDefinition(repeated(1000), repeated(1051)));
}

TEST(Comparer, DecidesAsTheDefinition) {
  EXPECT_TRUE(rc::check([] {
    std::mt19937_64 random(*rc::gen::arbitrary<uint64_t>());
    Comparer comparer;
    size_t near = 0;
    for (int i = 0; i < 40; ++i) {
      const size_t length = random() % (i % 2 == 0 ? 70 : 25);
      const std::u32string a = RandomString(&random, length, 2 + random() % 20);
      const std::u32string b =
          random() % 4 == 0 ? RandomString(&random, length, 3) : Edited(&random, a, random() % (1 + length / 3));
      const bool truth = NearDuplicatesByDefinition(a, b);
      near += truth ? 1 : 0;
      RC_ASSERT(FastAnswer(&comparer, a, b) == truth);
      RC_ASSERT(FastAnswer(&comparer, b, a) == truth);
    }
    RC_CLASSIFY(near > 10, "many near");
  }));
}

TEST(Comparer, OnePivotServesManyAndOfBothKinds) {
  std::mt19937_64 random(7);
  Comparer comparer;
  GramCounter grams;
  for (int round = 0; round < 50; ++round) {
    const std::u32string pivot = RandomString(&random, 24 + random() % 14, 12);
    comparer.SetPivot({pivot, grams.Count(pivot), CharacterSet(pivot)});
    for (int i = 0; i < 50; ++i) {
      const std::u32string other = Edited(&random, pivot, random() % 12);
      ASSERT_EQ(comparer.IsNear({other, grams.Count(other), CharacterSet(other)}),
                NearDuplicatesByDefinition(pivot, other));
    }
  }
}

TEST(Comparer, LongTextsOfManyRepeats) {
  Comparer comparer;
  const std::u32string a(5000, U'あ');
  std::u32string b = a;
  EXPECT_TRUE(FastAnswer(&comparer, a, b));
  b.append(50, U'あ');
  EXPECT_TRUE(FastAnswer(&comparer, a, b));
  b[100] = U'い';  // 2 n-grams become 9
  EXPECT_EQ(FastAnswer(&comparer, a, b), NearDuplicatesByDefinition(a, b));
  EXPECT_FALSE(FastAnswer(&comparer, a, std::u32string(5051, U'あ')));
}

TEST(GramCounter, CountsLongAndShortTextsAlike) {
  std::mt19937_64 random(9);
  GramCounter counter;
  for (const size_t length : {size_t{0}, size_t{2}, size_t{3}, size_t{50}, size_t{3000}, size_t{40000}}) {
    const std::u32string text = RandomString(&random, length, 20);
    std::set<std::u32string> grams;
    for (size_t n = 3; n <= 4; ++n) {
      for (size_t i = 0; i + n <= text.size(); ++i) grams.insert(text.substr(i, n));
    }
    EXPECT_EQ(counter.Count(text), grams.size());
  }
}

TEST(CharacterSet, AnEditChangesAtMostTwoBits) {
  EXPECT_TRUE(rc::check([] {
    std::mt19937_64 random(*rc::gen::arbitrary<uint64_t>());
    const std::u32string a = RandomString(&random, random() % 30, 20);
    const std::u32string b = Edited(&random, a, 1);
    RC_ASSERT(std::popcount(CharacterSet(a) ^ CharacterSet(b)) <= 2);
  }));
}

}  // namespace
}  // namespace uzushio
