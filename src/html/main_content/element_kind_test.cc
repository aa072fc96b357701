#include "html/main_content/element_kind.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "html/main_content/test_page.h"

namespace uzushio {
namespace {

// The flags of `<div attributes>`.
uint32_t OfAttributes(const std::string& attributes) {
  const TestPage page("<div " + attributes + ">text</div>");
  return AttributeFlags(page.outline.elements[page.ElementOf("text")].node);
}

TEST(AttributeFlags, Roles) {
  const std::vector<std::pair<std::string, uint32_t>> roles = {
      {"navigation", kNav},      {"menu", kNav},           {"menubar", kNav},
      {"banner", kHeader},       {"contentinfo", kFooter}, {"main", kMain},
      {"article", kArticle},     {"dialog", kDialog},      {"alertdialog", kDialog},
      {"search", kForm},         {"form", kForm},          {"button", kButton},
      {"complementary", kAside}, {"presentation", 0},      {"", 0}};
  for (const auto& [role, flag] : roles) EXPECT_EQ(OfAttributes("role='" + role + "'"), flag) << role;
  EXPECT_EQ(OfAttributes("role"), 0U);
  EXPECT_EQ(OfAttributes("role=main hidden"), uint32_t{kMain} | uint32_t{kHidden});
}

TEST(AttributeFlags, WhatIsNotShown) {
  for (const char* attributes : {"hidden", "hidden=''", "aria-hidden=true", "style='display:none'",
                                 "style='display: none'", "style='display : none'", "style='color:red;display :none;'",
                                 "style='visibility:hidden'", "style='display:block; visibility: hidden'"}) {
    EXPECT_EQ(OfAttributes(attributes), uint32_t{kHidden}) << attributes;
  }
  for (const char* attributes : {"aria-hidden=false", "aria-hidden", "style", "style=''", "style='display'",
                                 "style='display:'", "style='display: '", "style='display:block'",
                                 "style='visibility:visible'", "style='none'", "data-hidden", ""}) {
    EXPECT_EQ(OfAttributes(attributes), 0U) << attributes;
  }
  EXPECT_EQ(OfAttributes("style='" + std::string(501, ' ') + "display:none'"), 0U);  // more is not looked at
}

TEST(ElementKind, OfTags) {
  const std::vector<std::pair<std::string, uint32_t>> tags = {
      {"nav", kNav},         {"header", kHeader},   {"footer", kFooter},     {"aside", kAside},  {"main", kMain},
      {"article", kArticle}, {"section", kSection}, {"form", kForm},         {"ul", kList},      {"figure", kFigure},
      {"pre", kCode},        {"code", kCode},       {"blockquote", kQuote},  {"h1", kHeading},   {"h6", kHeading},
      {"p", kParagraph},     {"a", kLinkAround},    {"button", kButton},     {"label", kButton}, {"dialog", kDialog},
      {"dl", kDefinition},   {"details", kDetails}, {"noscript", kNoscript}, {"x-y", kCustom},   {"div", 0},
      {"span", 0},           {"marquee", 0},        {"figcaption", kFigure}};
  for (const auto& [tag, flag] : tags) {
    const TestPage page("<body><hr><" + tag + ">text");
    EXPECT_EQ(TagFlags(page.outline.elements.back().node), flag) << tag;
    EXPECT_EQ(LevelOfHeading(page.outline.elements.back().node), tag[0] == 'h' && flag == kHeading ? tag[1] - '0' : 0);
  }
}

TEST(SortOfElement, TellsSortsApart) {
  const auto sort = [](const std::string& tag) {
    const TestPage page("<" + tag + ">text");
    return SortOfElement(page.outline.elements.back().node);
  };
  EXPECT_EQ(sort("h1"), sort("h5"));
  EXPECT_EQ(sort("b"), sort("em"));
  EXPECT_EQ(sort("section"), 0);
  EXPECT_EQ(sort("x-y"), 0);
  const std::vector<std::string> tags = {"h1",  "p", "ul",     "dl",  "table><td", "blockquote",
                                         "pre", "a", "button", "div", "span",      "b"};
  for (size_t i = 0; i < tags.size(); ++i) EXPECT_EQ(sort(tags[i]), static_cast<int>(i) + 1) << tags[i];
}

}  // namespace
}  // namespace uzushio
