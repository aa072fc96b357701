#include "dedup/containment.h"

#include <arrow/status.h>
#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <set>
#include <string>

namespace uzushio {
namespace {

std::string LettersOf(size_t length, uint64_t seed, char letters = 26) {
  std::mt19937_64 random(seed);
  std::string text;
  for (size_t i = 0; i < length; ++i) text += static_cast<char>('a' + static_cast<char>(random() % letters));
  return text;
}

std::vector<std::string_view> GramsIn(std::string_view text, size_t n) {
  if (text.size() < n) return {text};
  std::vector<std::string_view> grams;
  for (size_t i = 0; i + n <= text.size(); ++i) grams.push_back(text.substr(i, n));
  std::ranges::sort(grams);
  grams.erase(std::unique(grams.begin(), grams.end()), grams.end());
  return grams;
}

double PlainShare(const std::string& document, const std::string& container, size_t n) {
  const std::vector<std::string_view> grams = GramsIn(document, n);
  std::vector<std::string_view> common;
  std::ranges::set_intersection(grams, GramsIn(container, n), std::back_inserter(common));
  return static_cast<double>(common.size()) / static_cast<double>(grams.size());
}

double ShareIn(const std::string& container, const std::string& document, ContainmentComparer* comparer) {
  ContainmentComparer::Compared compared;
  comparer->Set(container);
  for (uint64_t pass = 0; pass < comparer->passes(); ++pass) {
    comparer->Collect(pass);
    comparer->Compare(document, &compared);
  }
  EXPECT_EQ(compared.tokens, document.size());
  EXPECT_EQ(comparer->tokens(), container.size());
  return compared.share();
}

std::vector<uint64_t> SampleOf(const std::string& document) {
  PassageSampler sampler(TokenForm::kCharacters);
  const auto sample = sampler.Sample(document);
  return {sample.begin(), sample.end()};
}

using Candidates = std::vector<ContainerCandidate>;

// Of documents of one passage, given by their entries in order.
Candidates CandidatesOf(const std::vector<PassageEntry>& entries) {
  Candidates candidates;
  const auto use = [&candidates](const ContainerCandidate& one) {
    candidates.push_back(one);
    return arrow::Status::OK();
  };
  PassagePairs pairs;
  for (const PassageEntry& entry : entries) EXPECT_TRUE(pairs.Add(entry, use).ok());
  EXPECT_TRUE(pairs.Finish(use).ok());
  EXPECT_EQ(pairs.count(), entries.size());
  std::ranges::sort(candidates);
  return candidates;
}

// Documents 0, 1, … of so many tokens, each with the same passage.
std::vector<PassageEntry> EntriesOf(const std::vector<uint64_t>& tokens) {
  std::vector<PassageEntry> entries;
  const std::vector<uint64_t> passages = {7};
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto use = [&entries](const PassageEntry& entry) {
      entries.push_back(entry);
      return arrow::Status::OK();
    };
    EXPECT_TRUE(ForEachEntry(passages, tokens[i], Priority::Of(0, "", i), use).ok());
  }
  std::ranges::sort(entries);
  return entries;
}

TEST(PassageSampler, TakesOneOfSixteenAndTheSameInsideOfOthers) {
  const std::string text = LettersOf(100000, 1);
  const std::vector<uint64_t> sample = SampleOf(text);
  EXPECT_NEAR(static_cast<double>(sample.size()), 100000.0 / kPassagesOfOne, 400);
  EXPECT_TRUE(std::ranges::is_sorted(sample));
  EXPECT_EQ(std::ranges::adjacent_find(sample), sample.end());
  EXPECT_TRUE(std::ranges::includes(SampleOf(LettersOf(5000, 2) + text + LettersOf(700, 3)), sample));
  EXPECT_LT(sample.front() >> 56, 4U);  // all of the range is used
  EXPECT_GT(sample.back() >> 56, 251U);
}

TEST(PassageSampler, OfShortAndOfRepeatedTexts) {
  EXPECT_TRUE(SampleOf("").empty());
  EXPECT_TRUE(SampleOf(LettersOf(kPassageTokens - 1, 1)).empty());
  EXPECT_LE(SampleOf(std::string(1000000, 'a')).size(), 1U);
  size_t found = 0;
  for (uint64_t seed = 0; seed < 1600; ++seed) found += SampleOf(LettersOf(kPassageTokens, seed)).size();
  EXPECT_NEAR(static_cast<double>(found), 100, 40);
}

TEST(PassageSampler, KeepsTheLeastOfAGreatMany) {
  const std::string text = LettersOf(5000000, 1);
  const std::vector<uint64_t> sample = SampleOf(text);
  EXPECT_EQ(sample.size(), kMostPassages);
  const std::vector<uint64_t> part = SampleOf(text.substr(2000000, 100000));
  size_t common = 0;
  for (const uint64_t passage : part) common += std::ranges::binary_search(sample, passage) ? 1 : 0;
  for (const uint64_t passage : part) {
    EXPECT_EQ(std::ranges::binary_search(sample, passage), passage <= sample.back());
  }
  EXPECT_GT(common, 100U);
}

TEST(PassagePairs, OfFewDocumentsAreAllThatMayBeContained) {
  // The second and the third are of one length.
  EXPECT_EQ(CandidatesOf(EntriesOf({300, 200, 200, 100})).size(), 3U + 2 + 2);
  for (const ContainerCandidate& one : CandidatesOf(EntriesOf({300, 200, 200, 100}))) {
    EXPECT_LE(one.container, one.number() == 1 ? 2U : one.number());
    EXPECT_NE(one.container, one.number());
    EXPECT_EQ(one.queries(), 1U);
  }
  EXPECT_TRUE(CandidatesOf(EntriesOf({300})).empty());
  EXPECT_TRUE(CandidatesOf({}).empty());
}

TEST(PassagePairs, OfManyDocumentsAreThoseWithTheLongest) {
  std::vector<uint64_t> tokens;
  for (uint64_t i = 0; i < kMostOfPassage; ++i) tokens.push_back(1000 + i);
  EXPECT_EQ(CandidatesOf(EntriesOf(tokens)).size(), kMostOfPassage * (kMostOfPassage - 1) / 2);
  for (uint64_t i = tokens.size(); i < 5000; ++i) tokens.push_back(1000 + i);
  const Candidates candidates = CandidatesOf(EntriesOf(tokens));
  EXPECT_EQ(candidates.size(),
            (5000 - kPassageLeaders) * kPassageLeaders + kPassageLeaders * (kPassageLeaders - 1) / 2);
  for (const ContainerCandidate& one : candidates) {
    EXPECT_GE(one.container, 5000 - kPassageLeaders);
    EXPECT_GT(one.container, one.number());
  }
  // Of one length: what parts them is no matter, but it is the same for all.
  const Candidates equal = CandidatesOf(EntriesOf(std::vector<uint64_t>(5000, 100)));
  std::set<uint64_t> containers;
  for (const ContainerCandidate& one : equal) containers.insert(one.container);
  EXPECT_EQ(containers.size(), kPassageLeaders);
  EXPECT_EQ(equal.size(), 5000 * kPassageLeaders - kPassageLeaders);
}

TEST(MostLikelyContainers, AreThoseWithMostPassages) {
  Candidates candidates;
  for (uint64_t container = 0; container < 20; ++container) {
    for (uint64_t i = 0; i <= container; ++i) candidates.push_back({5 << 8 | 16, 100 - container, container});
  }
  const Candidates likely = MostLikelyContainers(candidates);
  ASSERT_EQ(likely.size(), kMostContainers);
  for (size_t i = 0; i < likely.size(); ++i) EXPECT_EQ(likely[i].container, 19 - i);
  // One passage of sixteen is not enough, one of eight is.
  candidates = {{5 << 8 | 16, 1, 1}};
  EXPECT_TRUE(MostLikelyContainers(candidates).empty());
  candidates = {{5 << 8 | 8, 1, 1}, {5 << 8 | 8, 0, 2}};
  EXPECT_EQ(MostLikelyContainers(candidates).front().container, 2U);
}

TEST(ContainmentComparer, GivesTheShareOfDistinctGrams) {
  ContainmentComparer comparer(0.001, 5);
  ContainmentComparer most(0.8, 5);
  std::mt19937_64 random(1);
  size_t enough = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const std::string container = LettersOf(random() % 3000, seed, 4);
    std::string document = container.substr(0, random() % 300) + LettersOf(random() % 70, seed + 1000, 5);
    document += document.substr(0, document.size() / 3);
    const double share = PlainShare(document, container, 5);
    EXPECT_DOUBLE_EQ(ShareIn(container, document, &comparer), share) << seed;
    if (share >= 0.8) {
      ++enough;
      EXPECT_DOUBLE_EQ(ShareIn(container, document, &most), share) << seed;
    } else {
      EXPECT_LT(ShareIn(container, document, &most), 0.8) << seed;
    }
  }
  EXPECT_GT(enough, 50U);
  EXPECT_LT(enough, 250U);
  EXPECT_EQ(ShareIn("abcdefgh", "", &comparer), 0);
  EXPECT_EQ(ShareIn("", "", &comparer), 1);
  EXPECT_EQ(ShareIn("abc", "abc", &comparer), 1);
  EXPECT_EQ(ShareIn("abcd", "abc", &comparer), 0);
}

TEST(ContainmentComparer, CountsARepeatedGramOnce) {
  ContainmentComparer comparer(0.9, 5);
  EXPECT_EQ(ShareIn(std::string(700000, 'a') + "b", std::string(600000, 'a'), &comparer), 1);
  EXPECT_EQ(ShareIn(LettersOf(2000, 1), std::string(1000, 'a'), &comparer), 0);
  const std::string text = LettersOf(500, 1);
  EXPECT_GT(ShareIn(text, std::string(100000, '-') + text, &comparer), 0.97);  // nine distinct ones are missing
}

// What is compared in one pass, and in three.
TEST(ContainmentComparer, ComparesLongTextsInPasses) {
  const std::string container = LettersOf(1100000, 1);
  ContainmentComparer comparer(0.9, 5);
  comparer.Set(container);
  EXPECT_EQ(comparer.passes(), 3U);
  for (const size_t others : {size_t{200}, size_t{2500}, size_t{20000}}) {
    const std::string document = LettersOf(others, 2) + container.substr(400000, 30000);
    const double share = PlainShare(document, container, 5);
    EXPECT_DOUBLE_EQ(ShareIn(container, document, &comparer), share < 0.9 ? 0 : share);
  }
}

}  // namespace
}  // namespace uzushio
