#include "stages/overlap/value_batches.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compute/initialize.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/memory_plan.h"
#include "base/test_support.h"

namespace uzushio {
namespace {

constexpr PartitionsPlan kRoomForAll = {.partitions = 64 << 20, .buffers = 1 << 20, .load = 8 << 20, .reader = {}};

std::shared_ptr<arrow::RecordBatch> DocumentsOf(const std::vector<std::pair<std::string, std::string>>& rows) {
  arrow::StringBuilder texts;
  arrow::StringBuilder urls;
  for (const auto& [text, url] : rows) {
    EXPECT_TRUE(texts.Append(text).ok());
    EXPECT_TRUE(urls.Append(url).ok());
  }
  const auto schema = arrow::schema({arrow::field("text", arrow::utf8()), arrow::field("url", arrow::utf8())});
  const auto count = static_cast<int64_t>(rows.size());
  return arrow::RecordBatch::Make(schema, count, {texts.Finish().ValueOrDie(), urls.Finish().ValueOrDie()});
}

class ValueBatchesTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    ASSERT_TRUE(arrow::compute::Initialize().ok());
  }

  // As an engine counts: `tasks` for each dataset, and two that count distinct values.
  static SharedCounts ByBatches(const std::vector<std::shared_ptr<arrow::RecordBatch>>& datasets, int64_t tasks) {
    std::map<std::pair<int64_t, int64_t>, int64_t> bits;
    for (size_t i = 0; i < datasets.size(); ++i) {
      for (int64_t task = 0; task < tasks; ++task) {
        ValueBatches reader(i, "text", "url", false);
        for (int64_t row = task; row < datasets[i]->num_rows(); row += tasks) {
          std::vector<int64_t> bad;
          const auto values = reader.Take(*datasets[i]->Slice(row, 1), &bad).ValueOrDie();
          EXPECT_TRUE(bad.empty());
          const auto column = [&values](int place) {
            return static_cast<const arrow::Int64Array&>(*values->column(place)).raw_values();
          };
          for (int64_t j = 0; j < values->num_rows(); ++j) bits[{column(0)[j], column(1)[j]}] |= column(2)[j];
        }
      }
    }
    SharedCounts total(datasets.size());
    for (const bool odd : {false, true}) {
      arrow::Int64Builder rests;
      arrow::Int64Builder sets;
      for (const auto& [value, datasets_of] : bits) {
        if ((value.first % 2 != 0) != odd) continue;
        EXPECT_TRUE(rests.Append(value.second).ok());
        EXPECT_TRUE(sets.Append(datasets_of).ok());
      }
      const auto schema =
          arrow::schema({arrow::field("rest", arrow::int64()), arrow::field("datasets", arrow::int64())});
      const int64_t rows = rests.length();
      SharedCounts counts(datasets.size());
      EXPECT_TRUE(CountValues(*arrow::RecordBatch::Make(schema, rows,
                                                        {rests.Finish().ValueOrDie(), sets.Finish().ValueOrDie()}),
                              &counts)
                      .ok());
      EXPECT_TRUE(AddBatch(*ToBatch(counts).ValueOrDie(), &total).ok());
    }
    return total;
  }

  // As the local stage counts.
  SharedCounts BySharedValues(const std::vector<std::shared_ptr<arrow::RecordBatch>>& datasets) {
    SpillSpace space(root_);
    SharedValues values(datasets.size(), 1, kRoomForAll, &space);
    SharedValues::Writer writer(&values);
    for (size_t i = 0; i < datasets.size(); ++i) {
      ValueReader reader("text", "url",
                         [&writer, i](ValueKind kind, const ValueHash& hash) { return writer.Add(kind, i, hash); });
      EXPECT_TRUE(reader.Take(*datasets[i], [](int64_t) { return arrow::Status::OK(); }).ok());
    }
    EXPECT_TRUE(writer.Flush().ok());
    return values.Count().ValueOrDie();
  }
};

TEST_F(ValueBatchesTest, CountsAsTheLocalStageDoes) {
  std::mt19937 random(3);
  std::vector<std::shared_ptr<arrow::RecordBatch>> datasets;
  for (size_t i = 0; i < kMostDatasets; ++i) {
    std::vector<std::pair<std::string, std::string>> rows;
    for (int row = 0; row < 40; ++row) {
      std::string text = std::to_string(random() % 30);
      for (unsigned more = random() % 3; more > 0; --more) text += "\n\n" + std::to_string(random() % 9);
      rows.emplace_back(random() % 7 == 0 ? "" : text, "http://a.jp/" + std::to_string(random() % 100));
    }
    datasets.push_back(DocumentsOf(rows));
  }
  const SharedCounts wanted = BySharedValues(datasets);
  for (const int64_t tasks : {1, 7}) {
    const SharedCounts found = ByBatches(datasets, tasks);
    for (const ValueKind kind : {ValueKind::kUrl, ValueKind::kDocument, ValueKind::kParagraph}) {
      for (size_t a = 0; a < kMostDatasets; ++a) {
        for (size_t b = 0; b < kMostDatasets; ++b) EXPECT_EQ(found.Both(kind, a, b), wanted.Both(kind, a, b));
      }
    }
  }
}

TEST_F(ValueBatchesTest, BadTextsAndOtherDatasets) {
  ValueBatches reader(1, "text", "url", false);
  std::vector<int64_t> bad;
  const auto values = reader.Take(*DocumentsOf({{"a", "u"}, {"\xff", "v"}, {"", ""}}), &bad).ValueOrDie();
  EXPECT_EQ(bad, std::vector<int64_t>{1});
  EXPECT_EQ(values->num_rows(), 3);  // a paragraph, a document, a URL
  EXPECT_EQ(reader.read().documents, 2);
  EXPECT_EQ(reader.read().without_text, 1);
  EXPECT_EQ(reader.read().without_url, 1);
  SharedCounts two(2);
  ASSERT_TRUE(CountValues(*values, &two).ok());
  EXPECT_EQ(two.Both(ValueKind::kUrl, 1, 1), 1);
  SharedCounts one(1);
  EXPECT_FALSE(CountValues(*values, &one).ok());
  EXPECT_FALSE(AddBatch(*ToBatch(two).ValueOrDie(), &one).ok());
}

}  // namespace
}  // namespace uzushio
