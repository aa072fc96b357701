#include "io/spill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "base/test_support.h"
#include "io/paragraph_counts.h"

namespace uzushio {
namespace {

class Spill : public FolderTest, public testing::WithParamInterface<int64_t> {};

TEST_P(Spill, GivesBackWhatSeveralThreadsPutIn) {
  constexpr size_t kPartitions = 8;
  constexpr uint64_t kRecords = 20000;
  MemoryBudget budget(GetParam());
  SpillSpace space(root_);
  {
    SpillPartitions partitions(kPartitions, &budget, &space);
    std::vector<std::thread> threads;
    for (uint64_t thread = 0; thread < 3; ++thread) {
      threads.emplace_back([&partitions, thread] {
        SpillPartitions::Writer writer(&partitions, 1000);
        for (uint64_t i = thread; i < kRecords; i += 3) ASSERT_TRUE(writer.AppendRecord(i % kPartitions, i).ok());
        ASSERT_TRUE(writer.Flush().ok());
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (size_t partition = 0; partition < kPartitions; ++partition) {
      const Bytes copy = partitions.Read(partition).ValueOrDie();
      const Bytes taken = partitions.Take(partition).ValueOrDie();
      ASSERT_TRUE(std::ranges::equal(copy.span(), taken.span()));
      const auto records = Records<uint64_t>(taken);
      std::ranges::sort(records);
      ASSERT_EQ(records.size(), kRecords / kPartitions);
      for (size_t i = 0; i < records.size(); ++i) ASSERT_EQ(records[i], i * kPartitions + partition);
      EXPECT_EQ(partitions.bytes(partition), 0);
    }
  }
  EXPECT_EQ(space.bytes_written() > 0, GetParam() < 100000);
  EXPECT_TRUE(std::filesystem::is_empty(root_));  // spill files have no names
  EXPECT_TRUE(budget.TryReserve(GetParam()));     // all is given back
}

INSTANTIATE_TEST_SUITE_P(Budgets, Spill, testing::Values(0, 30000, 1 << 20));

using SpillFiles = FolderTest;

// How many files without names this process has open below a folder.
size_t OpenFiles(const std::filesystem::path& folder) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const std::string target = std::filesystem::read_symlink(entry.path(), error).string();
    if (target.starts_with(folder.string() + "/")) ++count;
  }
  return count;
}

TEST_F(SpillFiles, GoAsTheyAreUsedUp) {
  MemoryBudget budget(0);
  SpillSpace space(root_);
  SpillPartitions partitions(64, &budget, &space);
  const std::vector<char> chunk(1000, 'x');
  for (size_t i = 0; i < 64; ++i) ASSERT_TRUE(partitions.AppendChunk(i, chunk).ok());
  const size_t all = OpenFiles(root_);
  EXPECT_GE(all, 8U);
  for (size_t i = 0; i < 32; ++i) ASSERT_TRUE(partitions.Take(i).ok());
  EXPECT_EQ(OpenFiles(root_), all / 2);
  ASSERT_TRUE(partitions.AppendChunk(0, chunk).ok());  // a new one
  EXPECT_EQ(partitions.Take(0).ValueOrDie().size, chunk.size());
  for (size_t i = 32; i < 64; ++i) {
    ASSERT_TRUE(partitions.TakeChunks(i, [](std::span<const char>) { return arrow::Status::OK(); }).ok());
  }
  EXPECT_EQ(OpenFiles(root_), 0U);
}

TEST_F(SpillFiles, AndMemoryGoesWhenAReaderFails) {
  MemoryBudget budget(5000);
  SpillSpace space(root_);
  SpillPartitions partitions(1, &budget, &space);
  const std::vector<char> chunk(1000, 'x');
  for (size_t i = 0; i < 10; ++i) ASSERT_TRUE(partitions.AppendChunk(0, chunk).ok());
  int calls = 0;
  EXPECT_TRUE(partitions
                  .TakeChunks(0,
                              [&calls](std::span<const char>) {
                                return ++calls == 2 ? arrow::Status::IOError("no") : arrow::Status::OK();
                              })
                  .IsIOError());
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(budget.TryReserve(5000));
  EXPECT_EQ(OpenFiles(root_), 0U);
}

using SpillErrors = FolderTest;

TEST_F(SpillErrors, AMissingFolderIsNamed) {
  const auto file = SpillFile::Create(root_ / "missing");
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.status().message().find("missing"), std::string::npos);
}

TEST(HashPartitions, AreRangesInOrder) {
  for (const int bits : {1, 6, 12}) {
    const HashPartitioning partitioning(bits);
    EXPECT_EQ(partitioning(INT64_MIN), 0U);
    EXPECT_EQ(partitioning(INT64_MAX), partitioning.count() - 1);
    EXPECT_EQ(partitioning(-1), partitioning.count() / 2 - 1);
    EXPECT_EQ(partitioning(0), partitioning.count() / 2);
  }
}

using Counts = FolderTest;

TEST_F(Counts, AddUpWhateverTheOrder) {
  const HashPartitioning partitioning(2);
  MemoryBudget budget(0);
  SpillSpace space(root_);
  SpillPartitions partitions(partitioning.count(), &budget, &space);
  ParagraphCounter first(&partitions, partitioning, 1000);
  ParagraphCounter second(&partitions, partitioning, 1000);
  constexpr int kTexts = 30000;  // more than are held at once
  for (int i = 0; i < kTexts; ++i) {
    ASSERT_TRUE(first.Add("いつも").ok());
    ASSERT_TRUE((i % 2 == 0 ? first : second).Add("text " + std::to_string(i % 20000)).ok());
  }
  const std::string huge(size_t{5} << 20, 'x');
  ASSERT_TRUE(second.Add(huge).ok());
  CountedHeader told;
  told.hash = ParagraphHash("いつも");
  told.given_repr = INT64_MIN;
  told.count = told.given_near = UINT32_MAX;
  ASSERT_TRUE(second.Add(told, "").ok());
  ASSERT_TRUE(second.Add(told, "").ok());
  ASSERT_TRUE(first.Finish().ok());
  ASSERT_TRUE(second.Finish().ok());
  size_t distinct = 0;
  int64_t last = INT64_MIN;
  for (size_t partition = 0; partition < partitioning.count(); ++partition) {
    const Bytes bytes = TakeCounted(&partitions, partition, 100000).ValueOrDie();
    ASSERT_TRUE(ForEachCounted(bytes, [&](const CountedHeader& header, std::string_view text) {
                  EXPECT_EQ(ParagraphHash(text), header.hash);
                  EXPECT_TRUE(distinct == 0 || header.hash > last);
                  last = header.hash;
                  ++distinct;
                  if (text == "いつも") {
                    EXPECT_EQ(header.count, UINT32_MAX);       // does not wrap
                    EXPECT_EQ(header.given_near, UINT32_MAX);  // nor this
                    EXPECT_EQ(header.given_repr, INT64_MIN);   // the least
                  } else if (text.starts_with("text ")) {
                    EXPECT_EQ(header.count, std::stoi(std::string(text.substr(5))) < 10000 ? 2U : 1U);
                    EXPECT_EQ(header.given_repr, header.hash);
                  }
                  return arrow::Status::OK();
                }).ok());
  }
  EXPECT_EQ(distinct, 20002U);
}

TEST(ParagraphHash, IsSparksXxhash64) {
  // The example of PySpark's documentation of the function.
  EXPECT_EQ(ParagraphHash("ABC"), 4105715581806190027);
}

}  // namespace
}  // namespace uzushio
