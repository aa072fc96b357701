#include "html/main_content/link_address.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "base/test_support.h"
#include "html/main_content/hash.h"

namespace uzushio {
namespace {

using Hashes = std::vector<uint32_t>;

class Collected final : public TokenVisitor {
 public:
  void Token(uint32_t hash) override { hashes.push_back(hash); }
  Hashes hashes;
};

constexpr std::string_view kPageUrl = "https://example.jp/own/page?a=1";

Hashes AddressTokens(std::string_view address, std::string_view url = kPageUrl) {
  Collected all;
  VisitAddress(address, PageAddress(url), &all);
  return all.hashes;
}

LinkTarget TargetOf(std::string_view address, std::string_view url = kPageUrl) {
  Collected all;
  return VisitAddress(address, PageAddress(url), &all);
}

uint32_t Folder(std::string_view name) { return HashText(name, HashText("href folder ")); }
uint32_t Last(std::string_view name) { return HashByte(Folder(name), '$'); }
uint32_t Host(std::string_view name) { return HashText(name, HashText("href host ")); }
uint32_t Folders(char number) { return HashText({&number, 1}, HashText("href looks ")); }
uint32_t Query(std::string_view name) { return HashText(name, HashText("href query ")); }
uint32_t Fragment(std::string_view name) { return HashText(name, HashText("href fragment ")); }

TEST(PageAddress, HasAHost) {
  EXPECT_EQ(PageAddress("https://www.example.jp/a/b").Host(), "example.jp");
  EXPECT_EQ(PageAddress("https://WWW.example.jp").Host(), "example.jp");
  EXPECT_EQ(PageAddress("http://user:word@example.jp:8080?q").Host(), "example.jp");
  EXPECT_EQ(PageAddress("http://example.jp/\xE3").Host(), "example.jp");
  EXPECT_EQ(PageAddress("https://日本語.jp/").Host(), "日本語.jp");
  for (const char* url : {"/a/b", "", "https://", "mailto:a@example.jp"}) EXPECT_EQ(PageAddress(url).Host(), "") << url;
}

TEST(VisitAddress, SaysWhereItLeads) {
  for (const char* address : {"/a", "a.html", "../a", "?page=2", "https://example.jp/", "//www.Example.jp/a",
                              "//WWW.example.jp/", "HTTPS://EXAMPLE.JP", "https://example.jp:443/a"}) {
    EXPECT_EQ(TargetOf(address), LinkTarget::kSite) << address;
  }
  for (const char* address : {"#a", " #comments\n"}) EXPECT_EQ(TargetOf(address), LinkTarget::kPage) << address;
  for (const char* address : {"https://example.com/", "//blog.example.jp/a", "http://a@example.com/"}) {
    EXPECT_EQ(TargetOf(address), LinkTarget::kOther) << address;
  }
  for (const char* address : {"", "  ", "#", "mailto:a@example.jp", "javascript:void(0)", "tel:0"}) {
    EXPECT_EQ(TargetOf(address), LinkTarget::kNone) << address;
  }
  EXPECT_EQ(TargetOf("https://example.jp/", ""), LinkTarget::kOther);
}

TEST(VisitAddress, OwnAddressWithFragmentIsAPartOfThePage) {
  for (const char* address : {"page?a=1#b", "./page?a=1#b", "../own/page?a=1#b", "/own/page?a=1#b", "?a=1#b",
                              "https:?a=1#b", "//example.jp/own/page?a=1#b", "http://www.example.jp/own/page?a=1#b"}) {
    EXPECT_EQ(TargetOf(address), LinkTarget::kPage) << address;
    EXPECT_EQ(AddressTokens(address), AddressTokens("#b")) << address;
  }
  for (const char* address : {"page?a=1", "page#b", "/page?a=1#b", "own/page?a=1#b", "?a=2#b", "e?a=1#b",
                              "/own/page?a=1#", "//example.com/own/page?a=1#b"}) {
    EXPECT_NE(TargetOf(address), LinkTarget::kPage) << address;
  }
  EXPECT_EQ(TargetOf("./#b", "https://example.jp/"), LinkTarget::kPage);
  EXPECT_EQ(TargetOf("/" + Repeat("漢", 100) + "#b", "https://example.jp/" + Repeat("漢", 100) + "#c"),
            LinkTarget::kPage);
  EXPECT_EQ(TargetOf("p#b", "https://日本語.jp/p"), LinkTarget::kPage);
  EXPECT_EQ(TargetOf("//日本語.jp/a", "https://日本語.jp/p"), LinkTarget::kSite);
  EXPECT_EQ(TargetOf("page #b"), LinkTarget::kSite);
  EXPECT_EQ(TargetOf("\\\\example.jp/own/page?a=1#b"), LinkTarget::kSite);
  EXPECT_EQ(TargetOf("p#b", "https://example.jp/p/" + Repeat("../", 2000) + "p"), LinkTarget::kSite);  // too long
  EXPECT_EQ(TargetOf("#b", ""), LinkTarget::kPage);
  EXPECT_EQ(TargetOf("a#b", ""), LinkTarget::kSite);
}

TEST(VisitAddress, NamesFoldersAndHosts) {
  EXPECT_EQ(AddressTokens("/Tag/news"), (Hashes{Folder("tag"), Folder("news"), Last("news"), Folders('2')}));
  EXPECT_EQ(AddressTokens("/tag//news/"), AddressTokens("/tag/news"));
  EXPECT_EQ(AddressTokens("https://www.facebook.com/sharer"),
            (Hashes{Host("facebook.com"), Folder("sharer"), Last("sharer"), Folders('1')}));
  EXPECT_EQ(AddressTokens("https://example.jp/tag/news"), AddressTokens("/tag/news"));
  EXPECT_EQ(AddressTokens("/about.html"), (Hashes{Folder(".html"), Folder("about"), Last("about"), Folders('1')}));
  EXPECT_EQ(AddressTokens("/"), Hashes{Folders('0')});
}

// Names that are a page's own say how they look.
TEST(VisitAddress, ArticlesAreAlike) {
  EXPECT_EQ(AddressTokens("/a-long-title-of-one"), AddressTokens("/some-other-words-in-it"));
  EXPECT_EQ(AddressTokens("/2024/05/03/12345"), AddressTokens("/2019/12/31/98765"));
  EXPECT_NE(AddressTokens("/12345"), AddressTokens("/a-long-title-of-one"));
  EXPECT_NE(AddressTokens("/12345"), AddressTokens("/about"));
}

TEST(VisitAddress, NamesParameters) {
  EXPECT_EQ(AddressTokens("?Page=2"), (Hashes{Folders('0'), Query("page")}));
  EXPECT_EQ(AddressTokens("?ref=related&id=12"),
            (Hashes{Folders('0'), Query("ref"), HashText("related", HashByte(Query("ref"), '=')), Query("id")}));
  EXPECT_EQ(AddressTokens("?&=&a"), (Hashes{Folders('0'), Query("a")}));
  EXPECT_EQ(AddressTokens("#comments-2"), (Hashes{Fragment(""), Fragment("comments")}));
  EXPECT_EQ(AddressTokens("#2"), Hashes{Fragment("")});
  EXPECT_EQ(AddressTokens("a#b"), (Hashes{Folder("a"), Last("a"), Folders('1'), Fragment(""), Fragment("b")}));
  EXPECT_EQ(AddressTokens("Mailto:a@example.jp"), Hashes{HashText("mailto", HashText("href scheme "))});
}

TEST(VisitAddress, TakesWhateverThereIs) {
  EXPECT_TRUE(rc::check([] {
    const auto piece = rc::gen::elementOf(
        std::vector<std::string>{"http:", "//", "/", "?", "#", "&", "=", "a", "-", "9", ".", "@", ":", " ", "\xE3"});
    std::string address;
    for (const std::string& part : *rc::gen::container<std::vector<std::string>>(piece)) address += part;
    RC_ASSERT(AddressTokens(address).size() <= 3 * address.size() + 1);
    RC_ASSERT(AddressTokens(address, "http:" + address).size() <= 3 * address.size() + 1);
  }));
  EXPECT_LE(AddressTokens("/" + Repeat("a/", 100'000)).size(), 20U);
  EXPECT_LE(AddressTokens("?" + Repeat("a&", 100'000)).size(), 512U);
}

}  // namespace
}  // namespace uzushio
