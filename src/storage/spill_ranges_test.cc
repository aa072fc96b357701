#include "storage/spill_ranges.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

#include "base/test_support.h"

namespace uzushio {
namespace {

struct Numbered {
  uint64_t key = 0;
  uint64_t number = 0;
};

class Ranges : public FolderTest, public testing::WithParamInterface<int64_t> {};

TEST_P(Ranges, HaveEachRecordOnceInOrderOfKeysWithinTheBound) {
  const int64_t most = GetParam();
  std::mt19937_64 random(7);
  MemoryBudget budget(10000);
  SpillSpace space(root_);
  SpillPartitions partitions(2, &budget, &space);
  std::map<uint64_t, size_t> wanted;
  {
    SpillPartitions::Writer writer(&partitions, 500);
    const auto add = [&](uint64_t key) {
      const Numbered record = {key, wanted[key]++};
      ASSERT_TRUE(writer.AppendRecord(1, record).ok());
    };
    for (int i = 0; i < 5000; ++i) add(random() >> (random() % 64));  // skewed, from 0 to the greatest
    for (int i = 0; i < 3000; ++i) add(77);
    add(0);
    add(UINT64_MAX);
    ASSERT_TRUE(writer.Flush().ok());
  }
  std::map<uint64_t, size_t> found;
  std::set<uint64_t> whole;
  uint64_t last = 0;
  const auto take = [&](std::span<const Numbered> records) {
    std::set<uint64_t> keys;
    for (const Numbered& record : records) {
      ++found[record.key];
      keys.insert(record.key);
    }
    for (const uint64_t key : keys) EXPECT_TRUE(whole.insert(key).second) << "a key comes in two ranges";
    EXPECT_TRUE(found.size() == keys.size() || *keys.begin() > last);
    last = *keys.rbegin();
  };
  size_t equal = 0;
  ASSERT_TRUE(ForEachRange<Numbered>(
                  &partitions, 1, most, [](const Numbered& record) { return record.key; },
                  [&](std::span<Numbered> records) {
                    EXPECT_LE(static_cast<int64_t>(records.size_bytes()), most);
                    take(records);
                    return arrow::Status::OK();
                  },
                  [&](SpillPartitions* same, size_t partition) -> arrow::Status {
                    ++equal;
                    EXPECT_GT(same->bytes(partition), most);
                    ARROW_ASSIGN_OR_RAISE(const Bytes bytes, same->Take(partition));
                    take(Records<Numbered>(bytes));
                    return arrow::Status::OK();
                  })
                  .ok());
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(equal > 0, most < 3000 * static_cast<int64_t>(sizeof(Numbered)));
  EXPECT_EQ(partitions.bytes(1), 0);
  EXPECT_TRUE(budget.TryReserve(10000));  // all is given back
}

INSTANTIATE_TEST_SUITE_P(Bounds, Ranges, testing::Values(16, 1000, 20000, 1 << 20));

}  // namespace
}  // namespace uzushio
