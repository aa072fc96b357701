#include "datasets/json_text.h"

#include <arrow/builder.h>
#include <arrow/util/base64.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace uzushio {
namespace {

std::shared_ptr<arrow::RecordBatch> BatchOf(const std::string& bytes) {
  arrow::StringBuilder text;
  arrow::BinaryBuilder binary;
  EXPECT_TRUE((text.Append(bytes) & binary.Append(bytes)).ok());
  const auto schema = arrow::schema({arrow::field("a\"", arrow::utf8()), arrow::field("b", arrow::binary())});
  return arrow::RecordBatch::Make(schema, 1, {*text.Finish(), *binary.Finish()});
}

std::string Expected(const std::string& bytes) {
  nlohmann::ordered_json json;
  json["a\""] = bytes;
  json["b"] = arrow::util::base64_encode(bytes);
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Long values are written in blocks: nothing is to be seen of where they end.
TEST(JsonTextTest, LongTextsAreAsShortOnes) {
  std::mt19937 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same texts each time
  const std::string pieces[] = {"a", "\"", "\n", "あ", "😀", "é", "\xFF", "\xE3\x81", "\x80", "\x80\x80\x80\x80\x80"};
  for (int round = 0; round < 40; ++round) {
    const bool is_text = round % 2 == 0;
    std::string bytes(random() % 8, 'x');
    const size_t size = 150'000 + random() % 500'000;
    while (bytes.size() < size) bytes += pieces[random() % (is_text ? 6 : std::size(pieces))];
    std::string json = "before ";
    ASSERT_TRUE(AppendJson(*BatchOf(bytes), 0, &json).ok());
    ASSERT_TRUE(json == "before " + Expected(bytes)) << "round " << round;
  }
}

}  // namespace
}  // namespace uzushio
