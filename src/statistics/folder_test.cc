#include "statistics/folder.h"

#include <arrow/array.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

#include <vector>

namespace uzushio {
namespace {

std::shared_ptr<arrow::RecordBatch> Rows(const std::shared_ptr<arrow::Schema>& schema, const char* json) {
  const auto structs = arrow::json::ArrayFromJSONString(arrow::struct_(schema->fields()), json).ValueOrDie();
  return arrow::RecordBatch::FromStructArray(structs).ValueOrDie();
}

TEST(ForEachEntry, GivesWhatTheIndexHas) {
  const auto rows = Rows(StatisticsSchema(), "[[7, 7, 1, 2], [8, 8, 1, 1], [-9, 7, 5, 6]]");
  std::vector<FrequencyEntry> found;
  ASSERT_TRUE(ForEachEntry(*rows, [&](const FrequencyEntry& entry) {
                found.push_back(entry);
                return arrow::Status::OK();
              }).ok());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].hash, 7);
  EXPECT_EQ(found[1].hash, -9);
  EXPECT_EQ(found[1].exact_freq, 5);
  EXPECT_EQ(found[1].near_freq, 6);
}

TEST(ForEachEntry, RefusesOtherColumns) {
  const auto use = [](const FrequencyEntry&) { return arrow::Status::OK(); };
  const auto names = arrow::schema({arrow::field("hash", arrow::int64()), arrow::field("count", arrow::int32())});
  EXPECT_TRUE(ForEachEntry(*Rows(names, "[[1, 2]]"), use).IsInvalid());
  const auto types = arrow::schema({arrow::field("hash", arrow::int64()), arrow::field("exactFreq", arrow::utf8()),
                                    arrow::field("nearFreq", arrow::int64())});
  const arrow::Status status = ForEachEntry(*Rows(types, R"([[1, "2", 2]])"), use);
  EXPECT_TRUE(status.IsInvalid());
  EXPECT_NE(status.message().find("exactFreq"), std::string::npos) << status;
}

}  // namespace
}  // namespace uzushio
