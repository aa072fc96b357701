#include "warc/headers.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

namespace uzushio {
namespace {

TEST(Headers, FindIgnoresCaseAndTakesTheFirst) {
  Headers headers;
  headers.Parse("WARC/1.0\r\nWARC-Type: response\r\nwarc-type: other\nX-Empty:\r\nX-Colons: a:b: c\r\n\r\n");
  EXPECT_EQ(headers.Get("Warc-TYPE"), "response");
  EXPECT_EQ(headers.Find("X-Empty"), "");
  EXPECT_EQ(headers.Get("X-Colons"), "a:b: c");
  EXPECT_FALSE(headers.Find("X-Missing"));
  EXPECT_EQ(headers.Get("X-Missing"), "");
  EXPECT_FALSE(headers.Find(""));
}

TEST(Headers, AllFieldsAreInOrder) {
  Headers headers;
  headers.Parse("HTTP/1.1 200 OK\r\nA: 1\r\na:\r\nB : x: y \r\nA: 1\r\n\r\n");
  const std::vector<std::pair<std::string_view, std::string_view>> expected = {
      {"A", "1"}, {"a", ""}, {"B", "x: y"}, {"A", "1"}};
  EXPECT_EQ(headers.fields(), expected);
}

TEST(Headers, ContinuationsAreNoFields) {
  Headers headers;
  headers.Parse("A: 1\r\n B: 2\r\n\tC: 3\r\nD : 4");
  EXPECT_EQ(headers.Get("A"), "1");
  EXPECT_FALSE(headers.Find("B"));
  EXPECT_FALSE(headers.Find("C"));
  EXPECT_EQ(headers.Get("D"), "4");
}

TEST(Headers, ParseForgetsWhatWasThere) {
  Headers headers;
  headers.Parse("A: 1\r\n");
  headers.Parse("B: 2\r\n");
  EXPECT_FALSE(headers.Find("A"));
  EXPECT_EQ(headers.Get("B"), "2");
}

TEST(Headers, KeepsSoManyFields) {
  std::string lines;
  for (size_t i = 0; i < Headers::kMaxFields + 5; ++i) lines += "f" + std::to_string(i) + ": v\n";
  Headers headers;
  headers.Parse(lines);
  EXPECT_TRUE(headers.Find("f" + std::to_string(Headers::kMaxFields - 1)));
  EXPECT_FALSE(headers.Find("f" + std::to_string(Headers::kMaxFields)));
}

TEST(EqualsIgnoreCase, IsForAsciiAlone) {
  EXPECT_TRUE(EqualsIgnoreCase("gZip", "GzIP"));
  EXPECT_TRUE(EqualsIgnoreCase("", ""));
  EXPECT_FALSE(EqualsIgnoreCase("gzip", "gzi"));
  EXPECT_FALSE(EqualsIgnoreCase("@[`{", "`{@["));
  EXPECT_FALSE(EqualsIgnoreCase("É", "é"));
}

TEST(TrimAscii, TakesWhiteSpaceAroundOnly) {
  EXPECT_EQ(TrimAscii(" \t\r\n a b\t\r\n "), "a b");
  EXPECT_EQ(TrimAscii(" \t\r\n"), "");
  EXPECT_EQ(TrimAscii("　a　"), "　a　");
}

TEST(FindHeaderEnd, IsBehindTheEmptyLine) {
  const std::vector<std::pair<const char*, size_t>> cases = {
      {"a\r\n\r\nb", 5}, {"a\n\nb", 3}, {"a\r\n\nb", 4}, {"a\n\r\nb", 4}, {"a\r\nb\r\n\r\n", 8}};
  for (const auto& [text, end] : cases) EXPECT_EQ(FindHeaderEnd(text), end) << text;
  for (const char* text : {"", "a", "a\r\n", "a\r\n\r", "a\rb\r\r", "a\r\n \r\n"}) {
    EXPECT_EQ(FindHeaderEnd(text), std::string_view::npos) << text;
  }
  EXPECT_EQ(FindHeaderEnd("a\n\nb\n\n", 3), 6U);
}

TEST(FindHeaderEnd, IsTheFirstEmptyLineOfAnyText) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = *rc::gen::container<std::string>(rc::gen::element('a', '\r', '\n'));
    size_t expected = std::string::npos;
    for (size_t i = 0; i < text.size() && expected == std::string::npos; ++i) {
      if (text[i] != '\n') continue;
      if (text.substr(i + 1).starts_with('\n')) expected = i + 2;
      if (text.substr(i + 1).starts_with("\r\n")) expected = i + 3;
    }
    RC_ASSERT(FindHeaderEnd(text) == expected);
  }));
}

}  // namespace
}  // namespace uzushio
