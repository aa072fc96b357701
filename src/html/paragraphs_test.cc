#include "html/paragraphs.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "base/test_support.h"
#include "document/markup.h"
#include "html/html_parser.h"

namespace uzushio {
namespace {

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
  EXPECT_EQ(paragraphs[0], "body" + Repeat(">div", 255) + "|deep");
}

TEST(ExtractParagraphs, LongPathsAreCutAtASegment) {
  const std::string name(100, 'x');
  const auto paragraphs = Paragraphs(Repeat("<div class=" + name + ">", 40) + "<p>deep");
  ASSERT_EQ(paragraphs.size(), 1U);
  const size_t segment = std::string(">div.").size() + name.size();
  EXPECT_EQ(paragraphs[0], "body" + Repeat(">div." + name, (2048 - 4) / segment) + "|deep");
}

// A name of `bytes` bytes more than fit at the end of the path; what is below would fit.
TEST(ExtractParagraphs, PathsAreCutAboveTheirMost) {
  const std::string blocks = Repeat("<div class=" + std::string(194, 'x') + ">", 10);
  const std::string path = "body" + Repeat(">div." + std::string(194, 'x'), 10);
  const size_t left = 2048 - path.size() - std::string(">div.").size();
  for (size_t more = 0; more < 2; ++more) {
    const std::string name(left + more, 'y');
    EXPECT_EQ(Paragraphs(blocks + "<div class=" + name + ">a<p>b"),
              more == 0 ? (List{path + ">div." + name + "|a", path + ">div." + name + "|b"})
                        : (List{path + "|a", path + "|b"}));
  }
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
  // What is of the size is taken, with and without an element behind it, and behind what was there.
  for (const char* page : {"<p>text", "<p>text</p><hr>", "<p>te<br>xt"}) {
    ASSERT_EQ(parser.Parse(page), ParseOutcome::kOk);
    document = "before";
    ASSERT_EQ(ExtractParagraphs(parser.document(), 1000, &document), 1);
    const size_t size = document.size() - 6;
    document = "before";
    EXPECT_EQ(ExtractParagraphs(parser.document(), size, &document), 1) << page;
    document = "before";
    EXPECT_FALSE(ExtractParagraphs(parser.document(), size - 1, &document)) << page;
  }
}

TEST(ExtractPlainParagraphs, ArePartedByEmptyLines) {
  std::string document;
  EXPECT_EQ(ExtractPlainParagraphs("a\nb\r\n \t\r\n\n\nc\x02\n", 1000, &document), 2);
  EXPECT_EQ(document,
            "\x1c"
            "a\nb\n\n\x1c"
            "c");
  document.clear();
  EXPECT_FALSE(ExtractPlainParagraphs(Repeat("text\n\n", 1000), 1000, &document));
  EXPECT_LT(document.size(), 1100U);
  for (const size_t limit : {6, 5}) {
    document = "before";
    EXPECT_EQ(ExtractPlainParagraphs("a\nb\n", limit, &document).has_value(), limit == 6);
  }
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

TEST(ExtractParagraphs, TextOutsideOfBlocks) {
  EXPECT_EQ(Paragraphs("just text"), List{"body|just text"});
  EXPECT_EQ(Paragraphs("<span>a</span> <b>b</b><i>c</i>"), List{"body|a bc"});
  EXPECT_EQ(Paragraphs("<body class=c id=i>a"), List{"body.c#i|a"});
  EXPECT_EQ(Paragraphs("<p class id>a"), List{"body>p|a"});
  EXPECT_EQ(Paragraphs("<p>a<x-y>b</x-y>c<!-- no -->d"), List{"body>p|abcd"});
  EXPECT_EQ(Paragraphs("<x-y>a<p>b</p></x-y>c"), (List{"body|a", "body>x-y>p|b", "body|c"}));
}

TEST(ExtractParagraphs, LineBreaks) {
  EXPECT_EQ(Paragraphs("<p>a<br>b<br/><br> c"), List{"body>p|a\nb\nc"});
  EXPECT_EQ(Paragraphs("<p>a\nb\r\nc"), List{"body>p|a\nb\nc"});
  EXPECT_EQ(Paragraphs("<p><br><br>"), List{});
}

TEST(ExtractParagraphs, ItemsEndLinesAndCellsArePartedBySpaces) {
  EXPECT_EQ(Paragraphs("<ul><li>a<li>b<ul><li>c</ul></ul>"), (List{"body>ul|a\nb", "body>ul>li>ul|c"}));
  EXPECT_EQ(Paragraphs("<dl><dt>a<dd>b<dt>c<dd>d</dl>"), List{"body>dl|a\nb\nc\nd"});
  EXPECT_EQ(Paragraphs("<table><caption>t</caption><tr><th>a<td>b<tr><td>c<td>d</table>"),
            (List{"body>table>caption|t", "body>table|a b\nc d"}));
}

TEST(ExtractParagraphs, WhatIsNeverShownIsNoText) {
  EXPECT_EQ(Paragraphs("<p>a<script>no</script><style>no</style><template>no</template><iframe>no</iframe>"
                       "<noembed>no</noembed><noframes>no</noframes><!-- no --><canvas>no</canvas>b"),
            List{"body>p|ab"});
  EXPECT_EQ(Paragraphs("<p><svg><style>no</style><script>no</script></svg>a"), List{"body>p|a"});
}

TEST(ExtractParagraphs, BlocksOfForms) {
  EXPECT_EQ(Paragraphs("<div>a<textarea>b <p>c</textarea>d</div>"),
            (List{"body>div|a", "body>div>textarea|b <p>c", "body>div|d"}));
  EXPECT_EQ(Paragraphs("<div>a<noscript><p>b</p></noscript>c</div>"),
            (List{"body>div|a", "body>div>noscript>p|b", "body>div|c"}));
}

TEST(ExtractParagraphs, LinksAreMarked) {
  EXPECT_EQ(Paragraphs("<p>a <a href=x> b </a> c"), List{"body>p|a \x02"
                                                         "b\x03 c"});
  EXPECT_EQ(Paragraphs("<p>a<a href=x><img src=y></a>b"), List{"body>p|ab"});
  EXPECT_EQ(Paragraphs("<a href=x>a<div>b</div>c</a>"), (List{"body|\x02"
                                                              "a\x03",
                                                              "body>a>div|\x02"
                                                              "b\x03",
                                                              "body|\x02"
                                                              "c\x03"}));
  EXPECT_EQ(Paragraphs("<p><a href=x>a<br>b</a>c"), List{"body>p|\x02"
                                                         "a b\x03"
                                                         "c"});
}

TEST(ExtractParagraphs, PagesCannotForgeMarkup) {
  EXPECT_EQ(Paragraphs("<p>a\x02"
                       "b\x03"
                       "c\x1c"
                       "d"),
            List{"body>p|a b c d"});
  EXPECT_EQ(Paragraphs("<p>a&#2;b&#3;c&#28;d&#x1c;e"), List{"body>p|a b c d e"});
  EXPECT_EQ(Paragraphs("<p class='a\x02\x1c"
                       "b&#28;c' id='d&#10;&#10;e>f'>x"),
            List{"body>p.abc#de\\>f|x"});
  EXPECT_EQ(Paragraphs("<p>a\n\n\nb&#10;&#10;c"), List{"body>p|a\nb\nc"});
}

// Attributes and texts of odd parts and lengths: the document stays UTF-8, its paragraphs stay apart.
TEST(ExtractParagraphs, AnyPageGivesADocumentOfTheGrammar) {
  const auto piece = [](std::vector<std::string> parts) {
    return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::move(parts))),
                        [](const std::vector<std::string>& chosen) {
                          std::string text;
                          for (const std::string& part : chosen) text += part;
                          return text;
                        });
  };
  EXPECT_TRUE(rc::check([&] {
    std::string page;
    const auto blocks = *rc::gen::inRange(0, 6);
    for (int i = 0; i < blocks; ++i) {
      const auto filler = *rc::gen::inRange<size_t>(0, 300);
      page += "<" + *rc::gen::elementOf(List{"p", "div", "a", "li", "td", "table", "b", "svg", "x-日本"}) + " class='" +
              std::string(filler, *rc::gen::elementOf(std::vector<char>{' ', 'x', '\x01', '.'})) +
              *piece({"あ", " ", "é", ".", "\x7f"}) + "' id='" + *piece({"い", "#", "\\", "&#10;"}) + "'>";
      page += *piece({"text", "う", " ", "　", "\n", "<br>", "</p>", "</div>", "</a>", "&#2;", "\x1c", "</table>"});
    }
    for (const std::string& paragraph : Paragraphs(page)) {
      const size_t bar = paragraph.find('|');
      RC_ASSERT(IsUtf8(paragraph));
      RC_ASSERT(paragraph.find('\x1c') == std::string::npos);
      RC_ASSERT(paragraph.find("\n\n") == std::string::npos);
      RC_ASSERT(paragraph.find_first_of(" \n\x02\x03") > bar);
    }
  }));
}

TEST(ExtractPlainParagraphs, HasNoPathsAndKeepsLines) {
  std::string document;
  EXPECT_EQ(ExtractPlainParagraphs("", 1000, &document), 0);
  EXPECT_EQ(ExtractPlainParagraphs("\n\n \n", 1000, &document), 0);
  EXPECT_EQ(document, "");
  EXPECT_EQ(ExtractPlainParagraphs("<p>a &amp; b\r\n  c", 1000, &document), 1);
  EXPECT_EQ(document, "\x1c<p>a &amp; b\nc");
  document.clear();
  EXPECT_EQ(ExtractPlainParagraphs("　a　\n　b　", 1000, &document), 1);
  EXPECT_EQ(document,
            "\x1c"
            "a\nb");
}

// --- what a page may cost ---

PageLimits Small() { return {.max_depth = 50, .max_attributes = 10, .max_tree_bytes = size_t{64} << 10}; }

TEST(HtmlParser, CapsEndAParseAndTheNextPageIsFine) {
  HtmlParser parser(Small());
  std::string formatting;
  for (int i = 0; i < 45; ++i) formatting += "<b a=" + std::to_string(i) + ">";
  const std::vector<std::pair<std::string, ParseOutcome>> cases = {
      {Repeat("<div>", 60), ParseOutcome::kTooDeep},
      {"<p a b c d e f g h i j k>", ParseOutcome::kTooManyAttributes},
      {Repeat("<p>x", 600), ParseOutcome::kTreeTooLarge},
      {Repeat("<p a b c d e>", 300), ParseOutcome::kTreeTooLarge},
      {"<p>" + formatting + Repeat("<p>x", 30), ParseOutcome::kTreeTooLarge},
      {"<p " + Repeat("a ", 200'000), ParseOutcome::kTooManyAttributes}};
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
