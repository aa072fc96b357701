#include "html/html_parser.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/test_support.h"
#include "html/paragraphs.h"
#include "html/read_names.h"

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
    // Those before are in quirks mode.
    EXPECT_EQ(DocumentOf(&parser, "<!DOCTYPE html><p>one<table><td>two"),
              "body>p\x1c"
              "one\n\n"
              "body>table\x1c"
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
  HtmlParser parser({.max_depth = 50, .max_attributes = 10, .max_tree_bytes = size_t{1} << 20});
  EXPECT_EQ(parser.Parse(Repeat("<div>", 48)), ParseOutcome::kOk);
  EXPECT_EQ(parser.Parse(Repeat("<div>", 50)), ParseOutcome::kTooDeep);
  EXPECT_EQ(parser.Parse("<p a b c d e f g h i j>"), ParseOutcome::kOk);
  EXPECT_EQ(parser.Parse("<p a b c d e f g h i j k>"), ParseOutcome::kTooManyAttributes);
  EXPECT_EQ(parser.Parse(Repeat("<hr>", 2000)), ParseOutcome::kOk);
  EXPECT_EQ(parser.Parse(Repeat("<hr>", 10'000)), ParseOutcome::kTreeTooLarge);
  HtmlParser large{PageLimits{}};
  EXPECT_EQ(large.Parse(Repeat("<p class=a>text <a href=b>link</a></p>\n", 20'000)), ParseOutcome::kOk);
}

// Markup whose tree or cost grows faster than its bytes. The tree's bytes bound the cost of each.
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
      Repeat("<a><table>", 300'000),
      Repeat("<table><tr><td>", 100'000),
      Repeat("<svg><g>", 100'000),
      Repeat("<button><p>", 300'000),
      "<table>" + Repeat("<b>x", 300'000),
      Repeat("<!---->", 500'000),
      Repeat("x</i a=b>", 500'000),
  };
  for (const std::string& page : pages) {
    EXPECT_NE(parser.Parse(page), ParseOutcome::kOk) << page.substr(0, 40);
    EXPECT_EQ(DocumentOf(&parser, "<p>fine"),
              "body>p\x1c"
              "fine");
  }
}

size_t TreeBytesOf(HtmlParser* parser, const std::string& page) {
  EXPECT_EQ(parser->Parse(page), ParseOutcome::kOk) << page.substr(0, 40);
  return parser->tree_bytes();
}

std::string Numbered(const std::string& before, int count, const std::string& after) {
  std::string text;
  for (int i = 0; i < count; ++i) text += before + std::to_string(i) + after;
  return text;
}

// The limit must not depend on which pages a thread had before.
TEST(HtmlParser, TheSamePageTakesTheSameBytes) {
  const std::vector<std::string> pages = {
      "<p>one",
      "<!--" + std::string(300'000, 'x') + "--><p>",
      "<p class=" + std::string(200'000, 'x') + ">",
      Repeat("<p class=a>text", 5000),
      Numbered("<p a", 300, "=b>"),
      Numbered("<x-", 300, ">"),
      "<p " + std::string(100'000, 'y') + ">",
      "<" + std::string(100'000, 'y') + ">",
      "x</i>" + std::string(300'000, 'x'),
  };
  std::vector<size_t> bytes;
  for (const std::string& page : pages) {
    HtmlParser parser{PageLimits{}};
    bytes.push_back(TreeBytesOf(&parser, page));
  }
  HtmlParser parser{PageLimits{}};
  for (size_t i = 0; i < pages.size(); ++i) {
    for (size_t j = 0; j < pages.size(); ++j) {
      EXPECT_EQ(TreeBytesOf(&parser, pages[i]), bytes[i]);
      EXPECT_EQ(TreeBytesOf(&parser, pages[j]), bytes[j]) << i << " " << j;
    }
  }
}

// The copies that are made of a formatting element for each paragraph behind it have none of what nothing reads.
TEST(HtmlParser, CopiesOfFormattingElementsAreSmall) {
  HtmlParser parser{PageLimits{}};
  const std::string paragraphs = Repeat("<p>あ", 1000);
  const size_t plain = TreeBytesOf(&parser, "<p><b>" + paragraphs);
  const std::string attributes = "<p><b" + Numbered(" a", 1000, "=b") + ">";
  EXPECT_LT(TreeBytesOf(&parser, attributes + paragraphs), plain + attributes.size() + size_t{1000} * 500);
  const std::string value = "<p><b title=" + std::string(900'000, 'x') + ">";
  EXPECT_LT(TreeBytesOf(&parser, value + paragraphs), plain + value.size() + size_t{1000} * 500);
  const std::string style = "<p><b style=" + std::string(900'000, 'x') + ">";
  EXPECT_LT(TreeBytesOf(&parser, style + paragraphs), plain + style.size() + size_t{1000} * 5000);
}

const lxb_dom_element_t* FirstElement(HtmlParser* parser, const char* tag) {
  lxb_dom_node_t* node = lxb_dom_interface_node(parser->document());
  for (lxb_dom_node_t* at = node; at != nullptr;) {
    size_t length = 0;
    if (at->type == LXB_DOM_NODE_TYPE_ELEMENT) {
      const auto* name = lxb_dom_element_local_name(lxb_dom_interface_element(at), &length);
      if (std::string(reinterpret_cast<const char*>(name), length) == tag) return lxb_dom_interface_element(at);
    }
    if (at->first_child != nullptr) {
      at = at->first_child;
      continue;
    }
    while (at != nullptr && at->next == nullptr) at = at->parent;
    if (at != nullptr) at = at->next;
  }
  return nullptr;
}

size_t AttributesOf(const lxb_dom_element_t* element) {
  size_t count = 0;
  for (const lxb_dom_attr_t* attribute = element->first_attr; attribute != nullptr; attribute = attribute->next)
    ++count;
  return count;
}

TEST(HtmlParser, AttributesThatNothingReadsAreLeftOut) {
  HtmlParser parser{PageLimits{}};
  for (const AttributeName& name : kReadNames) {
    ASSERT_EQ(parser.Parse("<p><font " + std::string(name.name) + "=x title=y>"), ParseOutcome::kOk);
    const bool is_of_formatting = name.use != AttributeUse::kOfSome;
    EXPECT_EQ(AttributesOf(FirstElement(&parser, "font")), is_of_formatting ? 2U : 1U) << name.name;  // with a digest
    ASSERT_EQ(parser.Parse("<p title=y " + std::string(name.name) + "=x>"), ParseOutcome::kOk);
    EXPECT_EQ(AttributesOf(FirstElement(&parser, "p")), name.use == AttributeUse::kOfFont ? 0U : 1U) << name.name;
  }
  ASSERT_EQ(parser.Parse("<p onclick=a class=b data-x=c id=d title=e lang=ja align=f>"), ParseOutcome::kOk);
  EXPECT_EQ(AttributesOf(FirstElement(&parser, "p")), 3U);
}

// Attributes of later tags are merged into the first html and body: one of each name that is read.
TEST(HtmlParser, RootsDoNotGrow) {
  HtmlParser parser{PageLimits{}};
  for (const int tags : {100, 200}) {
    std::string page;
    for (int i = 0; i < tags; ++i) {
      const std::string tag = " b" + std::to_string(i) + Numbered(" a", 100, "=b") + " class=c id=d>";
      page += "<html" + tag + "<body" + tag;
    }
    ASSERT_EQ(parser.Parse(page), ParseOutcome::kOk);
    EXPECT_EQ(AttributesOf(FirstElement(&parser, "html")), 2U);
    EXPECT_EQ(AttributesOf(FirstElement(&parser, "body")), 2U);
  }
}

// How many comparisons of attributes it takes to find whether two formatting elements are equal (HTML, section
// 13.2.4.3): each of one with all of the other before the equal one, up to the first that has none.
size_t ComparisonsOf(const lxb_dom_element_t* first, const lxb_dom_element_t* second) {
  size_t count = 0;
  for (lxb_dom_attr_t* a = first->first_attr; a != nullptr; a = a->next) {
    lxb_dom_attr_t* b = second->first_attr;
    for (; b != nullptr; b = b->next) {
      ++count;
      if (lxb_dom_attr_compare(a, b)) break;
    }
    if (b == nullptr) break;
  }
  return count;
}

TEST(HtmlParser, FormattingElementsAreComparedAtOnce) {
  HtmlParser parser{PageLimits{}};
  for (const std::string& name : {std::string("a"), std::string("data-testid=x class")}) {
    const std::string attributes = Numbered(" " + name, 180, "=b") + " style=x rel=x hidden role=x itemprop=x";
    ASSERT_EQ(parser.Parse("<b" + attributes + " id=1><div><b" + attributes + " id=2></div>"), ParseOutcome::kOk);
    const auto* outer = FirstElement(&parser, "b");
    const auto* div = lxb_dom_interface_element(outer->node.first_child);
    const auto* inner = lxb_dom_interface_element(div->node.first_child);
    EXPECT_LE(AttributesOf(outer), 10U);
    EXPECT_LE(ComparisonsOf(outer, inner), AttributesOf(outer));
  }
}

// Three equal ones at most are opened again, and others than equal ones all: the digest tells them apart.
TEST(HtmlParser, WhatIsCutFromFormattingElementsTellsThemApart) {
  HtmlParser parser{PageLimits{}};
  const auto nested = [&parser](const std::string& tags) {
    EXPECT_EQ(parser.Parse("<p>" + tags + "x<p>y"), ParseOutcome::kOk);
    const lxb_dom_node_t* second = FirstElement(&parser, "p")->node.next;
    int depth = 0;
    for (const auto* node = second->first_child; node->type == LXB_DOM_NODE_TYPE_ELEMENT; node = node->first_child)
      ++depth;
    return depth;
  };
  EXPECT_EQ(nested(Repeat("<b title=a onclick=b>", 5)), 3);
  EXPECT_EQ(nested(Repeat("<b title=a onclick=b><b onclick=b title=a>", 3)), 3);
  EXPECT_EQ(nested(Numbered("<b title=", 5, ">")), 5);
  EXPECT_EQ(nested(Numbered("<font color=", 5, " face=x>")), 5);
  EXPECT_EQ(nested(Numbered("<b title=" + std::string(10'000, 'x'), 5, ">")), 5);
  EXPECT_EQ(nested(Numbered("<b class=" + std::string(10'000, 'x'), 5, ">")), 5);
  EXPECT_EQ(nested(Repeat("<b class=a>", 5) + Repeat("<b>", 5)), 6);
}

// What is made of a page grows with it: twice the page, no more than 2.2 times the bytes.
TEST(HtmlParser, TreesGrowWithThePage) {
  HtmlParser parser({.max_tree_bytes = size_t{1} << 30});
  const std::string attributes = Numbered(" a", 300, "=b");
  const std::vector<std::function<std::string(int)>> pages = {
      [](int n) { return Repeat("<p>x", static_cast<size_t>(n)); },
      [](int n) { return "<p>" + Numbered("<b class=", 40, ">") + Repeat("<p>x", static_cast<size_t>(n)); },
      [&](int n) { return "<p><b" + attributes + ">" + Repeat("<p>x", static_cast<size_t>(n)); },
      [&](int n) { return Repeat("<html" + attributes + ">", static_cast<size_t>(n) / 10); },
      [](int n) { return Numbered("<b id=", n, ">x</b>"); },
      [](int n) { return Numbered("<p a", n, ">"); },
      [](int n) { return Repeat("x</i>", static_cast<size_t>(n)); },
      [](int n) { return Repeat("<a href=x><table>x</table>", static_cast<size_t>(n)); },
      [](int n) { return "<table>" + Repeat("x<tr>", static_cast<size_t>(n)); },
      [](int n) { return std::string(static_cast<size_t>(n) * 10, '\0'); },
      [](int n) { return Repeat("<!---->", static_cast<size_t>(n)); },
      [](int n) { return "<svg>" + Repeat("<g viewbox=x></g>", static_cast<size_t>(n)); },
  };
  for (const auto& page : pages) {
    const size_t once = TreeBytesOf(&parser, page(2000));
    EXPECT_LE(TreeBytesOf(&parser, page(4000)), once * 22 / 10) << page(4000).substr(0, 40);
  }
}

// Names that lexbor has no numbers for are in lists, which are gone through.
TEST(HtmlParser, ManyNamesAreGivenUp) {
  HtmlParser parser({.max_tree_bytes = size_t{1} << 30});
  EXPECT_EQ(parser.Parse(Numbered("<p a", 10'000, ">")), ParseOutcome::kOk);
  EXPECT_EQ(parser.Parse(Numbered("<p a", 50'000, ">")), ParseOutcome::kTooManyAttributes);
  EXPECT_EQ(parser.Parse(Numbered("<x-", 50'000, "></p>")), ParseOutcome::kTooDeep);
  EXPECT_EQ(parser.Parse(Numbered("</x-", 50'000, ">")), ParseOutcome::kTooManyAttributes);
}

// What is wrong in a page is noted by the parser, 24 bytes for a byte.
TEST(HtmlParser, ErrorsAreForgotten) {
  HtmlParser parser{PageLimits{}};
  ASSERT_EQ(parser.Parse("<p>" + std::string(size_t{1} << 20, '\0') + Repeat("</x>", 100'000)), ParseOutcome::kOk);
  const auto* tokenizer = static_cast<lxb_html_parser_t*>(parser.document()->dom_document.parser)->tkz;
  EXPECT_LT(tokenizer->parse_errors->size, 100'000U);
}

TEST(HtmlParser, OneLargeTextIsNoManyNodes) {
  HtmlParser parser{PageLimits{}};
  const std::string text(size_t{4} << 20, 'x');
  EXPECT_TRUE(DocumentOf(&parser, "<p>" + text) == "body>p\x1c" + text);
}

}  // namespace
}  // namespace uzushio
