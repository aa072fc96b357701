#include "html/page_title.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

#include "base/test_support.h"
#include "base/utf8.h"
#include "html/html_parser.h"
#include "html/paragraphs.h"

namespace uzushio {
namespace {

PageTitle FullTitleOf(const std::string& html) {
  HtmlParser parser{PageLimits{}};
  EXPECT_EQ(parser.Parse(html), ParseOutcome::kOk);
  std::string text;
  EXPECT_TRUE(ExtractParagraphs(parser.document(), size_t{1} << 20, &text));
  return FindPageTitle(parser.document(), text);
}

std::string TitleOf(const std::string& html) { return FullTitleOf(html).text; }

TEST(PageTitle, OpenGraphGoesFirst) {
  EXPECT_EQ(TitleOf("<title>a</title><meta property='og:title' content=' 題 &amp;\n名　x '><h1>b</h1>"), "題 & 名 x");
  EXPECT_EQ(TitleOf("<meta name=og:title content=題><h1>b</h1>"), "題");
  EXPECT_EQ(TitleOf("<meta property=og:title content=''><title>a</title>"), "a");
  const std::string site = "<meta property=og:site_name content='例のサイト'>";
  EXPECT_EQ(TitleOf(site + "<meta property=og:title content='題 - 副題 | 例のサイト'>"), "題 - 副題");
  EXPECT_EQ(TitleOf(site + "<meta property=og:title content='例のサイト｜題'>"), "題");
  EXPECT_EQ(TitleOf(site + "<meta property=og:title content='題 | 別の名'>"), "題 | 別の名");
  EXPECT_EQ(TitleOf(site + "<meta property=og:title content='例のサイト'>"), "例のサイト");
}

TEST(PageTitle, AHeadingOfTheTitleGoesBeforeIt) {
  EXPECT_EQ(TitleOf("<title>8.3. 手順 — ∇Nablarch ドキュメント</title><h1>8.3. 手順<a href=#x>¶</a></h1>"),
            "8.3. 手順");
  EXPECT_EQ(
      TitleOf("<title>圧縮 - Rust By Example 日本語版</title><h1>Rust By Example 日本語版</h1><main><h1>圧縮</h1>"),
      "圧縮");
  EXPECT_EQ(TitleOf("<title>芥川龍之介 ひょっとこ</title><h1>ひょっとこ</h1>"), "ひょっとこ");
  EXPECT_EQ(TitleOf("<title>Foo: bar</title><h1>x</h1><h1>FOO Bar</h1>"), "FOO Bar");
}

// The name of a site stands behind the page's, and is often the only h1.
TEST(PageTitle, TheSitesHeadingIsNotThePages) {
  EXPECT_EQ(TitleOf("<title>Dropトレイト - The Book</title><h1 class=menu-title>The Book</h1>"), "Dropトレイト");
  EXPECT_EQ(TitleOf("<title>例の会社 | 会社概要</title><main><h1>会社概要</h1></main>"), "会社概要");
  EXPECT_EQ(TitleOf("<meta property=og:site_name content=例><title>題</title><h1>例</h1>"), "題");
}

TEST(PageTitle, AnOnlyHeadingIsTheTitle) {
  EXPECT_EQ(TitleOf("<title>エクスポート</title><h1><img></h1><h1>Export</h1>"), "Export");
  EXPECT_EQ(TitleOf("<title>題</title><h1>一</h1><h1>二</h1>"), "題");
  EXPECT_EQ(TitleOf("<h1>一<br>二</h1><h1>三</h1>"), "一 二");
  EXPECT_EQ(TitleOf("<title>Build - The Book</title><h1>The Book</h1><h1>組み立て</h1>"), "組み立て");
}

TEST(PageTitle, TheSitesNameGoesFromTheTitle) {
  EXPECT_EQ(TitleOf("<title>\n 題　名 \n</title>"), "題 名");
  EXPECT_EQ(TitleOf("<title>mod_logio - Apache HTTP サーバ</title>"), "mod_logio");
  EXPECT_EQ(TitleOf("<title>題｜例</title>"), "題");
  EXPECT_EQ(TitleOf("<title>題|例</title>"), "題");
  EXPECT_EQ(TitleOf("<title>題 » 部 » 例</title>"), "題 » 部");
  EXPECT_EQ(TitleOf("<title>a-b x—y C++ ::z</title>"), "a-b x—y C++ ::z");
  EXPECT_EQ(TitleOf("<title>| 題 | </title>"), "題");
  EXPECT_EQ(TitleOf("<title> | </title>"), "");
  EXPECT_EQ(TitleOf("<meta property=og:site_name content=例><title>例 | 題 | 副題</title>"), "題 | 副題");
}

TEST(PageTitle, IsNotTheSitesNameWhereThereIsAnother) {
  const std::string site = "<meta property='og:site_name' content='社'>";
  EXPECT_EQ(TitleOf(site + "<h1>社</h1><h1>題</h1>"), "題");
  EXPECT_EQ(TitleOf(site + "<meta property='og:title' content='社'><title>題 | 社</title><h1>題</h1>"), "題");
  EXPECT_EQ(TitleOf(site + "<meta property='og:title' content='社'>"), "社");
}

TEST(PageTitle, SaysWhereItIsTheSitesName) {
  const std::string site = "<meta property=og:site_name content='例の Ｓite'>";
  EXPECT_TRUE(FullTitleOf(site + "<meta property=og:title content='例の Ｓite'>").is_site);
  EXPECT_TRUE(FullTitleOf(site + "<title>例の site</title>").is_site);
  EXPECT_TRUE(FullTitleOf("<meta name=application-name content=例><title>「例」</title>").is_site);
  EXPECT_FALSE(FullTitleOf(site + "<title>題 | 例の Ｓite</title>").is_site);
  EXPECT_FALSE(FullTitleOf(site).is_site);
  EXPECT_FALSE(FullTitleOf("<title>題</title>").is_site);
}

TEST(PageTitle, HasLetters) { EXPECT_EQ(TitleOf("<title>\u200b\u2007</title>"), ""); }

TEST(PageTitle, MayBeMissing) {
  EXPECT_EQ(TitleOf(""), "");
  EXPECT_EQ(TitleOf("<title> </title><h1> </h1><h2>no</h2><p>text</p>"), "");
  EXPECT_EQ(TitleOf("text<title>in the body</title><svg><title>no</title></svg>"), "in the body");
}

TEST(PageTitle, IsCutBetweenCharacters) {
  for (const std::string& page : {"<title>a" + Repeat("あ", 2000) + "</title>", "<h1>a" + Repeat("あ", 2000),
                                  "<meta property=og:title content='a" + Repeat("あ", 2000) + "'>"}) {
    EXPECT_EQ(TitleOf(page), "a" + Repeat("あ", 341));
  }
}

TEST(PageTitle, IsOneCleanLine) {
  EXPECT_TRUE(rc::check([] {
    const auto piece =
        rc::gen::elementOf(std::vector<std::string>{"あ", "x", " ", "　", "\n", "|", " - ", "<h1>", "</h1>", "<title>",
                                                    "</title>", "<a href=x>", "</a>", "&#2;", "¶"});
    std::string page;
    for (const std::string& part : *rc::gen::container<std::vector<std::string>>(piece)) page += part;
    const std::string title = TitleOf(page);
    RC_ASSERT(title.size() <= kMaxTitleBytes && IsValidUtf8(title));
    for (const char c : title) RC_ASSERT(static_cast<unsigned char>(c) >= ' ');
    RC_ASSERT(!title.starts_with(' ') && !title.ends_with(' ') && title.find("  ") == std::string::npos);
  }));
}

}  // namespace
}  // namespace uzushio
