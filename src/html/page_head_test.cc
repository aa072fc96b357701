#include "html/page_head.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

#include "base/test_support.h"

namespace uzushio {
namespace {

TEST(SniffHead, FindsLanguageAndTitle) {
  const PageHead head =
      SniffHead("<!DOCTYPE html>\n<HTML class=a LANG='ja'><head><title a='>'>題 < 名</TITLE><title>b");
  EXPECT_EQ(head.language, "ja");
  EXPECT_EQ(head.title, "題 < 名");
  EXPECT_EQ(SniffHead("<html xml:lang=ja-JP>").language, "ja-JP");
  EXPECT_EQ(SniffHead("<html xml:lang=en lang=\"ja\">").language, "ja");
  EXPECT_EQ(SniffHead("<html data-lang=ja>").language, "");
  EXPECT_EQ(SniffHead("<htmlx lang=ja>").language, "");
  EXPECT_EQ(SniffHead("<html><html lang=ja>").language, "");
  EXPECT_EQ(SniffHead("").title, "");
}

TEST(SniffHead, PassesOverCommentsScriptsAndStyles) {
  const PageHead head = SniffHead(
      "<!-- <html lang=en><title>a</title> --><html lang=ja><script>'<title>b</title>'</script >"
      "<style><title></STYLE><title>c</title>");
  EXPECT_EQ(head.language, "ja");
  EXPECT_EQ(head.title, "c");
  EXPECT_EQ(SniffHead("<!--><title>a</title>").title, "a");
  EXPECT_EQ(SniffHead("<!-- <title>a</title>").title, "");
  EXPECT_EQ(SniffHead("<script><title>a</title>").title, "");
  EXPECT_EQ(SniffHead("<titles>a</titles>").title, "");
}

TEST(SniffHead, LooksAtSoMuchOfATitle) {
  EXPECT_EQ(SniffHead("<title>" + Repeat("x", 9000)).title.size(), kMaxTitleMarkup);
  EXPECT_EQ(SniffHead("<title a='").title, "");
  EXPECT_EQ(SniffHead("<title").title, "");
}

TEST(TitleText, ReplacesCharacterReferences) {
  HtmlParser parser{PageLimits{}};
  EXPECT_EQ(TitleText("&#12354;&#x3044; &amp; <b>う</b>", &parser), "あい & <b>う</b>");
  EXPECT_EQ(TitleText("題名", &parser), "題名");
  EXPECT_EQ(TitleText("&lt;", &parser), "<");
  EXPECT_EQ(TitleText("&", &parser), "&");
  EXPECT_EQ(TitleText("", &parser), "");
}

TEST(SniffHead, EndsOnAnyBytes) {
  EXPECT_TRUE(rc::check([](const std::string& a, const std::string& b) {
    HtmlParser parser{PageLimits{}};
    const std::string page = a + "<html " + b + "<title" + a + ">" + b;  // which views are of
    TitleText(SniffHead(page).title, &parser);
    SniffHead("<html lang" + a + "<script" + b + "<title>" + a);
  }));
}

}  // namespace
}  // namespace uzushio
