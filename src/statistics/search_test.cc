#include "statistics/search.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "base/test_support.h"
#include "base/utf8.h"
#include "dedup/relation.h"
#include "document/paragraph_hash.h"
#include "statistics/paragraph_steps.h"

namespace uzushio {
namespace {

using Pairs = std::set<std::pair<int64_t, int64_t>>;

// Keeps all that comes.
class Collected final : public NearDuplicateSink {
 public:
  explicit Collected(bool pairs) : wants_pairs_(pairs) {}
  arrow::Status Start() override { return arrow::Status::OK(); }
  bool wants_texts() const override { return true; }
  arrow::Status Row(const StatisticsRow& row, const ParagraphHead& paragraph, std::string_view text) override {
    EXPECT_EQ(paragraph.hash, row.hash);
    EXPECT_EQ(paragraph.text_bytes, text.size());
    EXPECT_TRUE(rows.empty() || rows.back().hash < row.hash);
    rows.push_back(row);
    texts[row.hash] = text;
    return arrow::Status::OK();
  }
  bool wants_pairs() const override { return wants_pairs_; }
  arrow::Status Pair(int64_t first, int64_t second) override {
    EXPECT_LT(first, second);
    EXPECT_TRUE(pairs.emplace(first, second).second);
    return arrow::Status::OK();
  }

  std::vector<StatisticsRow> rows;
  std::map<int64_t, std::string> texts;
  Pairs pairs;

 private:
  bool wants_pairs_;
};

struct Setting {
  NearDuplicateOptions options;
  int threads = 1;
  int64_t memory = int64_t{64} << 20;
  int64_t held = int64_t{64} << 20;  // memory for what is kept
  int bits = 3;
  bool pairs = true;
};

class NearDuplicates : public FolderTest {
 protected:
  // `given` are rows of other statistics: hash, count, pivot.
  Collected Find(const std::vector<std::string>& paragraphs, const Setting& run,
                 const std::vector<StatisticsRow>& given = {}) {
    const HashPartitioning partitioning(run.bits);
    MemoryBudget budget(run.held);
    SpillSpace space(root_);
    SpillPartitions counted(partitioning.count(), &budget, &space);
    ParagraphCounter counter(&counted, partitioning, 4096);
    for (const std::string& paragraph : paragraphs) EXPECT_TRUE(counter.Add(paragraph).ok());
    for (const StatisticsRow& row : given) {
      CountedHeader header;
      header.hash = row.hash;
      header.given_pivot = row.repr_hash;
      header.count = static_cast<uint32_t>(row.exact_freq);
      header.given_near = static_cast<uint32_t>(row.near_freq - row.exact_freq);
      EXPECT_TRUE(counter.Add(header, "").ok());
    }
    EXPECT_TRUE(counter.Finish().ok());
    Collected collected(run.pairs);
    const NearDuplicateResources resources = {run.threads, StatisticsPlan::Of(run.memory, run.threads), &budget,
                                              &space};
    const auto counts =
        FindNearDuplicates(&counted, partitioning, run.options, resources, &collected, [](const SearchProgress&) {});
    EXPECT_TRUE(counts.ok()) << counts.status().ToString();
    return collected;
  }
};

// Families of variants: of a long, a short or a very short text, and loners.
std::vector<std::string> Corpus(uint64_t seed, int families) {
  std::mt19937_64 random(seed);
  std::vector<std::string> corpus;
  const auto character = [&random] { return static_cast<char32_t>(U'あ' + random() % 80); };
  for (int family = 0; family < families; ++family) {
    std::u32string original(family % 3 == 0 ? 5 + random() % 3 : family % 3 == 1 ? 10 + random() % 25 : 80, U' ');
    for (char32_t& c : original) c = character();
    for (uint64_t variant = 1 + random() % 9; variant > 0; --variant) {
      std::u32string text = original;
      for (uint64_t edit = random() % 4; edit > 0; --edit) text[random() % text.size()] = character();
      std::string utf8;
      for (const char32_t c : text) {
        utf8 += static_cast<char>(0xE0 | c >> 12);
        utf8 += static_cast<char>(0x80 | (c >> 6 & 0x3F));
        utf8 += static_cast<char>(0x80 | (c & 0x3F));
      }
      for (uint64_t copy = 1 + random() % 3; copy > 0; --copy) corpus.push_back(utf8);
    }
  }
  return corpus;
}

std::u32string Decoded(const std::string& text) {
  std::u32string points;
  DecodeUtf8(text, &points);
  return points;
}

Pairs TruePairs(const Collected& collected) {
  std::map<int64_t, std::u32string> texts;
  for (const auto& [hash, text] : collected.texts) texts[hash] = Decoded(text);
  Pairs pairs;
  for (auto a = texts.begin(); a != texts.end(); ++a) {
    for (auto b = std::next(a); b != texts.end(); ++b) {
      if (NearDuplicatesByDefinition(a->second, b->second)) pairs.emplace(a->first, b->first);
    }
  }
  return pairs;
}

// The rows that the pairs make: pivots in order of hashes take what is near and free, and each paragraph counts its
// neighbours.
std::vector<StatisticsRow> PivotGroups(const std::map<int64_t, int32_t>& counts, const Pairs& pairs) {
  std::map<int64_t, int64_t> pivots;
  for (const auto& [hash, count] : counts) {
    if (!pivots.emplace(hash, hash).second) continue;
    for (auto pair = pairs.lower_bound({hash, INT64_MIN}); pair != pairs.end() && pair->first == hash; ++pair) {
      pivots.emplace(pair->second, hash);
    }
  }
  std::map<int64_t, int32_t> sums;
  for (const auto& [hash, count] : counts) sums[pivots[hash]] += count;
  std::map<int64_t, int32_t> near = counts;
  for (const auto& [a, b] : pairs) {
    near[a] += counts.at(b);
    near[b] += counts.at(a);
  }
  std::vector<StatisticsRow> rows;
  for (const auto& [hash, count] : counts) rows.push_back({hash, pivots[hash], count, near[hash], sums[pivots[hash]]});
  return rows;
}

std::map<int64_t, int32_t> CountsOf(const std::vector<std::string>& corpus) {
  std::map<int64_t, int32_t> counts;
  for (const std::string& text : corpus) ++counts[ParagraphHash(text)];
  return counts;
}

TEST_F(NearDuplicates, PairsAreTrueAndNearlyAll) {
  size_t found = 0;
  size_t all = 0;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const Collected collected = Find(Corpus(seed, 120), {});
    const Pairs truth = TruePairs(collected);
    for (const auto& pair : collected.pairs) ASSERT_TRUE(truth.contains(pair));
    found += collected.pairs.size();
    all += truth.size();
  }
  EXPECT_GT(all, 1000U);
  EXPECT_GT(static_cast<double>(found), 0.93 * static_cast<double>(all));  // many have two edits in seven characters
}

TEST_F(NearDuplicates, GroupsAndNeighboursAreThoseOfThePairs) {
  for (uint64_t seed = 10; seed < 16; ++seed) {
    const std::vector<std::string> corpus = Corpus(seed, 120);
    const Collected collected = Find(corpus, {});
    EXPECT_TRUE(std::ranges::equal(collected.rows, PivotGroups(CountsOf(corpus), collected.pairs)));
  }
}

TEST_F(NearDuplicates, NeitherThreadsNorMemoryNorPartitionsNorPairsMatter) {
  const std::vector<std::string> corpus = Corpus(20, 400);
  const Collected plain = Find(corpus, {});
  for (const int threads : {1, 3}) {
    for (const int64_t held : {int64_t{0}, int64_t{200000}, int64_t{64} << 20}) {
      for (const int bits : {1, 6}) {
        for (const bool pairs : {false, true}) {
          Setting run;
          run.threads = threads;
          run.held = held;
          run.memory = held == 0 ? 40000 : int64_t{64} << 20;  // the least: every partition is cut
          run.bits = bits;
          run.pairs = pairs;
          const Collected other = Find(corpus, run);
          ASSERT_TRUE(std::ranges::equal(other.rows, plain.rows));
          if (pairs) ASSERT_EQ(other.pairs, plain.pairs);
        }
      }
    }
  }
}

TEST_F(NearDuplicates, ComponentsAreThoseOfThePairs) {
  const std::vector<std::string> corpus = Corpus(30, 200);
  Setting run;
  run.options.groups = GroupMethod::kComponents;
  const Collected collected = Find(corpus, run);
  std::map<int64_t, int64_t> least;
  for (const StatisticsRow& row : collected.rows) least[row.hash] = row.hash;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [a, b] : collected.pairs) {
      const int64_t both = std::min(least[a], least[b]);
      changed |= least[a] != both || least[b] != both;
      least[a] = least[b] = both;
    }
  }
  for (const StatisticsRow& row : collected.rows) EXPECT_EQ(row.repr_hash, least[row.hash]);
}

TEST_F(NearDuplicates, SimHashWindowsDoNotDependOnPartitions) {
  const std::vector<std::string> corpus = Corpus(40, 300);
  Setting run;
  run.options.candidates = CandidateMethod::kSimHash;
  run.options.window = 10;
  const Collected plain = Find(corpus, run);
  EXPECT_GT(plain.pairs.size(), 100U);
  const Pairs truth = TruePairs(plain);
  for (const auto& pair : plain.pairs) ASSERT_TRUE(truth.contains(pair));
  run.bits = 6;
  run.threads = 3;
  run.held = 0;
  const Collected other = Find(corpus, run);
  EXPECT_EQ(other.pairs, plain.pairs);
  EXPECT_TRUE(std::ranges::equal(other.rows, plain.rows));
}

TEST_F(NearDuplicates, GivenPivotsAreKeptWhereTheyAreLess) {
  const Collected collected = Find({}, {}, {{5, 5, 2, 2}, {7, 5, 3, 3}, {9, -4, 1, 1}, {9, 9, 1, 1}});
  ASSERT_EQ(collected.rows.size(), 3U);
  EXPECT_EQ(collected.rows[0], (StatisticsRow{5, 5, 2, 2, 5}));
  EXPECT_EQ(collected.rows[1], (StatisticsRow{7, 5, 3, 3, 5}));
  EXPECT_EQ(collected.rows[2], (StatisticsRow{9, -4, 2, 2, 2}));
}

// What statistics without texts tell adds up, and holds where it is more than what is found.
TEST_F(NearDuplicates, GivenNeighboursAddUp) {
  const Collected collected = Find({}, {}, {{5, 5, 2, 10}, {5, 5, 1, 4}, {7, 5, 3, 4}});
  EXPECT_EQ(collected.rows[0], (StatisticsRow{5, 5, 3, 14, 6}));
  EXPECT_EQ(collected.rows[1], (StatisticsRow{7, 5, 3, 4, 6}));
  const std::vector<std::string> texts = {"ひらがなのもじ", "ひらがなのもし"};
  const int64_t known = ParagraphHash(texts[0]);
  for (const int32_t told : {1, 9}) {
    const Collected both = Find(texts, {}, {{known, known, 2, 2 + told}});
    ASSERT_EQ(both.rows.size(), 2U);
    EXPECT_EQ(both.rows[both.rows[0].hash == known ? 0 : 1].near_freq, 3 + told);
    EXPECT_EQ(both.rows[both.rows[0].hash == known ? 1 : 0].near_freq, 4);
  }
}

// A thousand variants of one text share most of their buckets, whose pairs are not all looked at: then the group tells.
TEST_F(NearDuplicates, LargeBucketsAreBoundedAndTheSameInAnyMemory) {
  std::vector<std::string> corpus = Corpus(50, 20);
  std::string common;
  for (int j = 0; j < 60; ++j) common += std::string("\xE3\x81") + static_cast<char>(0x80 + j);  // U+3040 and on
  constexpr int kVariants = 1500;
  for (int i = 0; i < kVariants; ++i) corpus.push_back(common + std::to_string(10000 + i));
  const Collected plain = Find(corpus, {});
  int in_largest = 0;
  for (const StatisticsRow& row : plain.rows) {
    if (row.group_freq < kVariants / 2) continue;
    ++in_largest;
    EXPECT_GE(row.near_freq, row.group_freq);
  }
  EXPECT_GT(in_largest, kVariants / 2);
  EXPECT_LT(plain.pairs.size(), kVariants * 300U);
  Setting run;
  run.threads = 2;
  run.held = 0;
  run.memory = 100000;
  const Collected other = Find(corpus, run);
  EXPECT_TRUE(std::ranges::equal(other.rows, plain.rows));
  EXPECT_EQ(other.pairs, plain.pairs);
}

// The paragraphs turn out to be more than was thought.
TEST_F(NearDuplicates, PartitionsAreCutAgainWhereTheyAreTooFew) {
  const std::vector<std::string> corpus = Corpus(60, 2000);
  Setting run;
  run.bits = 1;
  run.memory = 100000;
  EXPECT_TRUE(std::ranges::equal(Find(corpus, run).rows, Find(corpus, {}).rows));
}

TEST_F(NearDuplicates, FrequenciesDoNotWrap) {
  const Collected collected = Find({}, {}, {{5, 5, INT32_MAX, INT32_MAX}, {5, 5, INT32_MAX, INT32_MAX}, {7, 5, 3, 3}});
  EXPECT_EQ(collected.rows[0], (StatisticsRow{5, 5, INT32_MAX, INT32_MAX, INT32_MAX}));
  EXPECT_EQ(collected.rows[1], (StatisticsRow{7, 5, 3, 3, INT32_MAX}));
}

TEST_F(NearDuplicates, NothingGivesNothing) { EXPECT_TRUE(Find({}, {}).rows.empty()); }

}  // namespace
}  // namespace uzushio
