#include "stages/report/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/test_support.h"
#include "stages/report/page_template.h"

namespace uzushio {
namespace {

constexpr std::string_view kFrame = "<p>@REPORT_DATA@</p>";

// What is put in comes out, and nothing of it is markup.
TEST(Page, KeepsHostileTexts) {
  const std::vector<std::string> texts = {"</script><script>alert(1)</script>",
                                          "<!-- <script> --!>",
                                          "]]>&lt;&amp;",
                                          "\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xA6\xE3\x81\x82",
                                          std::string("a\0b", 3),
                                          "\"\\\n\r\t\x7F",
                                          "@REPORT_DATA@",
                                          "\xF0\x9F\x98\x80"};
  const std::string page = FillPage(kFrame, texts);
  const std::string inside = page.substr(3, page.size() - 7);
  EXPECT_EQ(page, "<p>" + inside + "</p>");
  EXPECT_THAT(inside, testing::Not(testing::ContainsRegex("[<>&]")));
  EXPECT_EQ(inside.find("\xE2\x80\xA8"), std::string::npos);
  EXPECT_EQ(inside.find("\xE2\x80\xA9"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(inside).get<std::vector<std::string>>(), texts);
  const std::string bad = FillPage(kFrame, nlohmann::json{"a\xFF\xE2", "\xED\xA0\x80"});
  EXPECT_TRUE(nlohmann::json::accept(bad.substr(3, bad.size() - 7)));
}

class PageOnDisk : public FolderTest {
 protected:
  bool IsPageWith(const std::string& content) {
    std::ofstream(root_ / "page.html", std::ios::binary) << content;
    return IsPage(root_ / "page.html").ValueOrDie();
  }
};

TEST_F(PageOnDisk, IsKnownByItsBeginning) {
  const std::string page = FillPage(PageTemplate(), {{"x", 1}});
  const std::string mark(kPageMark);
  EXPECT_TRUE(IsPageWith(page));
  EXPECT_TRUE(IsPageWith(page.substr(0, 1024)));
  EXPECT_FALSE(IsPageWith(""));
  EXPECT_FALSE(IsPageWith("<!doctype html>\n<title>A thesis</title>"));
  EXPECT_FALSE(IsPageWith("A page has " + mark));
  EXPECT_FALSE(IsPageWith("<!doctype html>\n" + std::string(size_t{1} << 20, ' ') + mark));
  EXPECT_TRUE(IsPage(root_ / "none.html").status().IsIOError());
}

}  // namespace
}  // namespace uzushio
