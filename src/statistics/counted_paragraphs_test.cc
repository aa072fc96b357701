#include "statistics/counted_paragraphs.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "base/test_support.h"
#include "document/paragraph_hash.h"

namespace uzushio {
namespace {

class CountedParagraphs : public FolderTest {};

// Lengths are kept in 32 bits; one above four GiB would look like a short one.
TEST_F(CountedParagraphs, RefuseWhatIsTooLong) {
  constexpr size_t kBytes = (size_t{4} << 30) + 16;
  void* zeros = ::mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(zeros, MAP_FAILED);
  MemoryBudget budget(1 << 20);
  SpillSpace space(root_);
  const HashPartitioning partitioning(1);
  SpillPartitions target(partitioning.count(), &budget, &space);
  ParagraphCounter counter(&target, partitioning, 1 << 10);
  const arrow::Status status = counter.Add(CountedHeader(), {static_cast<const char*>(zeros), kBytes});
  ::munmap(zeros, kBytes);
  EXPECT_TRUE(status.IsInvalid()) << status;
  EXPECT_NE(status.message().find("4096MiB"), std::string::npos) << status;
  ASSERT_TRUE(counter.Finish().ok());
  EXPECT_EQ(target.bytes(0) + target.bytes(1), 0);
}

// Texts for one place of the table, which anybody can find: they are handed on when there are some hundred, and counted
// as others are.
TEST_F(CountedParagraphs, ThatSharePlacesAreCountedToo) {
  MemoryBudget budget(16 << 20);
  SpillSpace space(root_);
  const HashPartitioning partitioning(1);
  SpillPartitions target(partitioning.count(), &budget, &space);
  ParagraphCounter counter(&target, partitioning, 1 << 10);
  constexpr int kTexts = 3000;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kTexts; ++i) {
      CountedHeader header;
      header.hash = header.given_pivot = int64_t{i} << 32;
      header.count = 1;
      ASSERT_TRUE(counter.Add(header, std::to_string(i)).ok());
    }
  }
  ASSERT_TRUE(counter.Finish().ok());
  int counted = 0;
  for (size_t partition = 0; partition < partitioning.count(); ++partition) {
    const auto bytes = TakeCounted(&target, partition, 1 << 20);
    ASSERT_TRUE(bytes.ok());
    ASSERT_TRUE(ForEachCounted(*bytes, [&counted](const CountedHeader& header, std::string_view text) {
                  EXPECT_EQ(header.count, 2U);
                  EXPECT_EQ(std::to_string(header.hash >> 32), text);
                  ++counted;
                  return arrow::Status::OK();
                }).ok());
  }
  EXPECT_EQ(counted, kTexts);
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
  told.given_pivot = INT64_MIN;
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
                    EXPECT_EQ(header.given_pivot, INT64_MIN);  // the least
                  } else if (text.starts_with("text ")) {
                    EXPECT_EQ(header.count, std::stoi(std::string(text.substr(5))) < 10000 ? 2U : 1U);
                    EXPECT_EQ(header.given_pivot, header.hash);
                  }
                  return arrow::Status::OK();
                }).ok());
  }
  EXPECT_EQ(distinct, 20002U);
}

}  // namespace
}  // namespace uzushio
