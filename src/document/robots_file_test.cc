#include "document/robots_file.h"

#include <gtest/gtest.h>

#include <string>

#include "document/origin.h"

namespace uzushio {
namespace {

bool MayFetch(std::string_view file, std::string_view name, std::string_view url) {
  UrlOrigin parts;
  EXPECT_TRUE(parts.Parse(url)) << url;
  std::string path;
  ComparedPath(parts.path, &path);
  const std::string rules = RobotsRules::For(name, GroupsOfRobots(file));
  const auto rule = RobotsRules::Find(rules, path);
  return !rule || rule->allows;
}

TEST(RobotsFile, GroupsAreInOneForm) {
  EXPECT_EQ(GroupsOfRobots("\xEF\xBB\xBFUser-Agent: GPTBot/1.0 # us\r\nuseragent: ccbot\rDisallow /a\n"
                           "sitemap: https://a.jp/s.xml\nCrawl-delay: 3\n  disalow :  /b%3f\xE6\x97\xA5/100%/x  \n\n"
                           "User-agent: *\nAllow: /\nAllow:\n"),
            "user-agent: gptbot\nuser-agent: ccbot\ndisallow: /a\ndisallow: /b%3F%E6%97%A5/100%/x\n"
            "user-agent: *\nallow: /\nallow: \n");
  EXPECT_EQ(GroupsOfRobots(""), "");
  EXPECT_EQ(GroupsOfRobots("user-agent: a\ndisallow: /a\tb\x01\x7F\t\n"), "user-agent: a\ndisallow: /a%09b%01%7F\n");
  EXPECT_EQ(GroupsOfRobots("Disallow: /\n<html><body>: no\n"), "");
  EXPECT_EQ(GroupsOfRobots("user-agent: \xE6\x97\xA5\ndisallow: /\n"), "");
  EXPECT_EQ(NamesInGroups("user-agent: b\nuser-agent: a\ndisallow: /\nuser-agent: b\n"),
            (std::vector<std::string>{"a", "b"}));
}

TEST(RobotsFile, OfLongFilesTheBeginningIsRead) {
  std::string file = "user-agent: a\ndisallow: /first\n";
  while (file.size() < kMostRobotsBytes - 12) file += "# comment\n";
  file += "disallow: /over-the-end\n";
  EXPECT_EQ(GroupsOfRobots(file).substr(0, 31), "user-agent: a\ndisallow: /first\n");
  EXPECT_EQ(GroupsOfRobots(file).find("the-end"), std::string::npos);
  EXPECT_EQ(GroupsOfRobots(file).find("disallow: /o"), std::string::npos);  // which would forbid more
}

TEST(RobotsFile, LongLinesAreReadAsTheyWereWritten) {
  const std::string name = "user-agent:" + std::string(20'000, 'a') + "\n";
  for (const std::string& part : {std::string("a"), std::string("\ta"), std::string("\x01"), std::string("a ")}) {
    std::string rule = "user-agent: a\ndisallow:/";
    while (rule.size() < 20'000) rule += part;
    const std::string groups = GroupsOfRobots(name + rule);
    EXPECT_EQ(GroupsOfRobots(groups), groups);
    EXPECT_GT(groups.size(), 32'000U);
  }
}

TEST(RobotsFile, WhateverTheBytesAre) {
  std::string bytes;
  for (int i = 0; i < 256 * 40; ++i) bytes += static_cast<char>(i * 31 + i / 256);
  for (const char* end : {"\n", "\r", "\r\n"}) {
    const std::string groups =
        GroupsOfRobots("user-agent: a" + std::string(end) + "disallow: /" + bytes + end + "disallow: /b\xFF\x80%");
    EXPECT_TRUE(groups.starts_with("user-agent: a\n")) << groups;
    EXPECT_TRUE(groups.ends_with("disallow: /b%FF%80%\n")) << groups;
    for (const char c : groups) EXPECT_TRUE(c == '\n' || (c >= ' ' && c < '\x7F'));
  }
  std::string long_line = "user-agent: a\ndisallow: /";
  for (int i = 0; i < 20000; ++i) long_line += "\xE6\x97\xA5";
  EXPECT_TRUE(GroupsOfRobots(long_line + "\ndisallow: /b").ends_with("disallow: /b\n"));
}

// The published tests of Google's parser (github.com/google/robotstxt, robots_test.cc), by what they say. Left out are
// those of Google's own rules: `index.html` is `/` there.
TEST(RobotsFile, GooglesTests) {
  const std::string correct = "user-agent: FooBot\ndisallow: /\n";
  EXPECT_FALSE(MayFetch(correct, "foobot", "http://foo.bar/x/y"));
  EXPECT_TRUE(MayFetch("foo: FooBot\nbar: /\n", "foobot", "http://foo.bar/x/y"));
  EXPECT_FALSE(MayFetch("user-agent FooBot\ndisallow /\n", "foobot", "http://foo.bar/x/y"));
  // ID_LineSyntax_Groups
  const std::string groups =
      "allow: /foo/bar/\n\nuser-agent: FooBot\ndisallow: /\nallow: /x/\nuser-agent: BarBot\ndisallow: /\nallow: "
      "/y/\n\n\n"
      "allow: /w/\nuser-agent: BazBot\n\nuser-agent: FooBot\nallow: /z/\ndisallow: /\n";
  EXPECT_TRUE(MayFetch(groups, "foobot", "http://foo.bar/x/b"));
  EXPECT_TRUE(MayFetch(groups, "foobot", "http://foo.bar/z/d"));
  EXPECT_FALSE(MayFetch(groups, "foobot", "http://foo.bar/y/c"));
  EXPECT_TRUE(MayFetch(groups, "barbot", "http://foo.bar/y/c"));
  EXPECT_TRUE(MayFetch(groups, "barbot", "http://foo.bar/w/a"));
  EXPECT_FALSE(MayFetch(groups, "barbot", "http://foo.bar/z/d"));
  EXPECT_TRUE(MayFetch(groups, "bazbot", "http://foo.bar/z/d"));
  EXPECT_FALSE(MayFetch(groups, "foobot", "http://foo.bar/foo/bar/"));
  // ID_LineSyntax_Groups_OtherRules
  for (const char* other : {"Sitemap: https://foo.bar/sitemap\n", "Invalid-Unknown-Line: unknown\n"}) {
    const std::string between = "User-agent: BarBot\n" + std::string(other) + "User-agent: *\nDisallow: /\n";
    EXPECT_FALSE(MayFetch(between, "foobot", "http://foo.bar/"));
    EXPECT_FALSE(MayFetch(between, "barbot", "http://foo.bar/"));
  }
  // ID_REPLineNamesCaseInsensitive, ID_UserAgentValueCaseInsensitive
  EXPECT_FALSE(MayFetch("USER-AGENT: FOOBOT\nALLOW: /x/\nDISALLOW: /\n", "foobot", "http://foo.bar/a/b"));
  EXPECT_TRUE(MayFetch("uSeR-aGeNt: fOoBoT\nAlLoW: /x/\ndIsAlLoW: /\n", "foobot", "http://foo.bar/x/y"));
  // GoogleOnly_AcceptUserAgentUpToFirstSpace
  const std::string space = "User-Agent: *\nDisallow: /\nUser-Agent: Foo Bar\nAllow: /x/\nDisallow: /\n";
  EXPECT_TRUE(MayFetch(space, "foo", "http://foo.bar/x/y"));
  EXPECT_FALSE(MayFetch(space, "foo bar", "http://foo.bar/x/y"));
  // ID_GlobalGroups_Secondary
  const std::string global = "user-agent: *\nallow: /\nuser-agent: FooBot\ndisallow: /\n";
  EXPECT_TRUE(MayFetch("", "foobot", "http://foo.bar/x/y"));
  EXPECT_FALSE(MayFetch(global, "foobot", "http://foo.bar/x/y"));
  EXPECT_TRUE(MayFetch(global, "barbot", "http://foo.bar/x/y"));
  EXPECT_TRUE(
      MayFetch("user-agent: FooBot\nallow: /\nuser-agent: BarBot\ndisallow: /\nuser-agent: BazBot\ndisallow: /\n",
               "quxbot", "http://foo.bar/x/y"));
  // ID_AllowDisallow_Value_CaseSensitive
  EXPECT_FALSE(MayFetch("user-agent: FooBot\ndisallow: /x/\n", "foobot", "http://foo.bar/x/y"));
  EXPECT_TRUE(MayFetch("user-agent: FooBot\ndisallow: /X/\n", "foobot", "http://foo.bar/x/y"));
  // ID_LongestMatch
  const auto both = [](const std::string& disallow, const std::string& allow, const char* path) {
    return MayFetch("user-agent: FooBot\ndisallow: " + disallow + "\nallow: " + allow + "\n", "foobot",
                    "http://foo.bar" + std::string(path));
  };
  EXPECT_FALSE(both("/x/page.html", "/x/", "/x/page.html"));
  EXPECT_TRUE(both("/x/", "/x/page.html", "/x/page.html"));
  EXPECT_FALSE(both("/x/", "/x/page.html", "/x/"));
  EXPECT_TRUE(both("", "", "/x/page.html"));
  EXPECT_TRUE(both("/", "/", "/x/page.html"));
  EXPECT_FALSE(both("/x", "/x/", "/x"));
  EXPECT_TRUE(both("/x", "/x/", "/x/"));
  EXPECT_TRUE(both("/x/page.html", "/x/page.html", "/x/page.html"));
  EXPECT_FALSE(both("*.html", "/page", "/page.html"));
  EXPECT_TRUE(both("*.html", "/page", "/page"));
  EXPECT_TRUE(both("*.html", "/x/page.", "/x/page.html"));
  EXPECT_FALSE(both("*.html", "/x/page.", "/x/y.html"));
  EXPECT_FALSE(
      MayFetch("User-agent: *\nDisallow: /x/\nUser-agent: FooBot\nDisallow: /y/\n", "foobot", "http://foo.bar/y/page"));
  EXPECT_TRUE(
      MayFetch("User-agent: *\nDisallow: /x/\nUser-agent: FooBot\nDisallow: /y/\n", "foobot", "http://foo.bar/x/page"));
  // ID_Encoding
  const auto only = [](const std::string& allow, const char* path) {
    return MayFetch("User-agent: FooBot\nDisallow: /\nAllow: " + allow + "\n", "foobot",
                    "http://foo.bar" + std::string(path));
  };
  EXPECT_TRUE(only("/foo/bar?qux=taz&baz=http://foo.bar?tar&par", "/foo/bar?qux=taz&baz=http://foo.bar?tar&par"));
  EXPECT_TRUE(only("/foo/bar/\xE3\x83\x84", "/foo/bar/%E3%83%84"));
  EXPECT_TRUE(only("/foo/bar/\xE3\x83\x84", "/foo/bar/\xE3\x83\x84"));  // Google's has URLs encoded before
  EXPECT_TRUE(only("/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84"));
  EXPECT_TRUE(only("/foo/bar/%62%61%7A", "/foo/bar/%62%61%7A"));
  EXPECT_TRUE(only("/foo/bar/%62%61%7A", "/foo/bar/baz"));  // RFC 9309, section 2.2.2; Google's does not decode
  // ID_SpecialCharacters
  const std::string special = "User-agent: FooBot\nDisallow: /foo/bar/quz\nAllow: /foo/*/qux\n";
  EXPECT_FALSE(MayFetch(special, "foobot", "http://foo.bar/foo/bar/quz"));
  EXPECT_TRUE(MayFetch(special, "foobot", "http://foo.bar/foo/quz"));
  EXPECT_TRUE(MayFetch(special, "foobot", "http://foo.bar/foo//quz"));
  EXPECT_TRUE(MayFetch(special, "foobot", "http://foo.bar/foo/bax/quz"));
  const std::string end = "User-agent: FooBot\nDisallow: /foo/bar$\nAllow: /foo/bar/qux\n";
  EXPECT_FALSE(MayFetch(end, "foobot", "http://foo.bar/foo/bar"));
  EXPECT_TRUE(MayFetch(end, "foobot", "http://foo.bar/foo/bar/qux"));
  EXPECT_TRUE(MayFetch(end, "foobot", "http://foo.bar/foo/bar/"));
  EXPECT_TRUE(MayFetch(end, "foobot", "http://foo.bar/foo/bar/baz"));
  const std::string comment = "User-agent: FooBot\n# Disallow: /\nDisallow: /foo/quz#qux\nAllow: /\n";
  EXPECT_TRUE(MayFetch(comment, "foobot", "http://foo.bar/foo/bar"));
  EXPECT_FALSE(MayFetch(comment, "foobot", "http://foo.bar/foo/quz"));
}

TEST(RobotsFile, SpecialCharactersMeantThemselves) {
  const std::string file = "user-agent: a\ndisallow: /x%2Ay\ndisallow: /p$q\ndisallow: /end%24\n";
  EXPECT_FALSE(MayFetch(file, "a", "http://a.jp/x*y"));
  EXPECT_FALSE(MayFetch(file, "a", "http://a.jp/x%2ay"));
  EXPECT_TRUE(MayFetch(file, "a", "http://a.jp/xzy"));
  EXPECT_FALSE(MayFetch(file, "a", "http://a.jp/p$q"));
  EXPECT_FALSE(MayFetch(file, "a", "http://a.jp/end$/more"));
  EXPECT_FALSE(MayFetch("user-agent: a\ndisallow: /a b|c\n", "a", "http://a.jp/a%20b|c"));
  EXPECT_FALSE(MayFetch("user-agent: a\ndisallow: /*?s=\n", "a", "http://a.jp/x/?s=%E6%97%A5"));
}

TEST(RobotsFile, WildcardsTakeTheirTimeAndNoMore) {
  std::string file = "user-agent: a\n";
  const std::string pattern = "disallow: /" + [] {
    std::string stars;
    for (int i = 0; i < 2000; ++i) stars += "*a";
    return stars;
  }() + "b\n";
  while (file.size() + pattern.size() < kMostRobotsBytes) file += pattern;
  EXPECT_TRUE(MayFetch(file, "a", "http://a.jp/" + std::string(8000, 'a')));
  EXPECT_FALSE(MayFetch(file, "a", "http://a.jp/" + std::string(2000, 'a') + "b"));
}

TEST(UrlOrigin, PartsOfUrls) {
  UrlOrigin parts;
  ASSERT_TRUE(parts.Parse("HTTPS://WWW.Example.JP.:443/a/../b?c#d"));
  EXPECT_EQ(parts.origin, "https://www.example.jp");
  EXPECT_EQ(parts.host, "www.example.jp");
  EXPECT_EQ(parts.path, "/b?c");
  ASSERT_TRUE(parts.Parse("http://user:word@[2001:DB8::1]:8080"));
  EXPECT_EQ(parts.origin, "http://[2001:db8::1]:8080");
  ASSERT_TRUE(parts.Parse("//b.jp/robots.txt", "https://a.jp/robots.txt"));
  EXPECT_EQ(parts.origin, "https://b.jp");
  ASSERT_TRUE(parts.Parse("/en/robots.txt", "https://a.jp/robots.txt"));
  EXPECT_EQ(parts.origin + parts.path, "https://a.jp/en/robots.txt");
  for (const char* url : {"", "a.jp/robots.txt", "ftp://a.jp/", "dns:a.jp", "http://.jp/", "http://a\xFF/"}) {
    EXPECT_FALSE(parts.Parse(url)) << url;
    EXPECT_EQ(parts.origin + parts.host + parts.path, "");
  }
  EXPECT_FALSE(parts.Parse("/a", "no base"));
  EXPECT_EQ(OtherScheme("https://a.jp"), "http://a.jp");
  EXPECT_EQ(OtherScheme("http://[::1]"), "https://[::1]");
  EXPECT_EQ(OtherScheme("http://a.jp:8080"), "");
  EXPECT_EQ(OtherScheme(""), "");
}

}  // namespace
}  // namespace uzushio
