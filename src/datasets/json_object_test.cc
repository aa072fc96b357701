#include "datasets/json_object.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

namespace uzushio {
namespace {

using Json = nlohmann::json;
using Line = JsonObject::Line;

// Pieces that lines are made of, right and wrong.
const std::vector<std::string> kPieces = {"{",
                                          "}",
                                          "[",
                                          "]",
                                          ",",
                                          ":",
                                          "\"",
                                          "\"a\"",
                                          "\"b\":",
                                          "\"a\":",
                                          "{\"a\":",
                                          "null",
                                          "true",
                                          "false",
                                          "0",
                                          "-0",
                                          "1",
                                          "-1",
                                          "12",
                                          "9223372036854775807",
                                          "9223372036854775808",
                                          "-9223372036854775808",
                                          "-9223372036854775809",
                                          "18446744073709551615",
                                          "18446744073709551616",
                                          "1.5",
                                          "1e3",
                                          "1E-400",
                                          "1e400",
                                          "0.1",
                                          "123456789012345678901234567890.5e-7",
                                          "01",
                                          "1.",
                                          ".5",
                                          "+1",
                                          "NaN",
                                          "\"\\n\"",
                                          "\"\\u3042\"",
                                          "\"\\ud83d\\ude00\"",
                                          "\"\\ud83d\"",
                                          "\"\\udc00\"",
                                          "\"\\u0000\"",
                                          "\"\\x\"",
                                          "\\",
                                          "かな",
                                          "\"かな\"",
                                          "\xff",
                                          "\t",
                                          " ",
                                          "\r",
                                          "\x01",
                                          "\xEF\xBB\xBF",
                                          "/",
                                          "\"\\/\"",
                                          "4.9e-324",
                                          "2.2250738585072011e-308",
                                          "179769313486231570000e289",
                                          "0.500000000000000166533453693773481063544750213623046875"};

void ExpectSame(const JsonField& field, const Json& value) {
  using Kind = JsonField::Kind;
  switch (field.kind) {
    case Kind::kNull:
      EXPECT_TRUE(value.is_null());
      break;
    case Kind::kBool:
      EXPECT_EQ(Json(field.truth), value);
      break;
    case Kind::kInt:
      EXPECT_TRUE(value.is_number_integer());
      EXPECT_EQ(field.integer, value.get<int64_t>());
      break;
    case Kind::kUint:
      EXPECT_TRUE(value.is_number_unsigned());
      EXPECT_EQ(field.natural(), value.get<uint64_t>());
      break;
    case Kind::kDouble:
      EXPECT_TRUE(value.is_number_float());
      EXPECT_EQ(field.real(), value.get<double>());
      break;
    case Kind::kText:
      EXPECT_EQ(Json(field.text), value);
      break;
    case Kind::kNested:
      EXPECT_EQ(Json::parse(field.text), value);
      EXPECT_TRUE(value.is_structured());
      break;
  }
}

// The other parser, which says the same of any line without a zero byte, where it ends.
void ExpectSame(const std::string& line) {
  SCOPED_TRACE(line);
  const Json json = Json::parse(line, nullptr, false);
  JsonObject object;
  const Line parsed = object.Parse(line);
  ASSERT_EQ(parsed == Line::kNoJson, json.is_discarded());
  ASSERT_EQ(parsed == Line::kObject, json.is_object());
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items()) {
    const JsonField* field = object.Find(key);
    ASSERT_NE(field, nullptr) << key;
    ExpectSame(*field, value);
  }
  for (const JsonField& field : object.fields()) EXPECT_TRUE(json.contains(field.key));
}

RC_GTEST_PROP(JsonObject, IsWhatAnotherParserSays, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kPieces));
  std::string line;
  for (const std::string& piece : pieces) line += piece;
  ExpectSame(line);
  ExpectSame("{\"a\":" + line + "}");
  for (const std::string& piece : pieces)
    ExpectSame("{\"text\" : \"" + line + "\",\"b\":\t" + piece + " , \"a\":[" + piece + "]}");
}

RC_GTEST_PROP(JsonObject, HasAnyNumber, (double real, int64_t integer, uint64_t natural)) {
  ExpectSame(Json{{"r", real}, {"i", integer}, {"n", natural}}.dump());
}

RC_GTEST_PROP(JsonObject, HasAnyText, (const std::vector<char32_t>& points)) {
  std::string text;
  for (const char32_t point : points) text += static_cast<char>(point % 128);
  ExpectSame(Json{{text, text}, {"b", {text, {{text, 1}}}}}.dump(-1, ' ', text.size() % 2 == 0));
}

TEST(JsonObject, LastOfEqualKeysCounts) {
  JsonObject object;
  ASSERT_EQ(object.Parse(R"({"a": [1, {"a": 2}], "b": 1, "a" : 3})"), Line::kObject);
  EXPECT_EQ(object.Find("a")->integer, 3);
  EXPECT_EQ(object.fields()[0].text, R"([1, {"a": 2}])");
  EXPECT_EQ(object.Find("c"), nullptr);
  ASSERT_EQ(object.Parse("{}"), Line::kObject);
  EXPECT_TRUE(object.fields().empty());
}

TEST(JsonObject, DoesNotEndAtAZeroByte) {
  JsonObject object;
  EXPECT_EQ(object.Parse(std::string_view("{}\0", 3)), Line::kNoJson);
  EXPECT_EQ(object.Parse(std::string_view("{}\0{}", 5)), Line::kNoJson);
  EXPECT_EQ(object.Parse(""), Line::kNoJson);
}

TEST(JsonObject, HasBounds) {
  const auto levels = [](size_t count) { return std::string(count, '[') + std::string(count, ']'); };
  JsonObject object;
  EXPECT_EQ(object.Parse("{\"a\":" + levels(JsonObject::kMostLevels - 1) + "}"), Line::kObject);
  EXPECT_EQ(object.Parse("{\"a\":" + levels(JsonObject::kMostLevels) + "}"), Line::kTooLarge);
  EXPECT_EQ(object.Parse(std::string(1 << 20, '[')), Line::kTooLarge);
  std::string keys = "{\"\":0";
  for (size_t i = 1; i < JsonObject::kMostKeys; ++i) keys += ",\"\":0";
  EXPECT_EQ(object.Parse(keys + "}"), Line::kObject);
  EXPECT_EQ(object.Parse(keys + ",\"\":0}"), Line::kTooLarge);
}

}  // namespace
}  // namespace uzushio
