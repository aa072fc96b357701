#include "dedup/containment.h"

#include <arrow/status.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <string>

#include "base/test_support.h"

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

// `container`: its n-grams, as GramsIn gives them.
double PlainShare(const std::string& document, const std::vector<std::string_view>& container, size_t n) {
  const std::vector<std::string_view> grams = GramsIn(document, n);
  const auto is_common = [&container](std::string_view gram) { return std::ranges::binary_search(container, gram); };
  return static_cast<double>(std::ranges::count_if(grams, is_common)) / static_cast<double>(grams.size());
}

size_t BytesOf(const std::vector<std::string>& texts) {
  size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  return bytes;
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

// With so much memory for hashes: none, some, and enough.
class ContainmentComparer5 : public FolderTest, public testing::WithParamInterface<int64_t> {
 protected:
  ContainmentComparer Comparer(double least, TokenForm form = TokenForm::kCharacters, int64_t load = 1 << 20) {
    return ContainmentComparer(least, 5, form, load, &budget_, &space_);
  }
  // Every document is hashed once at most, and the container once.
  static std::vector<double> SharesIn(const std::string& container, const std::vector<std::string>& documents,
                                      ContainmentComparer* comparer) {
    const uint64_t before = comparer->hashed_bytes();
    EXPECT_TRUE(comparer->Set(container).ok());
    for (const std::string& document : documents) EXPECT_TRUE(comparer->Add(document).ok());
    std::vector<double> shares;
    for (const ContainmentComparer::Compared& one : comparer->Finish().ValueOrDie()) shares.push_back(one.share());
    EXPECT_EQ(shares.size(), documents.size());
    EXPECT_LE(comparer->hashed_bytes() - before, container.size() + BytesOf(documents));
    return shares;
  }
  static double ShareIn(const std::string& container, const std::string& document, ContainmentComparer* comparer) {
    const double share = SharesIn(container, {document}, comparer).front();
    EXPECT_EQ(comparer->tokens(), container.size());
    EXPECT_EQ(comparer->Finish().ValueOrDie().front().tokens, document.size());
    return share;
  }
  // The same shares as sets of strings give, or 0 where these are below `least` or the document is longer.
  void CheckShares(double least, const std::string& container, const std::vector<std::string>& documents,
                   int64_t load) {
    ContainmentComparer comparer = Comparer(least, TokenForm::kCharacters, load);
    const std::vector<double> shares = SharesIn(container, documents, &comparer);
    const std::vector<std::string_view> grams = GramsIn(container, 5);
    for (size_t i = 0; i < documents.size(); ++i) {
      const double share = documents[i].size() > container.size() ? 0 : PlainShare(documents[i], grams, 5);
      if (share >= least) {
        EXPECT_DOUBLE_EQ(shares[i], share) << i;
        ++enough_;
      } else {
        EXPECT_LT(shares[i], least) << i;
        ++less_;
      }
    }
  }

  MemoryBudget budget_{GetParam()};
  SpillSpace space_{root_};
  size_t enough_ = 0;
  size_t less_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Memory, ContainmentComparer5, testing::Values(0, 1 << 20, 1 << 30));

TEST_P(ContainmentComparer5, GivesTheShareOfDistinctGrams) {
  std::mt19937_64 random(1);
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const std::string container = LettersOf(random() % 3000, seed, 4);
    std::string document = container.substr(0, random() % 300) + LettersOf(random() % 70, seed + 1000, 5);
    document += document.substr(0, document.size() / 3);
    CheckShares(0.001, container, {document}, 1 << 20);
    CheckShares(0.8, container, {document}, 1 << 20);
  }
  EXPECT_GT(enough_, 300U);
  EXPECT_GT(less_, 50U);
  ContainmentComparer comparer = Comparer(0.001);
  EXPECT_EQ(ShareIn("abcdefgh", "", &comparer), 0);
  EXPECT_EQ(ShareIn("", "", &comparer), 1);
  EXPECT_EQ(ShareIn("abc", "abc", &comparer), 1);
  EXPECT_EQ(ShareIn("abcd", "abc", &comparer), 0);
  EXPECT_EQ(ShareIn("abcdef", "abcdefg", &comparer), 0);  // it is longer
}

TEST_P(ContainmentComparer5, CountsARepeatedGramOnce) {
  ContainmentComparer comparer = Comparer(0.9);
  EXPECT_EQ(ShareIn(LettersOf(2000, 1), std::string(1000, 'a'), &comparer), 0);
  const std::string text = LettersOf(500, 1);
  EXPECT_GT(ShareIn(text + std::string(100000, 'a'), std::string(100000, '-') + text, &comparer), 0.97);
}

// Long containers, whose n-grams are in partitions: with parts that are repeated, near and far.
TEST_P(ContainmentComparer5, GivesTheShareInLongTexts) {
  std::mt19937_64 random(7);
  for (uint64_t seed = 0; seed < 2; ++seed) {
    const std::string half = LettersOf(150000 + random() % 50000, seed, 7);
    const std::string container = half + LettersOf(200000, seed + 10) + half.substr(0, 50000) + half;
    ASSERT_GT(container.size(), kGramsOfTable);
    std::vector<std::string> documents = {
        "", "abcd", container, half, half + half, container + "a", "b", "", std::string(400000, 'a')};
    for (size_t i = 0; i < 40; ++i) {
      const std::string part = container.substr(random() % 400000, random() % (i < 5 ? 100000 : 3000));
      documents.push_back(part + LettersOf(random() % (part.size() / 4 + 1), i) + part.substr(0, part.size() / 2));
    }
    CheckShares(seed == 0 ? 0.001 : 0.9, container, documents, seed == 0 ? 1 << 20 : 1 << 10);
  }
  EXPECT_GT(enough_, 40U);
  EXPECT_GT(less_, 10U);
}

TEST_P(ContainmentComparer5, HashesALongTextOnceForAllOfItsParts) {
  const std::string container = LettersOf(600000, 1);
  std::vector<std::string> documents;
  for (size_t i = 0; i < 10000; ++i) {
    documents.push_back(container.substr(i * 59, 80) + LettersOf(i % 2 == 0 ? 5 : 25, i));
  }
  CheckShares(0.9, container, documents, 1 << 20);
  EXPECT_GT(enough_, 4900U);
  EXPECT_GT(less_, 4900U);
}

TEST_P(ContainmentComparer5, SpillsARepeatedGramAFewTimes) {
  ContainmentComparer comparer = Comparer(0.9);
  const std::string container(8000000, 'a');
  EXPECT_EQ(ShareIn(container, std::string(7500000, 'a'), &comparer), 1);
  EXPECT_EQ(ShareIn(container, std::string(600000, 'b'), &comparer), 0);
  EXPECT_LT(space_.bytes_written(), 1000);
}

TEST_P(ContainmentComparer5, OfLongTextsOfTokens) {
  std::string container;
  for (uint64_t i = 0; i < 700000; ++i) AppendToken(i * i, &container);
  std::vector<std::string> documents(2, container.substr(size_t{8} * 1000, size_t{8} * 600000));
  for (uint64_t i = 0; i < 100000; ++i) AppendToken(7, &documents[0]);
  for (uint64_t i = 0; i < 100000; ++i) AppendToken(i * i + 3, &documents[1]);
  ContainmentComparer comparer = Comparer(0.9, TokenForm::kHashes);
  const std::vector<double> shares = SharesIn(container, documents, &comparer);
  EXPECT_DOUBLE_EQ(shares[0], 599996.0 / 600001);
  EXPECT_EQ(shares[1], 0);
  EXPECT_EQ(comparer.tokens(), 700000U);
}

TEST_P(ContainmentComparer5, SaysThatThereIsNoPlaceForHashes) {
  SpillSpace nowhere(root_ / "none");
  ContainmentComparer comparer(0.9, 5, TokenForm::kCharacters, 1 << 20, &budget_, &nowhere);
  const arrow::Status status = comparer.Set(LettersOf(1000000, 1));
  EXPECT_EQ(status.ok(), GetParam() == 1 << 30) << status;
}

}  // namespace
}  // namespace uzushio
