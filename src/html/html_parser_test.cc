#include "html/html_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/test_support.h"
#include "html/paragraphs.h"

namespace uzushio {
namespace {

std::string DocumentOf(HtmlParser* parser, const std::string& page) {
  EXPECT_EQ(parser->Parse(page), ParseOutcome::kOk);
  std::string document;
  EXPECT_TRUE(ExtractParagraphs(parser->document(), size_t{16} << 20, &document));
  return document;
}

TEST(HtmlParser, PagesDoNotLeakIntoTheNext) {
  HtmlParser parser{PageLimits{}};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(DocumentOf(&parser, "<html lang=ja><p class=a><b>one<table><tr><td>"),
              "body>p.a\x1c"
              "one");
    EXPECT_EQ(DocumentOf(&parser, "<textarea>not closed <p>"), "body>textarea\x1cnot closed <p>");
    EXPECT_EQ(DocumentOf(&parser, "<!-- not closed"), "");
    EXPECT_EQ(DocumentOf(&parser, "<p title=\"not closed"), "");
    EXPECT_EQ(DocumentOf(&parser, "<script>not closed"), "");
    EXPECT_EQ(DocumentOf(&parser, ""), "");
    EXPECT_EQ(DocumentOf(&parser, "two"),
              "body\x1c"
              "two");
    EXPECT_EQ(DeclaredLanguage(parser.document()), "");
  }
}

TEST(HtmlParser, ScriptingIsOff) {
  HtmlParser parser{PageLimits{}};
  EXPECT_EQ(DocumentOf(&parser, "<div><noscript><p>a</p></noscript>"),
            "body>div>noscript>p\x1c"
            "a");
}

// Pages of common sizes pass the caps; those just inside pass too.
TEST(HtmlParser, CapsAreNotBelowTheirNumbers) {
  HtmlParser parser({.max_depth = 50, .max_attributes = 10, .max_nodes = 1000});
  EXPECT_EQ(parser.Parse(Repeat("<div>", 48)), ParseOutcome::kOk);
  EXPECT_EQ(parser.Parse(Repeat("<div>", 50)), ParseOutcome::kTooDeep);
  EXPECT_EQ(parser.Parse("<p a b c d e f g h i j>"), ParseOutcome::kOk);
  EXPECT_EQ(parser.Parse("<p a b c d e f g h i j k>"), ParseOutcome::kTooManyAttributes);
  EXPECT_EQ(parser.Parse(Repeat("<hr>", 900)), ParseOutcome::kOk);
  EXPECT_EQ(parser.Parse(Repeat("<hr>", 1001)), ParseOutcome::kTooManyNodes);
  HtmlParser large{PageLimits{}};
  EXPECT_EQ(large.Parse(Repeat("<p class=a>text <a href=b>link</a></p>\n", 20'000)), ParseOutcome::kOk);
}

// Markup whose tree or cost grows faster than its bytes. The number of nodes bounds the cost of each.
TEST(HtmlParser, PagesThatAreMadeToBeSlowAreGivenUp) {
  HtmlParser parser{PageLimits{}};
  std::string formatting;
  for (int i = 0; i < 900; ++i) formatting += "<b a=" + std::to_string(i) + ">";
  std::string attributes = "<p";
  for (int i = 0; i < 100'000; ++i) attributes += " a" + std::to_string(i) + "=b";
  const std::vector<std::string> pages = {
      Repeat("<div>", 1'000'000),
      Repeat("<p><b><i><u><s>", 100'000),
      "<p>" + formatting + Repeat("<p>x", 100'000),
      attributes + ">",
      attributes,
      Repeat("<a><table>", 100'000),
      Repeat("<table><tr><td>", 100'000),
      Repeat("<svg><g>", 100'000),
      Repeat("<button><p>", 100'000),
      "<table>" + Repeat("<b>x", 300'000),
      Repeat("<!---->", 300'000),
  };
  for (const std::string& page : pages) {
    EXPECT_NE(parser.Parse(page), ParseOutcome::kOk) << page.substr(0, 40);
    EXPECT_EQ(DocumentOf(&parser, "<p>fine"),
              "body>p\x1c"
              "fine");
  }
}

TEST(HtmlParser, OneLargeTextIsNoManyNodes) {
  HtmlParser parser{PageLimits{}};
  const std::string text(size_t{4} << 20, 'x');
  EXPECT_TRUE(DocumentOf(&parser, "<p>" + text) == "body>p\x1c" + text);
}

}  // namespace
}  // namespace uzushio
