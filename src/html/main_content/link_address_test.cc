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

Hashes AddressTokens(std::string_view address, std::string_view host = "example.jp") {
  Collected all;
  VisitAddress(address, host, &all);
  return all.hashes;
}

LinkTarget TargetOf(std::string_view address, std::string_view host = "example.jp") {
  Collected all;
  return VisitAddress(address, host, &all);
}

uint32_t Folder(std::string_view name) { return HashText(name, HashText("href folder ")); }
uint32_t Last(std::string_view name) { return HashByte(Folder(name), '$'); }
uint32_t Host(std::string_view name) { return HashText(name, HashText("href host ")); }
uint32_t Folders(char number) { return HashText({&number, 1}, HashText("href looks ")); }
uint32_t Query(std::string_view name) { return HashText(name, HashText("href query ")); }
uint32_t Fragment(std::string_view name) { return HashText(name, HashText("href fragment ")); }

TEST(PlainHost, OfUrls) {
  EXPECT_EQ(PlainHost("https://www.example.jp/a/b"), "example.jp");
  EXPECT_EQ(PlainHost("http://user:word@example.jp:8080?q"), "example.jp");
  EXPECT_EQ(PlainHost("https://example.jp"), "example.jp");
  EXPECT_EQ(PlainHost("/a/b"), "");
  EXPECT_EQ(PlainHost(""), "");
}

TEST(VisitAddress, SaysWhereItLeads) {
  for (const char* address : {"/a", "a.html", "../a", "?page=2", "https://example.jp/", "//www.Example.jp/a",
                              "HTTPS://EXAMPLE.JP", "https://example.jp:443/a"}) {
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
    RC_ASSERT(AddressTokens(address, PlainHost(address)).size() <= 3 * address.size() + 1);
  }));
  EXPECT_LE(AddressTokens("/" + Repeat("a/", 100'000)).size(), 20U);
  EXPECT_LE(AddressTokens("?" + Repeat("a&", 100'000)).size(), 512U);
}

}  // namespace
}  // namespace uzushio
