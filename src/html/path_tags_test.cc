#include "html/path_tags.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace uzushio {
namespace {

std::vector<std::string> Tags(std::string_view path) {
  std::vector<std::string> tags;
  ForEachTag(path, [&tags](std::string_view tag) { tags.emplace_back(tag); });
  return tags;
}

TEST(ForEachTag, GivesTheTagsAlone) {
  using List = std::vector<std::string>;
  EXPECT_EQ(Tags(""), List{});
  EXPECT_EQ(Tags("body"), List{"body"});
  EXPECT_EQ(Tags("body>div.a.b#c>p"), (List{"body", "div", "p"}));
  EXPECT_EQ(Tags("body>div.a\\>h1>p#x\\\\>li"), (List{"body", "div", "p", "li"}));
  EXPECT_EQ(Tags("body>x\\>y>p\\"), (List{"body", "x", "p"}));
}

TEST(HeadingLevel, IsThatOfTheInnermost) {
  EXPECT_EQ(HeadingLevel("body>h1"), 1);
  EXPECT_EQ(HeadingLevel("body>h6.a>div"), 6);
  EXPECT_EQ(HeadingLevel("body>h1>h3"), 3);
  for (const char* none : {"", "body>h0", "body>h7", "body>h12", "body>p.h1", "body>div\\>h1", "body>H1", "body>h"}) {
    EXPECT_EQ(HeadingLevel(none), 0) << none;
  }
}

}  // namespace
}  // namespace uzushio
