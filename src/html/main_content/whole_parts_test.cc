#include "html/main_content/whole_parts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/test_support.h"
#include "document/markup.h"
#include "html/html_parser.h"
#include "html/shown_text.h"

namespace uzushio {
namespace {

// The texts that are kept of a page, whose paragraphs are content where they begin with `+`, and hardly are with `-`.
std::string Kept(const std::string& html) {
  HtmlParser parser{PageLimits()};
  EXPECT_EQ(parser.Parse(html), ParseOutcome::kOk);
  std::string text;
  PageOutline outline;
  EXPECT_TRUE(ExtractShownParagraphs(parser.document(), RubyForm::kBase, size_t{64} << 20, &text, &outline));
  const PageForContent page = {parser.document(), "", text, &outline};
  std::vector<ContentMark> marks;
  for (size_t i = 0; i < outline.paragraphs.size(); ++i) {
    const bool is_content = page.TextOf(i).starts_with('+');
    const bool is_hardly = page.TextOf(i).starts_with('-');
    marks.push_back({is_content ? 0.9F : is_hardly ? 0.05F : 0.4F, is_content});
  }
  KeepPartsWhole(page, &marks);
  std::string kept;
  for (size_t i = 0; i < marks.size(); ++i) {
    EXPECT_EQ(marks[i].content, marks[i].score >= 0.5F);
    if (marks[i].content) (kept += page.TextOf(i)) += ' ';
  }
  return kept;
}

TEST(KeepPartsWhole, TermsGoWithTheirDescriptions) {
  EXPECT_EQ(Kept("<dl><dt>a<dd>+b<dt>c<dd>d<dt>+e<dd>f<dt>+g</dl>"), "a +b +g ");
  EXPECT_EQ(Kept("<dl><dt>a<dt>b<dd>c<dd>+d<dt>e<dd><p>f<p>+g</dl>"), "a b +d e +g ");
  EXPECT_EQ(Kept("<dl><dt>a<dd>+b</dl><dl><dt>+c<dd>d</dl>"), "a +b ");
  EXPECT_EQ(Kept("<dl><dt>a</dl><p>+b"), "+b ");
}

TEST(KeepPartsWhole, ListsStandInDescriptions) {
  EXPECT_EQ(Kept("<dl><dt>a<dd>b<dl><dt>c<dd>+d<dt>e<dd>f</dl>g<dt>h<dd>i</dl>"), "a c +d ");
  EXPECT_EQ(Kept("<dl><dt>a<dd><ul><li>b<li>+c</ul></dl>"), "a +c ");
}

TEST(KeepPartsWhole, HeadingsGoWithAllBelow) {
  const std::string long_text = "<p>+" + Repeat("x", 200);
  EXPECT_EQ(Kept(long_text + "<h2>+a</h2><p>b<h3>+c</h3><p>d<h2>+e</h2><p>+f").substr(202), "+e +f ");
  EXPECT_EQ(Kept(long_text + "<h2>+a</h2><h3>+b</h3><p>+c<h2>+d</h2>").substr(202), "+a +b +c +d ");
  EXPECT_EQ(Kept(long_text + "<h1>+a</h1><p>b<h1>+c</h1>").substr(202), "+c ");
}

TEST(KeepPartsWhole, HeadingsInsideContentAreContent) {
  EXPECT_EQ(Kept("<p>+a<h2>b</h2><h3>c</h3><p>+d<h2>e</h2><p>f<h2>g</h2><p>+h"), "+a b c +d +h ");
  EXPECT_EQ(Kept("<h1>a</h1><p>+b<h2>c</h2>"), "+b ");
}

TEST(KeepPartsWhole, ListsOfHeadingsInsideContentAreNone) {
  EXPECT_EQ(Kept("<p>+a<h3>b</h3><h3>c</h3><p>+d<h2>e</h2><h3>f</h3><h3>g</h3><p>+h"), "+a +d +h ");
  EXPECT_EQ(Kept("<p>+a<h2>-b</h2><p>+c"), "+a +c ");
}

// What a page of headlines is for.
TEST(KeepPartsWhole, ListsOfHeadingsStay) {
  EXPECT_EQ(Kept("<h2>+first</h2><p>b<h2>+second</h2><p>c"), "+first +second ");
}

TEST(KeepPartsWhole, CodeStaysBelowItsHeading) {
  EXPECT_EQ(Kept("<h2>+a</h2><pre>b</pre><p>c<h2>+d</h2><pre>e</pre><p>+f<h2>g</h2><pre>h</pre>"), "+a b +d +f ");
}

TEST(KeepPartsWhole, ManyPartsTakeLinearTime) {
  EXPECT_EQ(Kept(Repeat("<h1>+a</h1><h6>+b</h6><pre>c</pre><dl><dt>d<dd>e</dl>", 20'000)).size(), 20'000 * 8U);
}

}  // namespace
}  // namespace uzushio
