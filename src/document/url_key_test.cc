#include "document/url_key.h"

#include <gtest/gtest.h>

namespace uzushio {
namespace {

std::string NormalOf(std::string_view url) { return NormalUrl(url).value_or("none"); }

TEST(NormalUrl, IsTheUrlStandards) {
  EXPECT_EQ(NormalOf("HTTP://Example.COM:80"), "//example.com/");
  EXPECT_EQ(NormalOf(" https://example.com:443/a/./b/../c "), "//example.com/a/c");
  EXPECT_EQ(NormalOf("http://example.com:8080/a"), "//example.com:8080/a");
  EXPECT_EQ(NormalOf("http://日本語.jp/道?名=値"), "//xn--wgv71a119e.jp/%E9%81%93?%E5%90%8D=%E5%80%A4");
  EXPECT_EQ(NormalOf("https://user:pass@example.com/a"), "//example.com/a");
}

TEST(NormalUrl, HasNoFragmentAndNoCounting) {
  EXPECT_EQ(NormalOf("http://a.jp/x#top"), "//a.jp/x");
  EXPECT_EQ(NormalOf("http://a.jp/x?"), "//a.jp/x");
  EXPECT_EQ(NormalOf("http://a.jp/x?utm_source=b&utm_medium=c#d"), "//a.jp/x");
  EXPECT_EQ(NormalOf("http://a.jp/x?id=1&fbclid=abc&page=2"), "//a.jp/x?id=1&page=2");
  EXPECT_EQ(NormalOf("http://a.jp/x?gclid=1&id=1&"), "//a.jp/x?id=1");
  EXPECT_EQ(NormalOf("http://a.jp/x?gclids=1&a=utm_source"), "//a.jp/x?gclids=1&a=utm_source");
}

TEST(NormalUrl, KeepsWhatMayBeAnotherPage) {
  EXPECT_NE(NormalOf("http://a.jp/x"), NormalOf("http://a.jp/x/"));
  EXPECT_NE(NormalOf("http://a.jp/x?a=1&b=2"), NormalOf("http://a.jp/x?b=2&a=1"));
  EXPECT_NE(NormalOf("http://a.jp/X"), NormalOf("http://a.jp/x"));
  EXPECT_NE(NormalOf("http://www.a.jp/"), NormalOf("http://a.jp/"));
}

TEST(NormalUrl, IsNoneOfWhatIsNoPage) {
  for (const std::string_view url : {"", "a.jp", "/x", "ftp://a.jp/", "data:,x", "http://", "http://\xff.jp/"}) {
    EXPECT_EQ(NormalUrl(url), std::nullopt) << url;
  }
}

TEST(UrlKey, TellsFormsApart) {
  EXPECT_EQ(KeyOfUrl("//a.jp/"), KeyOfUrl(*NormalUrl("https://A.jp#x")));
  EXPECT_NE(KeyOfUrl("//a.jp/"), KeyOfUrl("//a.jp/x"));
}

}  // namespace
}  // namespace uzushio
