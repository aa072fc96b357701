#include "stages/report/open_sources.h"

#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

namespace uzushio {
namespace {

std::shared_ptr<arrow::RecordBatch> NamedBatch() {
  const auto schema = arrow::schema({arrow::field("text", arrow::utf8()), arrow::field("number", arrow::int64()),
                                     arrow::field("share", arrow::float64())});
  const auto array = [](const auto& type, const char* values) {
    return arrow::json::ArrayFromJSONString(type, values).ValueOrDie();
  };
  return arrow::RecordBatch::Make(schema, 2,
                                  {array(arrow::utf8(), R"(["a", null])"), array(arrow::int64(), "[7, null]"),
                                   array(arrow::float64(), "[0.5, null]")});
}

TEST(NamesOf, AreTextsAndDecimalsOfIntegers) {
  const auto batch = NamedBatch();
  EXPECT_EQ(TextAt(NamesOf(*batch, "text").ValueOrDie(), 0), "a");
  EXPECT_EQ(TextAt(NamesOf(*batch, "number").ValueOrDie(), 0), "7");
  EXPECT_EQ(TextAt(NamesOf(*batch, "number").ValueOrDie(), 1), "");
  EXPECT_EQ(NamesOf(*batch, "none").ValueOrDie(), nullptr);
  EXPECT_NE(NamesOf(*batch, "share").status().message().find("'share' is of type double"), std::string::npos);
}

TEST(TextsOf, AreOfColumnsOfTexts) {
  const auto batch = NamedBatch();
  EXPECT_EQ(TextAt(TextsOf(*batch, "text").ValueOrDie(), 0), "a");
  EXPECT_EQ(TextAt(TextsOf(*batch, "text").ValueOrDie(), 1), "");
  for (const char* other : {"number", "share", "none"}) EXPECT_EQ(TextsOf(*batch, other).ValueOrDie(), nullptr);
}

}  // namespace
}  // namespace uzushio
