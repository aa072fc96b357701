#include "html/paragraphs.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "document/markup.h"
#include "html/html_parser.h"

namespace uzushio {
namespace {

std::string Repeat(const std::string& text, size_t times) {
  std::string result;
  for (size_t i = 0; i < times; ++i) result += text;
  return result;
}

// The paragraphs of a page as `path|text`.
std::vector<std::string> Paragraphs(const std::string& html) {
  HtmlParser parser{PageLimits{}};
  EXPECT_EQ(parser.Parse(html), ParseOutcome::kOk);
  std::string document;
  const auto count = ExtractParagraphs(parser.document(), size_t{1} << 20, &document);
  std::vector<std::string> paragraphs;
  for (const ParagraphView& p : DecodeParagraphs(document))
    paragraphs.push_back(std::string(p.path) + "|" + std::string(p.text));
  EXPECT_EQ(count, static_cast<int64_t>(paragraphs.size()));
  return paragraphs;
}

using List = std::vector<std::string>;

TEST(ExtractParagraphs, ThePathIsThatOfTheInnermostBlock) {
  EXPECT_EQ(Paragraphs("a<div class='x y' id=z><span class=no>b</span><p>c</p>d<p>e</p>f</div>g"),
            (List{"body|a", "body>div.x.y#z|b", "body>div.x.y#z>p|c", "body>div.x.y#z|d", "body>div.x.y#z>p|e",
                  "body>div.x.y#z|f", "body|g"}));
  EXPECT_EQ(Paragraphs("<table><tr><td>a</td><td>b</td></tr><tr><td><p>c</p></table>"),
            (List{"body>table|a b", "body>table>tbody>tr>td>p|c"}));
}

TEST(ExtractParagraphs, FramesAndHeadsHaveNone) {
  EXPECT_EQ(Paragraphs("<title>no</title><frameset><frame src=x></frameset><noframes>no</noframes>"), List{});
  EXPECT_EQ(Paragraphs(""), List{});
}

TEST(ExtractParagraphs, DeepPathsAreCutAndTheTextIsKept) {
  const auto paragraphs = Paragraphs(Repeat("<div>", 400) + "deep");
  ASSERT_EQ(paragraphs.size(), 1U);
  EXPECT_EQ(paragraphs[0], "body" + Repeat(">div", kMaxPathSegments - 1) + "|deep");
}

TEST(ExtractParagraphs, LongPathsAreCutAtASegment) {
  const std::string name(100, 'x');
  const auto paragraphs = Paragraphs(Repeat("<div class=" + name + ">", 40) + "<p>deep");
  ASSERT_EQ(paragraphs.size(), 1U);
  const size_t segment = std::string(">div.").size() + name.size();
  EXPECT_EQ(paragraphs[0], "body" + Repeat(">div." + name, (kMaxPathBytes - 4) / segment) + "|deep");
}

TEST(ExtractParagraphs, ThePathRecoversAfterACut) {
  const std::string name(200, 'x');
  EXPECT_EQ(Paragraphs(Repeat("<div class=" + name + ">", 20) + "<p>deep" + Repeat("</div>", 20) + "<p>flat").back(),
            "body>p|flat");
}

TEST(ExtractParagraphs, StopsAtTheLimit) {
  HtmlParser parser{PageLimits{}};
  ASSERT_EQ(parser.Parse(Repeat("<p>text", 1000)), ParseOutcome::kOk);
  std::string document;
  EXPECT_FALSE(ExtractParagraphs(parser.document(), 1000, &document));
  EXPECT_LT(document.size(), 1100U);
}

TEST(ExtractPlainParagraphs, ArePartedByEmptyLines) {
  std::string document;
  EXPECT_EQ(ExtractPlainParagraphs("a\nb\r\n \t\r\n\n\nc\x02\n", 1000, &document), 2);
  EXPECT_EQ(document,
            "\x1c"
            "a\nb\n\n\x1c"
            "c");
  EXPECT_FALSE(ExtractPlainParagraphs(Repeat("text\n\n", 1000), 1000, &document));
}

TEST(DeclaredLanguage, IsThatOfTheRoot) {
  HtmlParser parser{PageLimits{}};
  parser.Parse("<html lang=ja-JP><p lang=en>");
  EXPECT_EQ(DeclaredLanguage(parser.document()), "ja-JP");
  parser.Parse("<html xml:lang=ja><p>");
  EXPECT_EQ(DeclaredLanguage(parser.document()), "ja");
  parser.Parse("<p lang=en>");
  EXPECT_EQ(DeclaredLanguage(parser.document()), "");
}

// --- what a page may cost ---

PageLimits Small() { return {.max_depth = 50, .max_attributes = 10, .max_nodes = 1000}; }

TEST(HtmlParser, CapsEndAParseAndTheNextPageIsFine) {
  HtmlParser parser(Small());
  std::string formatting;
  for (int i = 0; i < 45; ++i) formatting += "<b a=" + std::to_string(i) + ">";
  const std::vector<std::pair<std::string, ParseOutcome>> cases = {
      {Repeat("<div>", 60), ParseOutcome::kTooDeep},
      {"<p a b c d e f g h i j k>", ParseOutcome::kTooManyAttributes},
      {Repeat("<p>x", 600), ParseOutcome::kTooManyNodes},
      {Repeat("<p a b c d e>", 300), ParseOutcome::kTooManyNodes},
      {"<p>" + formatting + Repeat("<p>x", 30), ParseOutcome::kTooManyNodes},
      {"<p " + Repeat("a ", 200'000), ParseOutcome::kTooManyNodes}};
  for (const auto& [page, outcome] : cases) {
    EXPECT_EQ(parser.Parse(page), outcome) << page.substr(0, 40);
    ASSERT_EQ(parser.Parse("<p class=x>fine"), ParseOutcome::kOk);
    std::string document;
    ExtractParagraphs(parser.document(), 1000, &document);
    EXPECT_EQ(document,
              "body>p.x\x1c"
              "fine");
  }
}

}  // namespace
}  // namespace uzushio
