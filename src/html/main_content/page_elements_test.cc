#include "html/main_content/page_elements.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>
#include <string>
#include <vector>

#include "base/test_support.h"
#include "html/main_content/element_kind.h"
#include "html/main_content/hash.h"
#include "html/main_content/test_page.h"

namespace uzushio {
namespace {

struct Measured {
  explicit Measured(const std::string& html, const TokenScores& tokens = {}) : page(html) {
    sums.Begin(page.outline.paragraphs.size());
    for (size_t i = 0; i < page.outline.paragraphs.size(); ++i) sums.Add(MeasureText(page.TextOf(i)));
    elements.Measure(page.outline, sums, tokens);
  }
  const ElementFacts& Of(std::string_view text) const { return elements[page.ElementOf(text)]; }
  lxb_tag_id_t TagOf(uint32_t element) const { return page.outline.elements[element].node->local_name; }

  TestPage page;
  ParagraphSums sums;
  PageElements elements;
};

const std::string kSentence = "These are enough words in a row to make a sentence of prose.";

TEST(PageElements, FlagsAreOfAllAbove) {
  const Measured m("<main><nav hidden><p>a</p></nav><p>b</p></main><p>c");
  EXPECT_EQ(m.Of("a").flags, uint32_t{kMain} | uint32_t{kNav} | uint32_t{kHidden} | uint32_t{kParagraph});
  EXPECT_EQ(m.Of("b").flags, uint32_t{kMain} | uint32_t{kParagraph});
  EXPECT_EQ(m.Of("c").flags, uint32_t{kParagraph});
}

// Whatever classes were before, more of them than are kept known.
TEST(PageElements, ClassesThatRepeatScoreAsTheirTokens) {
  const auto name = [](int i) { return std::string{static_cast<char>('a' + i % 26), static_cast<char>('a' + i / 26)}; };
  constexpr int kNames = 600;
  std::vector<TokenScores::Entry> entries;
  for (int i = 0; i < kNames; i += 2) entries.push_back({HashText(name(i)), i % 7 - 3});
  const TokenScores tokens(entries);
  EXPECT_TRUE(rc::check([&] {
    const int names = *rc::gen::inRange(1, kNames);
    std::string html;
    for (const int i : *rc::gen::container<std::vector<int>>(1000, rc::gen::inRange(0, names))) {
      html += "<p class='" + name(i) + (i % 3 == 0 ? " " + name(i / 2) : "") + (i % 5 == 0 ? "' id=bb>x" : "'>x");
    }
    const Measured m(html, tokens);
    for (uint32_t i = 0; i < m.page.outline.elements.size(); ++i) {
      TokenRange scores(tokens);
      VisitTokens(m.page.outline.elements[i].node, &scores);
      RC_ASSERT(m.elements[i].own_least == (scores.any() ? scores.least : 0));
      RC_ASSERT(m.elements[i].own_most == (scores.any() ? scores.most : 0));
    }
  }));
}

TEST(PageElements, UpIsWhatHoldsMore) {
  const Measured m("<div><section><b><p>a</p></b></section><p>b</p></div><i>c</i>");
  const uint32_t up = m.Of("a").up;
  EXPECT_EQ(m.TagOf(up), static_cast<lxb_tag_id_t>(LXB_TAG_DIV));
  EXPECT_EQ(m.Of("b").up, up);
  EXPECT_EQ(m.TagOf(m.elements[up].up), static_cast<lxb_tag_id_t>(LXB_TAG_BODY));
  EXPECT_EQ(m.elements[0].up, PageOutline::kNone);
  EXPECT_EQ(Measured("<div><p>a").Of("a").up, PageOutline::kNone);
}

TEST(PageElements, RunsAreSiblingsOfAShape) {
  const Measured m(
      "<p class=x>a1<p class=x>a2<p>b1<p class=x>c1<div><p class=x>d1</div><div><p class=x>e1</div><div>f1</div>"
      "<span><p class=x>g1</span>");
  for (const char* text : {"a1", "a2"}) EXPECT_EQ(m.Of(text).run, 2U);
  for (const char* text : {"b1", "c1", "d1", "e1"}) EXPECT_EQ(m.Of(text).run, 1U) << text;
  for (const char* text : {"d1", "e1", "f1"}) EXPECT_EQ(m.Of(text).best_run, 3U) << text;
  EXPECT_EQ(m.Of("a1").best_run, 2U);
  EXPECT_EQ(m.Of("g1").best_run, 1U);
  EXPECT_EQ(m.elements[0].run, 1U);
}

TEST(PageElements, ShapesAreTagsAndClassesFromTheRoot) {
  const Measured m("<div><p class=x>a1<p class=x id=i>a2<p class=y>b1<h2 class=x>c1</h2></div><p class=x>d1<p>e1");
  EXPECT_EQ(m.Of("a1").shape, m.Of("a2").shape);
  std::set<uint32_t> shapes;
  for (const char* text : {"a1", "b1", "c1", "d1", "e1"}) shapes.insert(m.Of(text).shape);
  EXPECT_EQ(shapes.size(), 5U);
}

// lexbor numbers tags that it does not know by where it keeps their names.
TEST(PageElements, UnknownTagsHaveShapesByTheirNames) {
  const auto shapes_of = [](int first, int last) {
    std::string html;
    for (int i = first; i < last; ++i)
      html += "<x-" + std::to_string(i) + ">" + std::to_string(i) + "<hr></x-" + std::to_string(i) + ">";
    const Measured m(html);
    std::vector<uint32_t> shapes;
    for (int i = first; i < last; ++i) shapes.push_back(m.Of(std::to_string(i)).shape);
    return shapes;
  };
  const std::vector<uint32_t> shapes = shapes_of(0, 600);
  EXPECT_EQ(std::set<uint32_t>(shapes.begin(), shapes.end()).size(), 600U);
  EXPECT_EQ(std::vector<uint32_t>(shapes.begin() + 555, shapes.end()), shapes_of(555, 600));
}

TEST(PageElements, ScoresOfTokens) {
  const std::vector<TokenScores::Entry> entries = {
      {HashText("good"), 30}, {HashText("fine"), 10}, {HashText("bad"), -20}};
  const Measured m("<div class='good bad'><section><p class=fine>a</p></section><p>b</p></div><p class=unknown>c",
                   TokenScores(entries));
  const ElementFacts& a = m.Of("a");
  EXPECT_EQ(a.own_least, 10);
  EXPECT_EQ(a.own_most, 10);
  EXPECT_EQ(a.nearest, 20);
  EXPECT_EQ(a.least, -20);
  EXPECT_EQ(a.most, 30);
  EXPECT_EQ(a.sum, 30);
  const ElementFacts& b = m.Of("b");
  EXPECT_EQ(b.own_least, 0);
  EXPECT_EQ(b.own_most, 0);
  EXPECT_EQ(b.nearest, 10);
  EXPECT_EQ(b.sum, 10);
  EXPECT_EQ(m.Of("c").sum, 0);
  EXPECT_EQ(m.Of("c").least, 0);
}

TEST(PageElements, TheCoreHasHalfOfTheProse) {
  const std::string p = "<p>" + kSentence;
  const Measured m("<nav><p>" + Repeat("link ", 500) + "</nav><main><article>" + Repeat(p, 6) + "</article>" + p +
                   "</main>" + "<footer>" + p + "</footer>");
  EXPECT_EQ(m.TagOf(m.elements.core()), static_cast<lxb_tag_id_t>(LXB_TAG_ARTICLE));
  EXPECT_EQ(m.TagOf(m.elements.wide_core()), static_cast<lxb_tag_id_t>(LXB_TAG_MAIN));
  const PageOutline& outline = m.page.outline;
  EXPECT_EQ(m.elements[outline.paragraphs[0].element].core_depth, 0);
  EXPECT_EQ(m.elements[outline.paragraphs[1].element].core_depth, 2);
  EXPECT_EQ(m.elements[outline.paragraphs[7].element].core_depth, 1);
}

TEST(PageElements, WithoutProseTheCoreIsByWidth) {
  const Measured m("<nav><p>a</nav><div><p>" + Repeat("link ", 50) + "</div>");
  EXPECT_EQ(m.TagOf(m.elements.core()), static_cast<lxb_tag_id_t>(LXB_TAG_P));
  EXPECT_EQ(m.page.outline.elements[m.elements.core()].first_paragraph, 1U);
}

std::string AnyElements() {
  const auto piece = rc::gen::elementOf(std::vector<std::string>{
      "<div>", "<div class=a>", "</div>",  "<p>",    "<p class=b>", "</p>",     "<li>",  "<b>", "</b>",
      "<x-y>", "</x-y>",        "<nav>",   "</nav>", "<table><td>", "</table>", "text ", "。",  "<a href=x>link</a>",
      "<hr>",  "<img>",         "<input>", kSentence});
  std::string html;
  for (const std::string& part : *rc::gen::container<std::vector<std::string>>(piece)) html += part;
  return html;
}

TEST(PageElements, AgreesWithTheDefinitions) {
  EXPECT_TRUE(rc::check([] {
    const Measured m("start" + AnyElements());
    const std::vector<PageOutline::Element>& all = m.page.outline.elements;
    const auto inside = [&](uint32_t i) { return m.sums.Between(all[i].first_paragraph, all[i].end_paragraph); };
    const bool by_prose = m.sums.All().prose > 0;
    const auto amount = [&](uint32_t i) { return by_prose ? inside(i).prose : inside(i).width; };
    const auto above = [&](uint32_t i, uint32_t which) {
      while (i != PageOutline::kNone && i != which) i = all[i].parent;
      return i == which;
    };
    RC_ASSERT(2 * amount(m.elements.core()) >= amount(0));
    RC_ASSERT(5 * amount(m.elements.wide_core()) >= 4 * amount(0));
    for (uint32_t i = 0; i < all.size(); ++i) {
      const ElementFacts& facts = m.elements[i];
      if (all[i].parent == m.elements.core()) RC_ASSERT(2 * amount(i) < amount(0));
      if (all[i].parent == m.elements.wide_core()) RC_ASSERT(5 * amount(i) < 4 * amount(0));
      uint32_t up = all[i].parent;
      while (up != PageOutline::kNone && inside(up).paragraphs == inside(i).paragraphs) up = all[up].parent;
      RC_ASSERT(facts.up == up);
      uint32_t shared = i;
      while (!above(m.elements.core(), shared)) shared = all[shared].parent;
      RC_ASSERT(facts.core_depth == static_cast<int32_t>(all[shared].depth));
      RC_ASSERT(facts.run >= 1U && facts.best_run >= facts.run);
      if (all[i].parent == PageOutline::kNone) continue;
      RC_ASSERT((facts.flags & m.elements[all[i].parent].flags) == m.elements[all[i].parent].flags);
      RC_ASSERT(facts.best_run == std::max(facts.run, m.elements[all[i].parent].best_run));
    }
  }));
}

}  // namespace
}  // namespace uzushio
