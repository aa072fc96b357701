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
    auto result = join.Finish(most, "id", &runs);
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

TEST_F(DocumentJoinTest, WhatIsNoNameIsRefused) {
  SpillSpace space(root_);
  for (const int64_t load : {int64_t{1} << 10, int64_t{64} << 20}) {
    DiffPlan plan = PlanDiff(kReportMemory.With(1), 1);
    plan.load = load;
    DocumentJoin join(kSources, 1, plan, &space);
    {
      DocumentJoin::Writer writer(&join);
      for (int64_t i = 0; i <= DocumentJoin::kMostOfOneName; ++i) {
        ASSERT_TRUE(writer.Add({1, 1, 1, 1, {kA, 0, i}}, std::string(255, 'h')).ok());
      }
      ASSERT_TRUE(writer.Flush().ok());
    }
    NameRuns runs(&space, kHostSums, kMiB, 1 << 10);
    const auto result = join.Finish(10, "id", &runs);
    ASSERT_FALSE(result.ok());
    EXPECT_NE(result.status().message().find("more than 65536 documents have the same id"), std::string::npos);
  }
}

}  // namespace
}  // namespace uzushio
