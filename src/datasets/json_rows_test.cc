#include "datasets/json_rows.h"

#include <arrow/array.h>
#include <gtest/gtest.h>

namespace uzushio {
namespace {

JsonObject Parsed(std::string_view line) {
  JsonObject object;
  EXPECT_EQ(object.Parse(line), JsonObject::Line::kObject) << line;
  return object;
}

std::string SchemaOf(const std::vector<std::string>& lines) {
  JsonColumns columns;
  for (const std::string& line : lines) columns.Add(Parsed(line));
  return columns.Schema()->ToString(/*show_metadata=*/true);
}

std::string MisfitOf(JsonRows* rows, std::string_view line) {
  const char* misfit = rows->Append(Parsed(line)).ValueOrDie();
  return misfit == nullptr ? "" : misfit;
}

TEST(JsonColumns, AreOfTheKeys) {
  EXPECT_EQ(SchemaOf({R"({"text": "a", "n": 1, "f": 1.5, "b": true, "u": 18446744073709551615})"}),
            "text: string\nn: int64\nf: double\nb: bool\nu: uint64");
  EXPECT_EQ(SchemaOf({R"({"a": null, "n": 1, "n2": 1, "x": "", "z": null})", R"({"a": 1, "n": 0.5, "more": 1, "x": 1})",
                      R"({"a": 1, "a": 1.5, "n2": 18446744073709551615})"}),
            "a: double\nn: double\nn2: uint64\nx: string\nz: string\nmore: int64");
  EXPECT_EQ(SchemaOf({R"({"m": {"a": 1}, "l": []})"}),
            "m: string\n-- metadata --\nuzushio.json: 1\nl: string\n-- metadata --\nuzushio.json: 1");
}

TEST(JsonRows, AreOfTheColumns) {
  JsonColumns columns;
  columns.Add(Parsed(R"({"text": "a", "n": 1, "f": 1.5, "b": true, "u": 18446744073709551615, "m": {}})"));
  JsonRows rows(columns.Schema(), "text", std::nullopt);
  for (const char* fits : {R"({"text": "b"})", R"({"text": null, "n": null})", R"({"u": 3, "f": 2, "text": ""})",
                           R"({"n": "x", "n": 7, "text": "c", "m": [ {"a":1} ], "b": false})"}) {
    EXPECT_EQ(MisfitOf(&rows, fits), "") << fits;
  }
  for (const char* other : {R"({"text": 1})", R"({"text": "b", "n": 1.5})", R"({"text": "b", "u": -1})",
                            R"({"text": "b", "n": 9223372036854775808})", R"({"text": "b", "more": null})",
                            R"({"text": {}})", R"({"text": "b", "m": "{}"})"}) {
    EXPECT_EQ(MisfitOf(&rows, other), "other-columns") << other;
  }
  EXPECT_EQ(MisfitOf(&rows, R"({"n": 1})"), "no-text");
  const auto batch = rows.Finish().ValueOrDie();
  EXPECT_EQ(batch->column(0)->ToString(), "[\n  \"b\",\n  null,\n  \"\",\n  \"c\"\n]");
  EXPECT_EQ(batch->column(1)->ToString(), "[\n  null,\n  null,\n  null,\n  7\n]");
  EXPECT_EQ(batch->column(5)->ToString(), "[\n  null,\n  null,\n  null,\n  \"[ {\"a\":1} ]\"\n]");
}

// A key that says another language than the path is not lost in silence.
TEST(JsonRows, HaveTheLanguageOfThePath) {
  const auto schema = arrow::schema({arrow::field("text", arrow::utf8()), arrow::field("language", arrow::utf8())});
  JsonRows rows(schema, "text", "ja");
  EXPECT_EQ(MisfitOf(&rows, R"({"text": "b", "language": "en"})"), "other-columns");
  for (const char* fits :
       {R"({"text": "b"})", R"({"text": "c", "language": "ja"})", R"({"text": null, "language": null})"}) {
    EXPECT_EQ(MisfitOf(&rows, fits), "");
  }
  const auto batch = rows.Finish().ValueOrDie();
  ASSERT_EQ(batch->num_rows(), 3);
  EXPECT_EQ(batch->column(0)->null_count(), 1);
  for (int64_t row = 0; row < 3; ++row) {
    EXPECT_EQ(static_cast<const arrow::StringArray&>(*batch->column(1)).GetView(row), "ja");
  }
  EXPECT_EQ(rows.Finish().ValueOrDie(), nullptr);
}

}  // namespace
}  // namespace uzushio
