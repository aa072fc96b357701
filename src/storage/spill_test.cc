#include "storage/spill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "base/test_support.h"

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

}  // namespace
}  // namespace uzushio
