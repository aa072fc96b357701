#include "stages/filter/host_batches.h"

#include <arrow/array.h>
#include <arrow/table.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace uzushio {
namespace {

constexpr NameSum kLarge = NameSum{1} << 90;  // more than 64 bits

struct MeasuredHost {
  std::string host;
  std::vector<NameSum> sums;
};

std::vector<MeasuredHost> RandomHosts(size_t count, size_t width) {
  std::mt19937_64 random(1);
  std::vector<MeasuredHost> all;
  for (size_t i = 0; i < count; ++i) {
    MeasuredHost& one = all.emplace_back(MeasuredHost{random() % 9 == 0 ? "" : std::to_string(random() % 50), {}});
    one.sums = {1, static_cast<NameSum>(random() % 1000), static_cast<NameSum>(random() % 2)};
    while (one.sums.size() < width) one.sums.push_back(random() % 2 == 0 ? kLarge : -NameSum{1});
  }
  return all;
}

// The rows of tasks that measure every `tasks`-th document each.
std::shared_ptr<arrow::RecordBatch> RowsOf(const FilterChain& chain, const std::vector<MeasuredHost>& measured,
                                           size_t tasks, int64_t memory) {
  const size_t width = HostColumns(chain).width();
  std::vector<std::pair<std::string, std::shared_ptr<arrow::RecordBatch>>> together;
  for (size_t task = 0; task < tasks; ++task) {
    HostSums sums(width, memory);
    for (size_t i = task; i < measured.size(); i += tasks) {
      EXPECT_TRUE(sums.Add(measured[i].host, measured[i].sums).ok());
    }
    EXPECT_TRUE(sums.Flush().ok());
    while (const auto batch = sums.Next()) {
      const auto& hosts = static_cast<const arrow::StringArray&>(*batch->column(0));
      for (int64_t row = 0; row < batch->num_rows(); ++row)
        together.emplace_back(hosts.GetString(row), batch->Slice(row, 1));
    }
  }
  std::ranges::stable_sort(together, {}, [](const auto& one) { return one.first; });
  HostRows rows(chain);
  arrow::RecordBatchVector made;
  for (const auto& [host, batch] : together) made.push_back(rows.Add(*batch).ValueOrDie());
  made.push_back(rows.Finish().ValueOrDie());
  return arrow::Table::FromRecordBatches(made).ValueOrDie()->CombineChunksToBatch().ValueOrDie();
}

TEST(HostBatches, RowsAreTheSameForAnyTasksAndMemory) {
  const auto chain = FilterChain::Make(nlohmann::json::parse(R"([{"class": "DocLength", "low": 3}])")).ValueOrDie();
  const size_t width = HostColumns(*chain).width();
  ASSERT_EQ(width, 5U);  // documents, characters, removed; of the filter, of the metric
  const auto measured = RandomHosts(2000, width);
  std::map<std::string, int64_t> documents;
  for (const MeasuredHost& one : measured) ++documents[one.host];
  const auto whole = RowsOf(*chain, measured, 1, 1 << 20);
  ASSERT_EQ(whole->num_rows(), static_cast<int64_t>(documents.size()));
  for (int64_t row = 0; row < whole->num_rows(); ++row) {
    const auto& hosts = static_cast<const arrow::StringArray&>(*whole->column(0));
    EXPECT_EQ(static_cast<const arrow::Int64Array&>(*whole->column(1)).Value(row), documents[hosts.GetString(row)]);
  }
  for (const size_t tasks : {size_t{1}, size_t{3}, size_t{2000}}) {
    for (const int64_t memory : {int64_t{1}, int64_t{2000}, int64_t{1} << 20}) {
      EXPECT_TRUE(RowsOf(*chain, measured, tasks, memory)->Equals(*whole)) << tasks << " " << memory;
    }
  }
}

TEST(HostBatches, NoDocumentsAndOtherChains) {
  const auto chain = FilterChain::Make(nlohmann::json::array()).ValueOrDie();
  EXPECT_EQ(RowsOf(*chain, {}, 2, 1)->num_rows(), 0);
  HostSums sums(7, 1 << 20);
  ASSERT_TRUE(sums.Add("a", std::vector<NameSum>(7)).ok());
  ASSERT_TRUE(sums.Flush().ok());
  EXPECT_FALSE(HostRows(*chain).Add(*sums.Next()).ok());
}

}  // namespace
}  // namespace uzushio
