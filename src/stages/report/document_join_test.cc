#include "stages/report/document_join.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <thread>

#include "base/test_support.h"

namespace uzushio {
namespace {

// Sources: what the first side removed, its corpus; what the second removed, its corpus.
constexpr uint32_t kRemovedA = 0, kA = 1, kRemovedB = 2, kB = 3;
const std::vector<JoinSource> kSources = {{.is_second = false, .is_corpus = false},
                                          {.is_second = false, .is_corpus = true},
                                          {.is_second = true, .is_corpus = false},
                                          {.is_second = true, .is_corpus = true}};

struct TestRow {
  uint32_t source = kA;
  uint64_t name = 0;
  uint64_t text = 0;
  std::string host;
};

class DocumentJoinTest : public FolderTest {
 protected:
  JoinResult Join(const std::vector<TestRow>& rows, int threads = 1, int64_t spare = kMiB, size_t most = 10) {
    SpillSpace space(root_);
    DiffPlan plan = PlanDiff(kReportMemory.With(threads) + spare, threads);
    if (spare == 0) plan.partitions = plan.load = 1 << 10;  // so that rows are spilled, and loaded in parts
    DocumentJoin join(kSources, threads, plan, &space);
    std::map<uint32_t, int64_t> places;
    std::vector<JoinRow> joined;
    for (const TestRow& row : rows) {
      joined.push_back({row.name, row.name, row.text, static_cast<int64_t>(row.text), {row.source, 0, 0}});
      joined.back().place.row = places[row.source]++;
    }
    std::vector<std::thread> writers;
    for (int i = 0; i < threads; ++i) {
      writers.emplace_back([&, i] {
        DocumentJoin::Writer writer(&join);
        for (size_t at = static_cast<size_t>(i); at < rows.size(); at += static_cast<size_t>(threads)) {
          ASSERT_TRUE(writer.Add(joined[at], rows[at].host).ok());
        }
        ASSERT_TRUE(writer.Flush().ok());
      });
    }
    for (std::thread& writer : writers) writer.join();
    NameRuns runs(&space, kHostSums, kMiB, 1 << 10);
    auto result = join.Finish(most, &runs);
    EXPECT_TRUE(result.ok()) << result.status();
    hosts_.clear();
    EXPECT_TRUE(runs.Merge([this](std::string_view name, std::span<const NameSum> sums) {
                      for (const NameSum sum : sums) hosts_[std::string(name)].push_back(static_cast<int64_t>(sum));
                      return arrow::Status::OK();
                    })
                    .ok());
    return std::move(result).ValueOrDie();
  }
  static std::vector<int64_t> DocumentsOf(const std::vector<JoinCounts>& counts) {
    std::vector<int64_t> documents;
    for (const JoinCounts& one : counts) documents.push_back(one.documents);
    return documents;
  }

  std::map<std::string, std::vector<int64_t>> hosts_;
};

TEST_F(DocumentJoinTest, WhatIsInOneOrInBoth) {
  const JoinResult result = Join({{kA, 1, 10, "a.jp"},
                                  {kB, 1, 10, "a.jp"},
                                  {kA, 2, 20, "a.jp"},
                                  {kB, 2, 21, "b.jp"},
                                  {kA, 3, 30},
                                  {kB, 4, 40, "b.jp"},
                                  {kB, 5, 50, "b.jp"}});
  const std::vector<JoinCounts> counts(result.counts.begin(), result.counts.end());
  EXPECT_EQ(DocumentsOf(counts), (std::vector<int64_t>{1, 1, 1, 2}));
  EXPECT_EQ(counts[1].characters, 20);
  EXPECT_EQ(counts[1].second_characters, 21);
  EXPECT_EQ(counts[3].characters, 90);
  EXPECT_EQ(hosts_, (std::map<std::string, std::vector<int64_t>>{{"a.jp", {1, 1, 0, 0}}, {"b.jp", {0, 0, 0, 2}}}));
  ASSERT_EQ(result.shown[3].size(), 2);
  EXPECT_EQ(result.shown[3][0].hash, 4);
  EXPECT_EQ(result.shown[3][0].second, (RowPlace{kB, 0, 1 + 1}));
  EXPECT_TRUE(result.shown[0].empty());
}

TEST_F(DocumentJoinTest, WhereDocumentsWereLost) {
  const JoinResult result = Join(
      {{kA, 1, 10}, {kA, 2, 20}, {kRemovedB, 2, 0}, {kB, 3, 30}, {kRemovedA, 3, 0}, {kB, 4, 40}, {kRemovedA, 9, 0}});
  EXPECT_EQ(DocumentsOf(result.lost), (std::vector<int64_t>{1, 0, 1, 0, 1, 1}));
  EXPECT_EQ(result.lost[kRemovedB].characters, 20);
  EXPECT_EQ(result.shown[2][0].why, std::nullopt);
  EXPECT_EQ(result.shown[2][1].why, (RowPlace{kRemovedB, 0, 0}));
}

TEST_F(DocumentJoinTest, DocumentsOfOneNameArePaired) {
  const JoinResult result =
      Join({{kA, 1, 10}, {kA, 1, 11}, {kA, 1, 12}, {kA, 1, 12}, {kB, 1, 12}, {kB, 1, 9}, {kB, 2, 5}, {kB, 2, 5}});
  EXPECT_EQ(DocumentsOf({result.counts.begin(), result.counts.end()}), (std::vector<int64_t>{1, 1, 2, 2}));
  EXPECT_EQ(result.counts[1].characters, 10);
  EXPECT_EQ(result.counts[2].characters, 11 + 12);
}

TEST_F(DocumentJoinTest, IsTheSameForAnyThreadsAndMemory) {
  std::mt19937_64 random(3);
  std::vector<TestRow> rows;
  for (int i = 0; i < 4000; ++i) {
    rows.push_back({static_cast<uint32_t>(random() % 4), (random() % 3000) * 0x9E3779B97F4A7C15U, random() % 3,
                    "host" + std::to_string(random() % 50)});
  }
  const JoinResult one = Join(rows);
  const auto hosts = hosts_;
  for (const int threads : {1, 3}) {
    for (const int64_t spare : {int64_t{0}, kMiB}) {
      const JoinResult other = Join(rows, threads, spare);
      EXPECT_EQ(hosts_, hosts);
      EXPECT_EQ(DocumentsOf(other.lost), DocumentsOf(one.lost));
      for (size_t i = 0; i < kDifferences; ++i) {
        EXPECT_EQ(other.counts[i].characters, one.counts[i].characters);
        EXPECT_EQ(other.counts[i].second_characters, one.counts[i].second_characters);
        ASSERT_EQ(other.shown[i].size(), one.shown[i].size());
        for (size_t at = 0; at < one.shown[i].size(); ++at) {
          EXPECT_EQ(other.shown[i][at].first, one.shown[i][at].first);
          EXPECT_EQ(other.shown[i][at].second, one.shown[i][at].second);
          EXPECT_EQ(other.shown[i][at].why, one.shown[i][at].why);
        }
      }
    }
  }
}

// Of one name there may be more rows than are loaded at once: the sums are those of multisets.
TEST_F(DocumentJoinTest, AnyNumberOfOneName) {
  std::mt19937_64 random(4);
  std::vector<TestRow> rows;
  std::map<uint64_t, std::array<int64_t, 2>> texts;
  constexpr uint64_t kTexts = 200;
  for (int i = 0; i < 5'000; ++i) {
    const uint32_t source = random() % 5 == 0 ? kA : kB;
    uint64_t text = 1 + random() % kTexts * (random() % 2);  // every second one has the same
    if (source == kA && random() % 4 == 0) text += kTexts;   // or none of the other corpus
    rows.push_back({source, 7, text, "host" + std::to_string(random() % 3)});
    ++texts[text][source == kA ? 0 : 1];
  }
  rows.push_back({kRemovedA, 7, 0});
  rows.push_back({kA, 8, 5});
  int64_t equal = 0;
  std::array<int64_t, 2> all = {};
  for (const auto& [text, documents] : texts) {
    equal += std::min(documents[0], documents[1]);
    for (size_t side = 0; side < 2; ++side) all[side] += documents[side];
  }
  const int64_t changed = std::min(all[0], all[1]) - equal;
  const JoinResult loaded = Join(rows);
  const auto hosts = hosts_;
  const JoinResult spilled = Join(rows, 1, 0);
  EXPECT_EQ(hosts_, hosts);
  EXPECT_EQ(DocumentsOf(spilled.lost), DocumentsOf(loaded.lost));
  for (const JoinResult& result : {loaded, spilled}) {
    EXPECT_EQ(DocumentsOf({result.counts.begin(), result.counts.end()}),
              (std::vector<int64_t>{equal, changed, all[0] - equal - changed + 1, all[1] - equal - changed}));
    ASSERT_EQ(result.shown[1].size(), 1);
    EXPECT_EQ(result.shown[1][0].documents, changed);
    EXPECT_EQ(result.matched_by_name, equal + changed);
    EXPECT_EQ(result.lost[kRemovedA].documents, all[1] - equal - changed);
  }
  for (size_t i = 0; i < kDifferences; ++i) {
    int64_t of_hosts = 0;
    for (const auto& [host, sums] : hosts) of_hosts += sums[i];
    EXPECT_EQ(of_hosts, loaded.counts[i].documents - (i == 2 ? 1 : 0));  // one has no host
    EXPECT_EQ(spilled.counts[i].characters, loaded.counts[i].characters);
    EXPECT_EQ(spilled.counts[i].second_characters, loaded.counts[i].second_characters);
    ASSERT_EQ(spilled.shown[i].size(), loaded.shown[i].size());
    for (size_t at = 0; at < loaded.shown[i].size(); ++at) {
      EXPECT_EQ(spilled.shown[i][at].first, loaded.shown[i][at].first);
      EXPECT_EQ(spilled.shown[i][at].second, loaded.shown[i][at].second);
      EXPECT_EQ(spilled.shown[i][at].documents, loaded.shown[i][at].documents);
    }
  }
}

TEST_F(DocumentJoinTest, OneOfEachNameIsShown) {
  const JoinResult result = Join({{kA, 1, 10}, {kA, 1, 10}, {kA, 1, 11}, {kB, 2, 20}, {kB, 2, 21}, {kB, 3, 30}});
  ASSERT_EQ(result.shown[2].size(), 1);
  EXPECT_EQ(result.shown[2][0].documents, 3);
  ASSERT_EQ(result.shown[3].size(), 2);
  EXPECT_EQ(result.shown[3][0].documents, 2);
  EXPECT_EQ(result.shown[3][1].documents, 1);
}

}  // namespace
}  // namespace uzushio
