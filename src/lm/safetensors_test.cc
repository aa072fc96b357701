#include "lm/safetensors.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace uzushio {
namespace {

std::string FileOf(const std::string& header, const std::string& data = "") {
  std::string bytes(8, '\0');
  for (size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(header.size() >> (8 * i));
  return bytes + header + data;
}

std::string Fault(const std::string& header, const std::string& data = "") {
  const auto read = ReadSafetensors(FileOf(header, data));
  return read.ok() ? "none" : read.status().message();
}

TEST(Safetensors, HaveNumbersByName) {
  const std::string data = {'\x00', '\x00', '\x80', '\x3f', '\x00', '\x00',
                            '\x00', '\xc0', '\x00', '\x3c', '\x7f', '\xff'};
  const std::string bytes = FileOf(R"({"__metadata__": {"a": "b"}, "x": {"dtype": "F32", "shape": [1, 2],
      "data_offsets": [0, 8]}, "y": {"dtype": "F16", "shape": [1], "data_offsets": [8, 10]},
      "z": {"dtype": "I8", "shape": [2], "data_offsets": [10, 12]}})",
                                   data);
  const auto tensors = ReadSafetensors(bytes).ValueOrDie();
  ASSERT_EQ(tensors.size(), 3U);
  EXPECT_THAT(tensors.at("x").shape, testing::ElementsAre(1, 2));
  EXPECT_EQ(tensors.at("x").At(0), 1);
  EXPECT_EQ(tensors.at("x").At(1), -2);
  EXPECT_EQ(tensors.at("y").At(0), 1);
  EXPECT_EQ(tensors.at("z").At(0), 127);
  EXPECT_EQ(tensors.at("z").At(1), -1);
}

TEST(Safetensors, ThatAreBrokenAreRefused) {
  using testing::HasSubstr;
  EXPECT_FALSE(ReadSafetensors("").ok());
  EXPECT_FALSE(ReadSafetensors(std::string(8, '\xff')).ok());
  EXPECT_THAT(Fault("[]"), HasSubstr("no JSON object"));
  EXPECT_THAT(Fault("{"), HasSubstr("no JSON object"));
  EXPECT_THAT(Fault(R"({"x": )" + std::string(100'000, '[')), HasSubstr("no JSON object"));
  EXPECT_THAT(Fault(R"({"x": 1})"), HasSubstr("has no type, shape or place"));
  const auto one = [](const std::string& type, const std::string& shape, const std::string& place) {
    return R"({"x": {"dtype": ")" + type + R"(", "shape": )" + shape + R"(, "data_offsets": )" + place + "}}";
  };
  EXPECT_EQ(Fault(one("F32", "[1]", "[0, 4]"), "1234"), "none");
  EXPECT_EQ(Fault(one("F32", "[0, 7]", "[0, 0]")), "none");
  EXPECT_THAT(Fault(one("F31", "[1]", "[0, 4]"), "1234"), HasSubstr("is of no known type"));
  EXPECT_THAT(Fault(one("F32", "[2]", "[0, 4]"), "1234"), HasSubstr("has another size than its place"));
  EXPECT_THAT(Fault(one("F32", "[1]", "[0, 4]"), "123"), HasSubstr("lies outside of the file"));
  EXPECT_THAT(Fault(one("F32", "[1]", "[4, 0]"), "1234"), HasSubstr("lies outside of the file"));
  EXPECT_THAT(Fault(one("F32", "[1]", "[-1, 3]"), "1234"), HasSubstr("lies outside of the file"));
  EXPECT_THAT(Fault(one("F32", "[-1]", "[0, 4]"), "1234"), HasSubstr("has no size"));
  EXPECT_THAT(Fault(one("F32", "[4294967296, 4294967296]", "[0, 4]"), "1234"), HasSubstr("too large a one"));
  const std::string long_name = R"({")" + std::string(100'000, 'x') + R"(": 1})";
  EXPECT_LT(Fault(long_name).size(), 1000U);
  EXPECT_THAT(Fault(R"({"x": ")" + std::string(5 << 20, 'x') + R"("})"), HasSubstr("its header has no end"));
  EXPECT_THAT(Fault(one("F32", "[1,1,1,1,1,1,1,1,1]", "[0, 4]"), "1234"), HasSubstr("too many dimensions"));
}

// Every byte of the size and of the header is changed: refused, or read within the file, which sanitizers watch.
TEST(Safetensors, ThatAreChangedAreReadWithinTheFile) {
  std::string bytes = FileOf(R"({"x": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]}, "y": {"dtype": "I8",
      "shape": [2], "data_offsets": [8, 10]}})",
                             "0123456789");
  size_t read = 0;
  for (size_t at = 0; at + 10 < bytes.size(); ++at) {
    const char before = bytes[at];
    for (int byte = 0; byte < 256; ++byte) {
      bytes[at] = static_cast<char>(byte);
      const std::vector<char> exact(bytes.begin(), bytes.end());  // a string has a byte behind its end
      const auto tensors = ReadSafetensors({exact.data(), exact.size()});
      if (!tensors.ok()) continue;
      for (const auto& [name, tensor] : *tensors) {
        if (!tensor.is_readable()) continue;
        for (int64_t i = 0; i < tensor.size(); ++i) read += std::isnan(tensor.At(static_cast<size_t>(i))) ? 0 : 1;
      }
    }
    bytes[at] = before;
  }
  EXPECT_GT(read, 1000U);
}

TEST(Half, IsReadAndRounded) {
  EXPECT_EQ(FromHalf(0x0001), std::ldexp(1.0F, -24));
  EXPECT_EQ(FromHalf(0x7BFF), 65504);
  EXPECT_TRUE(std::isinf(FromHalf(0xFC00)));
  EXPECT_TRUE(std::isnan(FromHalf(0x7C01)));
  EXPECT_EQ(RoundedToHalf(1 + std::ldexp(1.0F, -11)), 1);  // to the even one
  EXPECT_EQ(RoundedToHalf(1 + 3 * std::ldexp(1.0F, -11)), 1 + std::ldexp(1.0F, -9));
  EXPECT_EQ(RoundedToHalf(65519), 65504);
  EXPECT_EQ(RoundedToHalf(-65520), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(RoundedToHalf(std::ldexp(1.0F, -25)), 0);
  for (uint32_t half = 0; half < 0x7C00; ++half) {
    const float number = FromHalf(static_cast<uint16_t>(half));
    const uint32_t exponent = std::max(half >> 10, 1U);
    const uint32_t fraction = (half & 0x3FFU) + (half < 0x400 ? 0 : 0x400);
    ASSERT_EQ(number, std::ldexp(static_cast<float>(fraction), static_cast<int>(exponent) - 25));
    ASSERT_EQ(FromHalf(static_cast<uint16_t>(half | 0x8000U)), -number);
    ASSERT_EQ(RoundedToHalf(number), number);
    ASSERT_EQ(RoundedToHalf(-number * 1.0001F), -number);
  }
}

}  // namespace
}  // namespace uzushio
