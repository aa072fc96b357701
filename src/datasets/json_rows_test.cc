#include "datasets/json_rows.h"

#include <arrow/array.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace uzushio {
namespace {

using Json = nlohmann::json;

std::string MisfitOf(const JsonRows& rows, const char* text) {
  const char* reason = rows.Misfit(Json::parse(text));
  return reason == nullptr ? "" : reason;
}

TEST(JsonRows, AreOfTheFirstObjectsColumns) {
  const auto schema = SchemaOfJson(
      nlohmann::ordered_json::parse(R"({"text": "a", "n": 1, "f": 1.5, "b": true, "u": 18446744073709551615})"));
  EXPECT_EQ(schema->ToString(), "text: string\nn: int64\nf: double\nb: bool\nu: uint64");
  const JsonRows rows(schema, "text", std::nullopt);
  for (const char* fits : {R"({"text": "b"})", R"({"text": null, "n": null})", R"({"text": "", "f": 2, "u": 3})"}) {
    EXPECT_EQ(MisfitOf(rows, fits), "") << fits;
  }
  for (const char* other : {"[]", "null", R"({"text": 1})", R"({"text": "b", "n": 1.5})", R"({"text": "b", "u": -1})",
                            R"({"text": "b", "n": 9223372036854775808})", R"({"text": "b", "more": null})"}) {
    EXPECT_EQ(MisfitOf(rows, other), "other-columns") << other;
  }
  EXPECT_EQ(MisfitOf(rows, R"({"n": 1})"), "no-text");
}

// A key that says another language than the path is not lost in silence.
TEST(JsonRows, HaveTheLanguageOfThePath) {
  const auto schema = arrow::schema({arrow::field("text", arrow::utf8()), arrow::field("language", arrow::utf8())});
  JsonRows rows(schema, "text", "ja");
  EXPECT_EQ(MisfitOf(rows, R"({"text": "b", "language": "en"})"), "other-columns");
  for (const char* fits :
       {R"({"text": "b"})", R"({"text": "c", "language": "ja"})", R"({"text": null, "language": null})"}) {
    EXPECT_EQ(MisfitOf(rows, fits), "");
    ASSERT_TRUE(rows.Append(Json::parse(fits)).ok());
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
