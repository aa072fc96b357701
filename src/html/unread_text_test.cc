#include "html/unread_text.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <string_view>

#include "base/test_support.h"
#include "html/html_parser.h"
#include "html/shown_text.h"

namespace uzushio {
namespace {

std::string ShownText(const std::string& page) {
  HtmlParser parser{PageLimits()};
  EXPECT_EQ(parser.Parse(page), ParseOutcome::kOk);
  std::string text;
  EXPECT_GE(ExtractShownParagraphs(parser.document(), RubyForm::kBase, size_t{16} << 20, &text), 0);
  return text;
}

// What begins, ends or hides an end tag, in pieces.
std::string RandomContents(std::string_view name, std::mt19937_64* random) {
  constexpr auto kParts = std::to_array<std::string_view>({"<", "/", "!", "--", "<!--", "-->", ">", " ", "x", "</",
                                                           "\r", "\n", "あ", "<script", "</script>", "<p>a", "\"'"});
  std::string contents;
  for (uint64_t i = (*random)() % 24; i > 0; --i) {
    const uint64_t kind = (*random)() % (kParts.size() + 2);
    if (kind == kParts.size()) contents += "</" + std::string(name) + ((*random)() % 2 == 0 ? ">b" : "\t>b");
    if (kind == kParts.size() + 1) contents += "</" + std::string(name) + "x";
    if (kind < kParts.size()) contents += kParts[kind];
  }
  return contents;
}

// A script's data is read by lexbor, and its program is passed over: the rest of the page is the same.
TEST(UnreadText, ProgramsEndWhereDataEnds) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::string contents = RandomContents("sCript", &random) + "</script>end";
    EXPECT_EQ(ShownText("<p>a<script>" + contents), ShownText("<p>a<script type='text/x'>" + contents)) << contents;
  }
}

// Frames' text is as that of style sheets, and never shown.
TEST(UnreadText, StyleSheetsEndAsOtherRawText) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::mt19937_64 same = random;
    const std::string style = RandomContents("Style", &random) + "</style>end";
    const std::string frames = RandomContents("Iframe", &same) + "</iframe>end";
    EXPECT_EQ(ShownText("<p>a<style>" + style), ShownText("<p>a<iframe>" + frames)) << style;
  }
}

// The parser has the page by pieces, which end anywhere in an end tag.
TEST(UnreadText, EndTagsInTwoPieces) {
  for (const std::string& page : {Repeat("<", 65'500), Repeat("x", 65'500), Repeat("</", 32'750)}) {
    for (int i = 0; i < 64; ++i) {
      for (const std::string_view name : {"script", "style"}) {
        const std::string tag = std::string(name) + ">";
        EXPECT_EQ(ShownText("<" + tag + page + std::string(i, ' ') + "</" + tag + "<p>end"),
                  "body>p\x1e\x1c"
                  "end");
        EXPECT_EQ(ShownText("<" + tag + page + std::string(i, ' ') + "</" + std::string(name)), "");
      }
    }
  }
}

TEST(UnreadText, TakesNoBytesOfTheTree) {
  for (const std::string_view name : {"script", "style"}) {
    const std::string start = "<" + std::string(name) + ">";
    HtmlParser parser({.max_tree_bytes = size_t{1} << 20});
    EXPECT_EQ(parser.Parse("<p>a" + start + Repeat("var a; ", 1'000'000)), ParseOutcome::kOk);
    EXPECT_LT(parser.tree_bytes(), size_t{1} << 18);
  }
}

}  // namespace
}  // namespace uzushio
