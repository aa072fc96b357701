#include "io/paragraph_counts.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "base/test_support.h"

namespace uzushio {
namespace {

class ParagraphCounts : public FolderTest {};

// Lengths are kept in 32 bits; one above four GiB would look like a short one.
TEST_F(ParagraphCounts, RefuseWhatIsTooLong) {
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

}  // namespace
}  // namespace uzushio
