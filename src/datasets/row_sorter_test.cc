#include "datasets/row_sorter.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compute/initialize.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <numeric>
#include <random>

#include "base/test_support.h"

namespace uzushio {
namespace {

class Sorter : public FolderTest, public testing::WithParamInterface<int64_t> {};

TEST_P(Sorter, SortsStablyWhateverTheMemory) {
  ASSERT_TRUE(arrow::compute::Initialize().ok());
  const auto schema = arrow::schema({arrow::field("n", arrow::int64()), arrow::field("t", arrow::utf8())});
  RowSorter sorter(schema, GetParam(), root_);
  std::mt19937_64 random(1);
  std::vector<std::pair<double, int64_t>> expected;
  int64_t next = 0;
  for (int batch = 0; batch < 50; ++batch) {
    arrow::Int64Builder numbers;
    arrow::StringBuilder texts;
    std::vector<double> keys;
    for (uint64_t i = random() % 100; i > 0; --i) {
      keys.push_back(static_cast<double>(random() % 20));
      expected.emplace_back(keys.back(), next);
      ASSERT_TRUE(numbers.Append(next).ok());
      ASSERT_TRUE(texts.Append("row " + std::to_string(next++)).ok());
    }
    const auto rows = static_cast<int64_t>(keys.size());
    const auto columns = arrow::ArrayVector{numbers.Finish().ValueOrDie(), texts.Finish().ValueOrDie()};
    ASSERT_TRUE(sorter.Add(arrow::RecordBatch::Make(schema, rows, columns), keys).ok());
  }
  std::ranges::stable_sort(expected, {}, [](const auto& item) { return item.first; });
  size_t at = 0;
  ASSERT_TRUE(sorter
                  .Finish([&](const arrow::RecordBatch& batch) {
                    const auto& numbers = static_cast<const arrow::Int64Array&>(*batch.column(0));
                    const auto& texts = static_cast<const arrow::StringArray&>(*batch.column(1));
                    for (int64_t row = 0; row < batch.num_rows(); ++row, ++at) {
                      EXPECT_EQ(numbers.Value(row), expected[at].second);
                      EXPECT_EQ(texts.GetView(row), "row " + std::to_string(expected[at].second));
                    }
                    return arrow::Status::OK();
                  })
                  .ok());
  EXPECT_EQ(at, expected.size());
  EXPECT_EQ(sorter.runs() > 1, GetParam() < 1000000);
  EXPECT_LE(sorter.runs(), 32);
  EXPECT_TRUE(std::filesystem::is_empty(root_));
}

INSTANTIATE_TEST_SUITE_P(Memories, Sorter, testing::Values(1, 20000, 1 << 30));

using SorterFiles = FolderTest;

size_t OpenFiles() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(files), end(files)));
}

TEST_F(SorterFiles, AThousandRunsNeedFewOfThem) {
  ASSERT_TRUE(arrow::compute::Initialize().ok());
  const auto schema = arrow::schema({arrow::field("n", arrow::int64())});
  RowSorter sorter(schema, 1, root_);
  const size_t before = OpenFiles();
  size_t most = before;
  constexpr int64_t kRuns = 1500;
  for (int64_t run = 0; run < kRuns; ++run) {
    arrow::Int64Builder numbers;
    ASSERT_TRUE(numbers.AppendValues({2 * run, 2 * run + 1}).ok());
    const std::vector<double> keys = {static_cast<double>(run % 7), 0};
    const auto columns = arrow::ArrayVector{numbers.Finish().ValueOrDie()};
    ASSERT_TRUE(sorter.Add(arrow::RecordBatch::Make(schema, 2, columns), keys).ok());
    most = std::max(most, OpenFiles());
  }
  std::vector<int64_t> found;
  ASSERT_TRUE(sorter
                  .Finish([&](const arrow::RecordBatch& batch) {
                    most = std::max(most, OpenFiles());
                    const auto& numbers = static_cast<const arrow::Int64Array&>(*batch.column(0));
                    for (int64_t row = 0; row < batch.num_rows(); ++row) found.push_back(numbers.Value(row));
                    return arrow::Status::OK();
                  })
                  .ok());
  const auto key = [](int64_t number) { return number % 2 == 1 ? 0 : number / 2 % 7; };
  std::vector<int64_t> expected(2 * kRuns);
  std::iota(expected.begin(), expected.end(), 0);
  std::ranges::stable_sort(expected, {}, key);
  EXPECT_EQ(found, expected);
  EXPECT_LE(most - before, 100U);
}

using SorterErrors = FolderTest;

TEST_F(SorterErrors, AFullDiskSaysWhatToDo) {
  ASSERT_TRUE(arrow::compute::Initialize().ok());
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit full = {.rlim_cur = 4096, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &full);
  arrow::StringBuilder texts;
  ASSERT_TRUE(texts.Append(Repeat("x", 100'000)).ok());
  const auto schema = arrow::schema({arrow::field("t", arrow::utf8())});
  RowSorter sorter(schema, 1, root_);
  const std::vector<double> keys = {1};
  const arrow::Status status =
      sorter.Add(arrow::RecordBatch::Make(schema, 1, arrow::ArrayVector{texts.Finish().ValueOrDie()}), keys);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_NE(status.message().find("--tmp"), std::string::npos) << status.ToString();
}

}  // namespace
}  // namespace uzushio
