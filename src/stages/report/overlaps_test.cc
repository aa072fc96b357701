#include "stages/report/overlaps.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include "base/test_support.h"
#include "datasets/table_writer.h"

namespace uzushio {
namespace {

class OverlapsTest : public FolderTest {
 protected:
  struct Row {
    std::string kind, a, b;
    int64_t count_a, count_b, both;
  };

  InputFile Write(const std::vector<Row>& rows) {
    const auto path = root_ / "overlap.parquet";
    arrow::FieldVector fields;
    for (const char* name : {"kind", "a", "b"}) fields.push_back(arrow::field(name, arrow::utf8(), false));
    for (const char* name : {"countA", "countB", "both"}) fields.push_back(arrow::field(name, arrow::int64(), false));
    const auto table = TableWriter::Create(path, arrow::schema(fields)).ValueOrDie();
    for (const Row& row : rows) {
      for (const std::string& text : {row.kind, row.a, row.b}) table->Text(text);
      for (const int64_t count : {row.count_a, row.count_b, row.both}) table->Int64(count);
      EXPECT_TRUE(table->EndRow().ok());
    }
    EXPECT_TRUE(table->Finish().ok());
    return OpenInput(path.string()).ValueOrDie();
  }
};

TEST_F(OverlapsTest, MatricesInTheOrderOfTheDatasets) {
  const InputFile table = Write({{"urls", "z", "m", 5, 7, 2},
                                 {"paragraphs", "z", "a", 10, 30, 4},
                                 {"paragraphs", "z", "m", 10, 20, 3},
                                 {"paragraphs", "a", "m", 30, 20, 0}});
  const auto overlap = OverlapOf("run/overlap", table).ValueOrDie();
  EXPECT_EQ(overlap, nlohmann::json::parse(R"({
    "name": "run/overlap", "datasets": ["z", "a", "m"],
    "kinds": [
      {"kind": "urls", "counts": [5, null, 7], "both": [[5, null, 2], [null, null, null], [2, null, 7]]},
      {"kind": "paragraphs", "counts": [10, 30, 20], "both": [[10, 4, 3], [4, 30, 0], [3, 0, 20]]}]})"));
}

TEST_F(OverlapsTest, WhatIsNone) {
  const auto refused = [this](const std::vector<Row>& rows) { return OverlapOf("o", Write(rows)).status().message(); };
  EXPECT_NE(refused({{"urls", "a", "b", 1, 1, 1}}).find("whose paragraphs it lacks"), std::string::npos);
  std::vector<Row> many;
  for (int i = 0; i < 64; ++i) many.push_back({"paragraphs", "a", "b" + std::to_string(i), 1, 1, 1});
  EXPECT_NE(refused(many).find("more than 64 datasets"), std::string::npos);
  EXPECT_NE(refused(std::vector<Row>(6049, {"paragraphs", "a", "b", 1, 1, 1})).find("6048 at most"), std::string::npos);
}

}  // namespace
}  // namespace uzushio
