#include "document/host.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace uzushio {
namespace {

std::string Shown(std::string_view url) {
  Location location;
  if (!location.Parse(url)) return "none";
  return location.host + " " + location.path + (location.is_address ? " address" : "");
}

TEST(Location, IsWhatTheUrlStandardSays) {
  EXPECT_EQ(Shown("http://Example.COM:8080/a/../b?q=1#f"), "example.com /b?q=1");
  EXPECT_EQ(Shown(" https://user:pass@www.example.com. "), "www.example.com /");
  EXPECT_EQ(Shown("http://日本語.jp/道"), "xn--wgv71a119e.jp /%E9%81%93");
  EXPECT_EQ(Shown("http://xn--wgv71a119e.jp"), "xn--wgv71a119e.jp /");
  EXPECT_EQ(Shown("http://ｅｘａｍｐｌｅ.ｃｏｍ/"), "example.com /");
  EXPECT_EQ(Shown("http://ex%61mple.com/"), "example.com /");
  EXPECT_EQ(Shown("http://0x7f.1/"), "127.0.0.1 / address");
  EXPECT_EQ(Shown("http://127.0.0.1./"), "127.0.0.1 / address");
  EXPECT_EQ(Shown("http://[2001:DB8::0001]:80/x"), "[2001:db8::1] /x address");
  EXPECT_EQ(Shown("http:\\\\example.com\\a"), "example.com /a");
  EXPECT_EQ(Shown("ftp://example.com/"), "example.com /");
}

TEST(Location, IsNoneOfWhatHasNoHost) {
  for (const std::string_view url : {"",
                                     " ",
                                     "example.com",
                                     "/a",
                                     "//example.com",
                                     "mailto:a@example.com",
                                     "data:,x",
                                     "file:///etc",
                                     "http://",
                                     "http://a b/",
                                     "http://../",
                                     "http://a..b/",
                                     "http://./",
                                     "http://256.1.1.1/",
                                     "http://[::1",

                                     "foo://example.com/",
                                     "http://a\xff.com/",
                                     "urn:uuid:0",
                                     "http://<x>/",
                                     "http://a^b/"}) {
    EXPECT_EQ(Shown(url), "none") << url;
  }
  EXPECT_EQ(Shown(std::string_view("http://a\0b/", 11)), "none");
}

TEST(HostEntry, MayBeWrittenInManyWays) {
  const auto shown = [](std::string_view text) {
    HostEntry entry;
    if (!entry.Parse(text)) return std::string("none");
    return (entry.is_below_only ? "." : "") + entry.location.host + entry.location.path;
  };
  EXPECT_EQ(shown("Example.com"), "example.com");
  EXPECT_EQ(shown("\texample.com. \r"), "example.com");
  EXPECT_EQ(shown("http://example.com:80/"), "example.com");
  EXPECT_EQ(shown("//example.com"), "example.com");
  EXPECT_EQ(shown("example.com:8080"), "example.com");
  EXPECT_EQ(shown(".5ch.net"), ".5ch.net");
  EXPECT_EQ(shown("*.5ch.net"), ".5ch.net");
  EXPECT_EQ(shown("日本語.jp"), "xn--wgv71a119e.jp");
  EXPECT_EQ(shown("example.com/~user/"), "example.com/~user");
  EXPECT_EQ(shown("example.com/a?b=http://x/"), "example.com/a?b=http://x");
  EXPECT_EQ(shown("2001:db8::1"), "[2001:db8::1]");
  EXPECT_EQ(shown("[2001:db8::1]:80/x"), "[2001:db8::1]/x");
  EXPECT_EQ(shown("127.0.0.1"), "127.0.0.1");
  for (const std::string_view text : {"", ".", "*.", "..", ".127.0.0.1", "a b", "me@example.com", "<p>", "http://"}) {
    EXPECT_EQ(shown(text), "none") << text;
  }
}

TEST(HostPart, DomainsAndFoldersHaveTheKeysOfTheirEntries) {
  Location location;
  ASSERT_TRUE(location.Parse("http://a.b.example.com/x/y?z=1&w"));
  std::vector<HostPart> domains;
  DomainsOf(location, &domains);
  std::vector<std::string> found;
  std::set<uint64_t> keys;
  for (const HostPart& domain : domains) {
    const std::string host = location.host.substr(domain.host_begin);
    EXPECT_EQ(domain.key, HostKey({.host = host}));
    found.push_back(host);
    keys.insert(domain.key);
    std::vector<HostPart> folders;
    FoldersOf(location, domain, &folders);
    std::vector<std::string> paths;
    for (const HostPart& folder : folders) {
      const std::string path = location.path.substr(0, folder.path_end);
      EXPECT_EQ(folder.key, HostKey({.host = host, .path = path}));
      EXPECT_EQ(folder.host_begin, domain.host_begin);
      paths.push_back(path);
      keys.insert(folder.key);
    }
    EXPECT_EQ(paths, (std::vector<std::string>{"/x", "/x/y", "/x/y?z=1", "/x/y?z=1&w"}));
  }
  EXPECT_EQ(found, (std::vector<std::string>{"com", "example.com", "b.example.com", "a.b.example.com"}));
  EXPECT_EQ(keys.size(), 20U);
}

TEST(HostPart, AnAddressHasNoDomainsAbove) {
  Location location;
  std::vector<HostPart> domains;
  for (const char* url : {"http://192.168.0.1/", "http://[::1]/"}) {
    ASSERT_TRUE(location.Parse(url));
    DomainsOf(location, &domains);
    ASSERT_EQ(domains.size(), 1U);
    EXPECT_EQ(domains[0].key, HostKey({.host = location.host, .is_address = true}));
  }
}

TEST(HostPart, LongHostsAndPathsTakeLinearTime) {
  std::string url = "http://a";
  for (int i = 0; i < 50000; ++i) url += ".a";
  for (int i = 0; i < 200000; ++i) url += "/b";
  Location location;
  ASSERT_TRUE(location.Parse(url));
  std::vector<HostPart> domains;
  DomainsOf(location, &domains);
  EXPECT_EQ(domains.size(), 50001U);
  std::vector<HostPart> folders;
  FoldersOf(location, domains.back(), &folders);
  EXPECT_EQ(folders.size(), 200000U);
}

}  // namespace
}  // namespace uzushio
