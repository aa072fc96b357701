#include "html/main_content/page_links.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "html/main_content/hash.h"
#include "html/main_content/test_page.h"
#include "html/shown_text.h"

namespace uzushio {
namespace {

struct Linked {
  explicit Linked(const std::string& html, const TokenScores& tokens = {}) : page(html) {
    links.Measure(page.outline, page.url, tokens);
  }
  LinkSums Of(std::string_view text) const {
    const size_t i = page.ParagraphOf(text);
    return links.Between(i, i + 1);
  }

  TestPage page;
  PageLinks links;
};

TEST(PageLinks, AreOfTheParagraphThatTheyEndIn) {
  const Linked m(
      "<p>none<p>two <a href=/a>a</a> and <a href=/b>b</a><p><a href=/c>at its start</a> and more</p>"
      "<a href=/d><div>over</div><div>two</div></a>");
  EXPECT_EQ(m.Of("none").links, 0);
  EXPECT_EQ(m.Of("two \2a\3 and \2b\3").links, 2);
  EXPECT_EQ(m.Of("\2at its start\3 and more").links, 1);
  EXPECT_EQ(m.Of("\2over\3").links, 0);
  EXPECT_EQ(m.Of("\2two\3").links, 1);
  EXPECT_EQ(m.links.Between(0, 5).links, 4);
}

TEST(PageLinks, ThoseWithoutTextAreNone) {
  const Linked m("<p>a<p><a href=/x><img></a><a href=/y> </a><p>b");
  EXPECT_EQ(m.links.Between(0, 2).links, 0);
}

TEST(PageLinks, LineBreaksAreNoText) {
  const Linked m("<p>a<br><a href=/x><div><img></div></a><p>b");
  EXPECT_EQ(m.links.Between(0, 2).links, 0);
}

TEST(PageLinks, InLinksAreAPartOfThem) {
  const Linked m("<p><a href=/x>a<object><a href=/y></a></object></a>");
  EXPECT_EQ(m.links.Between(0, 1).links, 1);
  EXPECT_EQ(m.page.outline.links.at(0).node->local_name, static_cast<lxb_tag_id_t>(LXB_TAG_A));
}

TEST(PageLinks, LeadSomewhere) {
  const Linked m("<p><a href=#a>a</a><p><a href=/b>b</a><p><a href=//example.com/>c</a><p><a>d</a>");
  EXPECT_EQ(m.Of("\2a\3").inner, 1);
  EXPECT_EQ(m.Of("\2b\3").inner + m.Of("\2b\3").outer, 0);
  EXPECT_EQ(m.Of("\2c\3").outer, 1);
  EXPECT_EQ(m.Of("\2d\3").links, 1);
}

TEST(PageLinks, HaveScores) {
  const uint32_t tag = HashText("tag", HashText("href folder "));
  const uint32_t author = HashText("author", HashText("link rel "));
  const std::vector<TokenScores::Entry> entries = {{tag, -32}, {author, 16}};
  const Linked m("<p><a href=/tag/x>a</a> <a rel=author href=/x>b</a><p><a rel=author href=/tag/x>c</a><p>d",
                 TokenScores(entries));
  EXPECT_EQ(m.links.Least(0), -32);
  EXPECT_EQ(m.links.Most(0), 16);
  EXPECT_EQ(m.links.Between(0, 1).score, -64 + 32);
  EXPECT_EQ(m.links.Between(1, 2).score, -16);
  EXPECT_EQ(m.links.Least(2), 0);
}

// A row begins a table's paragraph when it ends.
TEST(PageLinks, OfShownTables) {
  HtmlParser parser{{.max_bytes = size_t{64} << 20, .max_depth = 4096, .max_tree_bytes = size_t{1} << 30}};
  ASSERT_EQ(parser.Parse("<p>a<table><tr><th>b<th><a href=/x>c</a><tr><td>d<td><a href=/x>e</a></table><p>f"),
            ParseOutcome::kOk);
  std::string text;
  PageOutline outline;
  ASSERT_TRUE(ExtractShownParagraphs(parser.document(), RubyForm::kBase, size_t{1} << 20, &text, &outline));
  ASSERT_EQ(outline.paragraphs.size(), 3U);
  ASSERT_EQ(outline.links.size(), 2U);
  for (const PageOutline::Link& link : outline.links) EXPECT_EQ(link.paragraph, 1U);
}

}  // namespace
}  // namespace uzushio
