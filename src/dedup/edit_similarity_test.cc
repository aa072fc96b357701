#include "dedup/edit_similarity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "base/edit_distance.h"

namespace uzushio {
namespace {

using Sequence = std::vector<uint32_t>;

size_t PlainDistance(const Sequence& a, const Sequence& b) {
  return EditDistance(std::u32string(a.begin(), a.end()), std::u32string(b.begin(), b.end()));
}

Sequence RandomSequence(size_t length, uint32_t tokens, std::mt19937_64* random) {
  Sequence sequence(length);
  for (uint32_t& token : sequence) token = static_cast<uint32_t>((*random)() % tokens);
  return sequence;
}

// One that is some edits away, or has its parts in another order.
Sequence Changed(Sequence of, size_t edits, uint32_t tokens, std::mt19937_64* random) {
  for (; edits > 0; --edits) {
    const auto at = static_cast<std::ptrdiff_t>((*random)() % (of.size() + 1));
    const uint64_t kind = (*random)() % 3;
    if (kind == 0 || at == static_cast<std::ptrdiff_t>(of.size())) {
      of.insert(of.begin() + at, static_cast<uint32_t>((*random)() % tokens));
    } else if (kind == 1) {
      of.erase(of.begin() + at);
    } else {
      of[static_cast<size_t>(at)] = static_cast<uint32_t>((*random)() % tokens);
    }
  }
  if ((*random)() % 5 == 0) {
    std::ranges::rotate(of, of.begin() + static_cast<std::ptrdiff_t>((*random)() % (of.size() + 1)));
  }
  return of;
}

// With bounds at the distance, just below it, and elsewhere.
void ExpectAsPlain(const Sequence& a, const Sequence& b, uint32_t tokens, EditDistanceFinder* finder) {
  const size_t plain = PlainDistance(a, b);
  for (const size_t most : {plain, plain + 1, 2 * plain + 70, a.size() + b.size()}) {
    const auto found = finder->Find(a, b, tokens, most);
    ASSERT_TRUE(found.has_value()) << a.size() << " " << b.size() << " " << plain << " " << most;
    ASSERT_EQ(*found, plain) << a.size() << " " << b.size() << " " << most;
  }
  if (plain == 0) return;
  ASSERT_FALSE(finder->Find(a, b, tokens, plain - 1).has_value());
  ASSERT_FALSE(finder->Find(a, b, tokens, plain / 2).has_value());
}

TEST(EditDistanceFinder, AsThePlainTable) {
  EditDistanceFinder finder;
  std::mt19937_64 random(1);
  for (int i = 0; i < 1500; ++i) {
    const auto tokens = static_cast<uint32_t>(1 + random() % (i % 3 == 0 ? 2 : 40));
    const Sequence a = RandomSequence(random() % (i % 10 == 0 ? 700 : 200), tokens, &random);
    const Sequence b = random() % 3 == 0 ? RandomSequence(random() % 300, tokens, &random)
                                         : Changed(a, random() % 40, tokens, &random);
    ExpectAsPlain(a, b, tokens, &finder);
  }
}

// At the ends of blocks, with runs and periods, where much of the band costs the same.
TEST(EditDistanceFinder, AsThePlainTableWhereItIsHard) {
  EditDistanceFinder finder;
  const auto period = [](size_t length, uint32_t of, uint32_t from) {
    Sequence sequence(length);
    for (size_t i = 0; i < length; ++i) sequence[i] = (static_cast<uint32_t>(i) + from) % of;
    return sequence;
  };
  for (const size_t length : {0, 1, 63, 64, 65, 127, 128, 129, 200, 321}) {
    for (const size_t other : {0, 1, 62, 64, 66, 128, 192, 320, 322}) {
      for (const uint32_t of : {1U, 2U, 7U, 64U}) {
        ExpectAsPlain(period(length, of, 0), period(other, of, 1 % of), of, &finder);
        Sequence apart = period(other, of, 3 % of);
        for (uint32_t& token : apart) token += of;
        ExpectAsPlain(period(length, of, 0), apart, 2 * of, &finder);
      }
    }
  }
}

std::string OfHashes(const std::vector<uint64_t>& hashes) {
  std::string document;
  for (const uint64_t hash : hashes) AppendToken(hash, &document);
  return document;
}

TEST(EditComparer, CountsTokens) {
  EditComparer characters(TokenForm::kCharacters);
  EXPECT_EQ(characters.Compare("", "", 0.8), 1);
  EXPECT_EQ(characters.Compare("あ", "", 0.8), std::nullopt);
  EXPECT_EQ(characters.Compare("", "あ", 1e-9), std::nullopt);
  EXPECT_EQ(characters.Compare("あいうえお", "あいうえか", 0.8), 1 - 1 / 5.0);  // the bound itself
  EXPECT_EQ(characters.Compare("あいうえお", "あいうえか", 0.81), std::nullopt);
  EXPECT_EQ(characters.Compare("kitten", "sitting", 0.5), 1 - 3 / 7.0);
  EditComparer hashes(TokenForm::kHashes);
  EXPECT_EQ(hashes.Compare(OfHashes({1, UINT64_MAX, 0, 1}), OfHashes({1, 0, 1}), 0.5), 0.75);
  EXPECT_EQ(hashes.Compare(OfHashes({1, 2}), OfHashes({2, 3}), 0.5), std::nullopt);
  std::vector<uint64_t> many(5000);
  for (size_t i = 0; i < many.size(); ++i) many[i] = i << 32;
  auto fewer = many;
  fewer.erase(fewer.begin() + 7);
  fewer.pop_back();
  EXPECT_EQ(hashes.Compare(OfHashes(many), OfHashes(fewer), 0.9), 1 - 2 / 5000.0);
}

TEST(EditComparer, TheBoundIsAsItIsWritten) {
  EditComparer comparer(TokenForm::kCharacters);
  for (size_t length = 1; length < 60; ++length) {
    for (size_t edits = 0; edits <= length; ++edits) {
      const std::string a(length, 'a');
      const std::string b = std::string(length - edits, 'a') + std::string(edits, 'b');
      const double similarity = 1 - static_cast<double>(edits) / static_cast<double>(length);
      for (const double least : {0.1, 0.7, 0.8, 0.9, 1.0}) {
        const auto found = comparer.Compare(a, b, least);
        ASSERT_EQ(found.has_value(), similarity >= least) << length << " " << edits << " " << least;
      }
    }
  }
}

// A quarter of a megabyte each: edits all over, and parts in another order, which is no more similar than the bound.
TEST(EditComparer, LongDocuments) {
  std::mt19937_64 random(2);
  std::string text(size_t{1} << 18, 'a');
  for (char& letter : text) letter = static_cast<char>('a' + random() % 26);
  std::string changed = text;
  for (int i = 0; i < 5000; ++i) changed[random() % changed.size()] = '.';
  const auto edits = static_cast<double>(std::ranges::count(changed, '.'));  // of a sign that is nowhere else
  EditComparer comparer(TokenForm::kCharacters);
  const auto found = comparer.Compare(text, changed, 0.8);
  ASSERT_TRUE(found.has_value());
  EXPECT_DOUBLE_EQ(*found, 1 - edits / static_cast<double>(text.size()));
  const std::string moved = text.substr(text.size() / 3) + text.substr(0, text.size() / 3);
  EXPECT_EQ(comparer.Compare(text, moved, 0.8), std::nullopt);
}

}  // namespace
}  // namespace uzushio
