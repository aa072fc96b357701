#include "stages/minhash/bucket_task.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "base/test_support.h"

namespace uzushio {
namespace {

struct Compared {
  std::string id;
  uint64_t first = 0;
  std::vector<uint64_t> buckets;
};

// Few buckets, ids and dates, so that much is equal.
std::vector<Compared> RandomDocuments(size_t count) {
  std::mt19937_64 random(5);
  std::vector<Compared> documents(count);
  for (Compared& document : documents) {
    document.id = "document" + std::to_string(random() % 50);
    document.first = random() % 3;
    for (int i = 0; i < 4; ++i) document.buckets.push_back((random() % 300) << 55 | 7);
  }
  return documents;
}

void Must(const arrow::Status& status) { ASSERT_TRUE(status.ok()) << status; }

std::shared_ptr<arrow::RecordBatch> RowsOf(const std::vector<Compared>& documents, int64_t first_number) {
  arrow::Int64Builder number;
  arrow::Int64Builder high;
  arrow::Int64Builder low;
  arrow::BinaryBuilder id;
  arrow::BinaryBuilder buckets;
  for (const Compared& document : documents) {
    const Priority priority = Priority::Of(document.first, document.id, 0);
    Must(number.Append(first_number++));
    Must(high.Append(static_cast<int64_t>(priority.high)));
    Must(low.Append(static_cast<int64_t>(priority.low)));
    Must(id.Append(document.id));
    Must(buckets.Append(reinterpret_cast<const uint8_t*>(document.buckets.data()),
                        static_cast<int32_t>(document.buckets.size() * sizeof(uint64_t))));
  }
  const auto schema = arrow::schema({arrow::field("number", arrow::int64()), arrow::field("high", arrow::int64()),
                                     arrow::field("low", arrow::int64()), arrow::field("id", arrow::binary()),
                                     arrow::field("buckets", arrow::binary())});
  return arrow::RecordBatch::Make(schema, static_cast<int64_t>(documents.size()),
                                  {number.Finish().ValueOrDie(), high.Finish().ValueOrDie(), low.Finish().ValueOrDie(),
                                   id.Finish().ValueOrDie(), buckets.Finish().ValueOrDie()});
}

using Place = std::tuple<uint64_t, std::string, uint64_t>;  // first, id, number
Place PlaceOf(const std::vector<Compared>& documents, uint64_t number) {
  return {documents[number].first, documents[number].id, number};
}

template <typename Array>
auto ValueOf(const arrow::RecordBatch& batch, const char* name, int64_t row) {
  return static_cast<const Array&>(*batch.GetColumnByName(name)).GetView(row);
}

// What tasks of all partitions say.
struct Found {
  std::map<uint64_t, Place> leaders;   // the highest of each follower
  std::map<uint64_t, uint64_t> first;  // the number of the document that stands highest in each bucket
};

void Take(const arrow::RecordBatch& rows, Found* found) {
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    if (ValueOf<arrow::StringArray>(rows, "kind", row) == "bucket") {
      const std::string_view data = ValueOf<arrow::BinaryArray>(rows, "data", row);
      for (size_t at = 0; at < data.size(); at += sizeof(DocumentBucket)) {
        DocumentBucket bucket;
        std::memcpy(&bucket, data.data() + at, sizeof bucket);
        EXPECT_TRUE(found->first.emplace(bucket.bucket, bucket.priority.number()).second);
      }
      continue;
    }
    EXPECT_EQ(ValueOf<arrow::Int32Array>(rows, "source", row), 0);
    const Place leader = {ValueOf<arrow::Int64Array>(rows, "first", row),
                          std::string(ValueOf<arrow::BinaryArray>(rows, "id", row)),
                          ValueOf<arrow::Int64Array>(rows, "leader", row)};
    const auto number = static_cast<uint64_t>(ValueOf<arrow::Int64Array>(rows, "number", row));
    const auto [place, is_new] = found->leaders.emplace(number, leader);
    if (!is_new) place->second = std::min(place->second, leader);
  }
}

using BucketTasks = FolderTest;

TEST_F(BucketTasks, FindTheHighestOfAllThatShareABucket) {
  const std::vector<Compared> documents = RandomDocuments(2000);
  constexpr int kBits = 2;
  constexpr int64_t kFirstRows = 700;
  std::vector<std::unique_ptr<BucketTask>> tasks;
  for (int i = 0; i < 1 << kBits; ++i) {
    tasks.push_back(BucketTask::Make({.sets = {nullptr}, .memory = int64_t{64} << 20, .tmp = root_}).ValueOrDie());
  }
  const auto whole = RowsOf(documents, 0);
  for (const auto& rows : {whole->Slice(0, kFirstRows), whole->Slice(kFirstRows)}) {
    const auto partitions = SpreadBuckets(*rows, kBits).ValueOrDie();
    for (size_t i = 0; i < partitions.size(); ++i) {
      if (partitions[i] != nullptr) Must(tasks[i]->Add(*partitions[i]));
    }
  }
  Found found;
  for (const auto& task : tasks) {
    while (const auto rows = task->Next().ValueOrDie()) Take(*rows, &found);
  }
  Found expected;
  std::map<uint64_t, std::vector<uint64_t>> members;
  for (uint64_t i = 0; i < documents.size(); ++i) {
    for (const uint64_t bucket : documents[i].buckets) members[bucket].push_back(i);
  }
  for (const auto& [bucket, in_it] : members) {
    const auto place = [&documents](uint64_t number) { return PlaceOf(documents, number); };
    const uint64_t highest = std::ranges::min(in_it, {}, place);
    expected.first[bucket] = highest;
    for (const uint64_t number : in_it) {
      if (number == highest) continue;
      const auto [known, is_new] = expected.leaders.emplace(number, place(highest));
      if (!is_new) known->second = std::min(known->second, place(highest));
    }
  }
  EXPECT_EQ(found.first, expected.first);
  EXPECT_EQ(found.leaders, expected.leaders);
  EXPECT_GT(found.leaders.size(), 500);
}

TEST_F(BucketTasks, RefuseWhatTheyCanNotRead) {
  const auto task = BucketTask::Make({.sets = {nullptr}, .memory = int64_t{64} << 20, .tmp = root_}).ValueOrDie();
  const auto rows = RowsOf({{"a", 0, {1}}, {"b", 0, {2}}}, 5);
  ASSERT_TRUE(task->Add(*rows).ok());
  EXPECT_FALSE(task->Add(*rows).ok());  // numbers increase
  EXPECT_FALSE(task->Add(*rows->RemoveColumn(4).ValueOrDie()).ok());
  EXPECT_FALSE(SpreadBuckets(*rows, 0).ok());
  EXPECT_FALSE(SpreadBuckets(*rows->RemoveColumn(0).ValueOrDie(), 2).ok());
}

}  // namespace
}  // namespace uzushio
