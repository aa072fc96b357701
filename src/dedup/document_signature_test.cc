#include "dedup/document_signature.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>
#include <set>

#include "base/utf8.h"

namespace uzushio {
namespace {

std::string Utf8(std::u32string_view points) {
  std::string text;
  for (const char32_t c : points) {
    if (c < 0x80) {
      text += static_cast<char>(c);
    } else if (c < 0x800) {
      text += {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))};
    } else if (c < 0x10000) {
      text += {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)),
               static_cast<char>(0x80 | (c & 0x3F))};
    } else {
      text += {static_cast<char>(0xF0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 0x3F)),
               static_cast<char>(0x80 | (c >> 6 & 0x3F)), static_cast<char>(0x80 | (c & 0x3F))};
    }
  }
  return text;
}

std::u32string RandomText(size_t length, char32_t letters, std::mt19937_64* random) {
  std::u32string text;
  for (size_t i = 0; i < length; ++i) text += U'あ' + static_cast<char32_t>((*random)() % letters);
  return text;
}

std::vector<std::u32string_view> Grams(std::u32string_view text, size_t n) {
  if (text.size() < n) return {text};
  std::vector<std::u32string_view> grams;
  for (size_t i = 0; i + n <= text.size(); ++i) grams.push_back(text.substr(i, n));
  std::ranges::sort(grams);
  grams.erase(std::unique(grams.begin(), grams.end()), grams.end());
  return grams;
}

double PlainJaccard(const std::vector<std::u32string_view>& a, const std::vector<std::u32string_view>& b) {
  std::vector<std::u32string_view> common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  return static_cast<double>(common.size()) / static_cast<double>(a.size() + b.size() - common.size());
}

struct Signature {
  std::vector<uint64_t> buckets;
  std::vector<uint8_t> sketch;
  bool operator==(const Signature&) const = default;
};

Signature Sign(DocumentSigner* signer, const SignatureOptions& options, std::string_view text) {
  Signature signature{std::vector<uint64_t>(static_cast<size_t>(options.buckets)),
                      std::vector<uint8_t>(options.sketch_bytes())};
  signer->Sign(text, signature.buckets, signature.sketch);
  return signature;
}

std::vector<uint64_t> Hashes(std::string_view text, int ngram) {
  std::vector<uint64_t> hashes;
  GramHasher(ngram).ForEach(text, [&](auto some) { hashes.insert(hashes.end(), some.begin(), some.end()); });
  return hashes;
}

TEST(GramHasher, AHashForEachGram) {
  std::mt19937_64 random(1);
  for (const size_t length : {size_t{5}, size_t{6}, size_t{100}, size_t{30000}}) {
    std::u32string text = RandomText(length, 4, &random);
    text[length / 2] = U'\U0001F300';  // four bytes
    text[length / 3] = U'a';
    const auto hashes = Hashes(Utf8(text), 5);
    ASSERT_EQ(hashes.size(), length - 4);
    EXPECT_EQ(std::set(hashes.begin(), hashes.end()).size(), Grams(text, 5).size());
    // Wherever a gram stands, its hash is the same.
    EXPECT_EQ(Hashes(Utf8(text.substr(length - 5)), 5), std::vector{hashes.back()});
  }
}

TEST(GramHasher, AShortTextIsOneGram) {
  std::set<uint64_t> different;
  const std::vector<std::string> texts = {"", "a", "ab", "abcd", std::string("\0abc", 4), "abc", "あい", "bcde"};
  for (const std::string& text : texts) {
    const auto hashes = Hashes(text, 5);
    ASSERT_EQ(hashes.size(), 1U);
    different.insert(hashes[0]);
  }
  different.insert(Hashes("abcde", 5)[0]);
  EXPECT_EQ(different.size(), texts.size() + 1);
}

TEST(DocumentSigner, TheSameByEachInstructionSetAndAfterOtherTexts) {
  const SignatureOptions options{.ngram = 3, .buckets = 7, .values = 5};
  std::mt19937_64 random(2);
  std::vector<std::string> texts = {"", "あ", "abc"};
  for (const size_t length : {10, 1000, 40000}) texts.push_back(Utf8(RandomText(length, 80, &random)));
  DocumentSigner kept(options, Simd::kBaseline);
  for (const std::string& text : texts) {
    const Signature plain = Sign(&kept, options, text);
    for (const Simd simd : {Simd::kBaseline, Simd::kAvx2, Simd::kAvx512}) {
      if (!Supports(simd)) continue;
      DocumentSigner fresh(options, simd);
      EXPECT_EQ(Sign(&fresh, options, text), plain);
    }
    EXPECT_NE(Sign(&kept, options, text.substr(0, text.size() / 2) + "x"), plain);
  }
}

// Pairs of sets with a known Jaccard index share a bucket as often as the formula says, and their sketches tell it.
TEST(DocumentSigner, DetectsByTheFormula) {
  const SignatureOptions options;
  EXPECT_NEAR(DetectionProbability(options, 0.9), 0.9944, 1e-4);
  EXPECT_NEAR(DetectionProbability(options, 0.8), 0.3711, 1e-4);
  EXPECT_NEAR(DetectionProbability({.buckets = 20}, 0.9), 0.9252, 1e-4);
  DocumentSigner signer(options);
  std::mt19937_64 random(3);
  double expected = 0;
  double variance = 0;
  double error = 0;
  int found = 0;
  constexpr int kPairs = 300;
  for (int i = 0; i < kPairs; ++i) {
    std::u32string a = RandomText(600, 3000, &random);
    std::u32string b = a;
    for (size_t change = random() % 20; change > 0; --change) b[random() % b.size()] = U'Ａ' + random() % 26;
    const double similarity = PlainJaccard(Grams(a, 5), Grams(b, 5));
    const Signature first = Sign(&signer, options, Utf8(a));
    const Signature second = Sign(&signer, options, Utf8(b));
    bool is_found = false;
    for (size_t j = 0; j < first.buckets.size(); ++j) is_found |= first.buckets[j] == second.buckets[j];
    const double probability = DetectionProbability(options, similarity);
    expected += probability;
    variance += probability * (1 - probability);
    found += is_found ? 1 : 0;
    error += std::abs(EstimateJaccard(first.sketch, second.sketch, options.functions()) - similarity);
  }
  EXPECT_NEAR(found, expected, 4 * std::sqrt(variance));
  EXPECT_LT(error / kPairs, 0.03);
}

}  // namespace
}  // namespace uzushio
