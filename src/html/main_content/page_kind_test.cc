#include "html/main_content/page_kind.h"

#include <gtest/gtest.h>

#include <string>

#include "base/test_support.h"
#include "html/main_content/test_page.h"

namespace uzushio {
namespace {

// Of a page; no views into it.
PageKind Kind(const std::string& head, const std::string& url = "") {
  TestPage page("<head>" + head + "</head><body>text", url);
  PageKind kind;
  ReadKind(page.view(), &kind);
  kind.title = {};
  kind.descriptions = {};
  return kind;
}

TEST(PageKind, OpenGraph) {
  const auto og = [](const std::string& type) { return Kind("<meta property=og:type content='" + type + "'>").og; };
  EXPECT_EQ(Kind("").og, 0);
  EXPECT_EQ(og("website"), 1);
  EXPECT_EQ(og("article"), 2);
  EXPECT_EQ(og("product"), 3);
  EXPECT_EQ(og("product.item"), 3);
  EXPECT_EQ(og("og:product"), 3);
  EXPECT_EQ(og("video.other"), 4);
  EXPECT_EQ(Kind("<meta content=article name=og:type>").og, 2);
  EXPECT_EQ(Kind("<meta><meta property><meta content=article>").og, 0);
}

TEST(PageKind, LinkedData) {
  const std::string script = "<script type=application/ld+json>";
  const auto kinds = [](const std::string& html) {
    TestPage page(html);
    PageKind kind;
    ReadKind(page.view(), &kind);
    return kind.linked_data.kinds();
  };
  const std::string product = script + R"({"@type":"Product"}</script>)";
  const std::string article = script + R"({"@type":"Article"}</script>)";
  EXPECT_EQ(kinds(product + "text"), LinkedData::kProduct);
  EXPECT_EQ(kinds("<head>" + product + "</head><body>text<div>" + article),
            LinkedData::kProduct | LinkedData::kArticle);
  EXPECT_EQ(kinds(R"(<script>{"@type":"Article"}</script><script type=x>{"@type":"Article"}</script>text)"), 0U);
  EXPECT_EQ(kinds(script + "</script><script type></script><script type=''></script>text"), 0U);
}

TEST(PageKind, TitlesAndDescriptionsAreCut) {
  TestPage page("<title>" + Repeat("題", 1000) + "</title><meta name=description content='" + std::string(5000, 'a') +
                "'><meta property=og:description content='b'>text");
  PageKind kind;
  ReadKind(page.view(), &kind);
  EXPECT_EQ(kind.title.size(), 1024U);
  EXPECT_EQ(kind.descriptions[0], std::string(1024, 'a'));
  EXPECT_EQ(kind.descriptions[1], "b");
}

TEST(PageKind, TheSameDescriptionTwiceIsOne) {
  const std::string words = "これはこの頁についての説明です。";
  TestPage page("<meta name=description content='" + words + "'><meta property=og:description content='" + words +
                "'>text");
  PageKind kind;
  ReadKind(page.view(), &kind);
  EXPECT_EQ(kind.descriptions[0], words);
  EXPECT_EQ(kind.descriptions[1], "");
  EXPECT_TRUE(InDescription(words, kind));
}

TEST(PageKind, Urls) {
  const auto url = [](const std::string& text) {
    const PageKind kind = Kind("", text);
    return std::to_string(kind.url_depth) + "/" + std::to_string(kind.url_digits) + "-" +
           std::to_string(kind.url_dashes) + (kind.url_query ? "?" : "") + (kind.url_slash ? "/" : "");
  };
  EXPECT_EQ(url("http://a1-b.jp/2023/04-x_y.html"), "2/6-2");
  EXPECT_EQ(url("http://a.jp/"), "0/0-0/");
  EXPECT_EQ(url("http://a.jp/a/b/"), "2/0-0/");
  EXPECT_EQ(url("http://a.jp/a?b=1/2-3"), "1/0-0?");
  EXPECT_EQ(url("http://a.jp/?"), "0/0-0?/");
  for (const char* text : {"", "http://", "http://a.jp", "://", "a", "?", "\xff\xfe"})
    EXPECT_EQ(url(text), "0/0-0") << text;
  EXPECT_EQ(url("http://a/" + std::string(5000, '7')), "1/503-0");  // the first 512 bytes
}

TEST(InTitle, AsAPart) {
  PageKind kind;
  EXPECT_FALSE(InTitle("", kind));
  EXPECT_FALSE(InTitle("long enough", kind));
  kind.title = "記事の題名 | 例のサイト";
  kind.title_grams.Add(kind.title);
  EXPECT_TRUE(InTitle("記事の題名", kind));
  EXPECT_TRUE(InTitle("\x02例のサイト\x03", kind));
  EXPECT_FALSE(InTitle("題名", kind));  // too short to tell
  EXPECT_FALSE(InTitle("記事の題名です", kind));
  EXPECT_FALSE(InTitle("\x02", kind));
  EXPECT_FALSE(InTitle(std::string(kind.title) + "x", kind));
}

TEST(InDescription, ByTheirOpenings) {
  PageKind kind;
  const std::string words = "これはこの頁についての説明です。";
  EXPECT_FALSE(InDescription(words, kind));
  const std::string longer = words + "続きがあります。";
  kind.descriptions[1] = longer;
  EXPECT_TRUE(InDescription(words, kind));
  EXPECT_TRUE(InDescription("まえがき。" + words + words, kind));
  EXPECT_FALSE(InDescription("説明です。続き", kind));  // too short to tell
  EXPECT_FALSE(InDescription("全く別の長い文がここに書いてあります。", kind));
  kind.descriptions[0] = "short";
  EXPECT_TRUE(InDescription(words, kind));
}

TEST(PageKind, PagesMayHaveNoHead) {
  TestPage page("<frameset><frame></frameset>");
  PageKind kind;
  ReadKind(page.view(), &kind);
  EXPECT_EQ(kind.og, 0);
}

TEST(PageKind, ForgetsTheLastPage) {
  TestPage first(
      "<title>title</title><meta name=description content=a><meta name=og:type content=article>"
      "<script type=application/ld+json>{\"@type\":\"Product\"}</script>text",
      "http://a.jp/1/?");
  TestPage second("text", "");
  PageKind kind;
  ReadKind(first.view(), &kind);
  EXPECT_EQ(kind.title, "title");
  ReadKind(second.view(), &kind);
  EXPECT_EQ(kind.title, "");
  EXPECT_EQ(kind.descriptions[0], "");
  EXPECT_EQ(kind.og + kind.url_depth + kind.url_digits, 0);
  EXPECT_FALSE(kind.url_query || kind.url_slash);
  EXPECT_EQ(kind.linked_data.kinds(), 0U);
}

TEST(TextGrams, MayContainEachPart) {
  const std::string text = "関連記事とranking, the most read of today";
  TextGrams grams;
  EXPECT_FALSE(grams.MayContain("read"));
  grams.Add(text);
  grams.Add("abc");  // has none
  for (size_t begin = 0; begin < text.size(); ++begin) {
    for (size_t end = begin + TextGrams::kBytes; end <= text.size(); ++end) {
      EXPECT_TRUE(grams.MayContain(std::string_view(text).substr(begin, end - begin)));
    }
  }
  EXPECT_FALSE(grams.MayContain("xyz of today"));
}

}  // namespace
}  // namespace uzushio
