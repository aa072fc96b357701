#include "stages/overlap/shared_values.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "base/test_support.h"

namespace uzushio {
namespace {

class SharedValuesTest : public FolderTest {
 protected:
  struct Added {
    ValueKind kind;
    size_t dataset;
    ValueHash hash;
  };

  // By two writers in turns.
  SharedCounts Count(const std::vector<Added>& all, size_t datasets, const PartitionsPlan& plan) {
    SpillSpace space(root_);
    SharedValues values(datasets, 2, plan, &space);
    std::vector<SharedValues::Writer> writers(2, SharedValues::Writer(&values));
    for (size_t i = 0; i < all.size(); ++i) {
      EXPECT_TRUE(writers[i % 2].Add(all[i].kind, all[i].dataset, all[i].hash).ok());
    }
    for (SharedValues::Writer& writer : writers) EXPECT_TRUE(writer.Flush().ok());
    SharedCounts counts = values.Count().ValueOrDie();
    spilled_ = space.bytes_written();
    return counts;
  }

  static void ExpectSame(const SharedCounts& counts, const std::vector<Added>& all, size_t datasets) {
    for (const ValueKind kind : {ValueKind::kUrl, ValueKind::kDocument, ValueKind::kParagraph}) {
      std::vector<std::set<std::pair<uint64_t, uint64_t>>> sets(datasets);
      for (const Added& one : all) {
        if (one.kind == kind) sets[one.dataset].emplace(one.hash.high, one.hash.low);
      }
      for (size_t a = 0; a < datasets; ++a) {
        for (size_t b = 0; b < datasets; ++b) {
          const auto both = std::ranges::count_if(sets[a], [&](const auto& hash) { return sets[b].contains(hash); });
          EXPECT_EQ(counts.Both(kind, a, b), both) << a << " " << b;
        }
      }
    }
  }

  // Some values are frequent, some lower halves or upper halves equal.
  static std::vector<Added> RandomValues(size_t count, size_t datasets, unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<Added> all;
    for (size_t i = 0; i < count; ++i) {
      const uint64_t number = random() % 4 == 0 ? random() % 3 : random() % (count / 2 + 1);
      const uint64_t high = number * 0x9E3779B97F4A7C15U;
      all.push_back({static_cast<ValueKind>(random() % kValueKinds), random() % datasets, {high, random() % 2}});
    }
    return all;
  }

  int64_t spilled_ = 0;
};

constexpr PartitionsPlan kAmple = {.partitions = 64 << 20, .buffers = 1 << 20, .load = 8 << 20, .reader = {}};
constexpr PartitionsPlan kTight = {.partitions = 0, .buffers = 0, .load = 512, .reader = {}};

TEST_F(SharedValuesTest, CountsAsSetsDo) {
  for (const size_t datasets : {size_t{1}, size_t{2}, size_t{5}, kMostDatasets}) {
    const auto all = RandomValues(20000, datasets, static_cast<unsigned>(datasets));
    ExpectSame(Count(all, datasets, kAmple), all, datasets);
    EXPECT_EQ(spilled_, 0);
    ExpectSame(Count(all, datasets, kTight), all, datasets);
    EXPECT_GT(spilled_, 0);
  }
}

TEST_F(SharedValuesTest, NothingIsShared) {
  ExpectSame(Count({}, 3, kAmple), {}, 3);
  const std::vector<Added> zeros = {{ValueKind::kUrl, 0, {}}, {ValueKind::kUrl, 0, {}}, {ValueKind::kParagraph, 1, {}}};
  ExpectSame(Count(zeros, 2, kAmple), zeros, 2);
}

TEST_F(SharedValuesTest, OneValueThatDoesNotFit) {
  std::vector<Added> all;
  for (uint64_t i = 0; i < 60000; ++i) {
    all.push_back({ValueKind::kUrl, i % 7, {1, i % 3}});  // drives itself out of what is kept in mind
    all.push_back({ValueKind::kDocument, i % 2, {1, 0}});
  }
  ExpectSame(Count(all, 7, kTight), all, 7);
}

}  // namespace
}  // namespace uzushio
