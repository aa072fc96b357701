#include "html/main_content/tokens.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <string>
#include <vector>

#include "base/test_support.h"
#include "html/main_content/hash.h"
#include "html/main_content/test_page.h"

namespace uzushio {
namespace {

using Hashes = std::vector<uint32_t>;

// Of `<p attributes>`.
Hashes TokensOf(const std::string& attributes) {
  class All final : public TokenVisitor {
   public:
    void Token(uint32_t hash) override { hashes.push_back(hash); }
    Hashes hashes;
  };
  const TestPage page("<p " + attributes + ">text");
  All all;
  VisitTokens(page.outline.elements[page.ElementOf("text")].node, &all);
  return all.hashes;
}

uint32_t Part(std::string_view part) { return HashText(part); }
uint32_t Whole(std::string_view name) { return HashByte(HashText(name), '*'); }

TEST(VisitTokens, PartsAndWhole) {
  EXPECT_EQ(TokensOf("class=content"), Hashes{Part("content")});
  EXPECT_EQ(TokensOf("class='postBody-main'"),
            (Hashes{Part("post"), Part("body"), Part("main"), Whole("postbody-main")}));
  EXPECT_EQ(TokensOf("class='NAV nav_Bar'"), (Hashes{Part("nav"), Part("nav"), Part("bar"), Whole("nav_bar")}));
  EXPECT_EQ(TokensOf("id='col2'"), Hashes{Part("col")});
  EXPECT_EQ(TokensOf("class='col2row'"), (Hashes{Part("col"), Part("row"), Whole("col2row")}));
  EXPECT_EQ(TokensOf("class='本文'"), Hashes{Part("本文")});
}

TEST(VisitTokens, LettersAloneAreNone) {
  EXPECT_EQ(TokensOf("class='a'"), Hashes{});
  EXPECT_EQ(TokensOf("class='a-b'"), Hashes{Whole("a-b")});
  EXPECT_EQ(TokensOf("class='a-nav'"), (Hashes{Part("nav"), Whole("a-nav")}));
  EXPECT_EQ(TokensOf("class='12 -- _ '"), Hashes{});
}

TEST(VisitTokens, AttributesThatName) {
  EXPECT_EQ(TokensOf("class id role"), Hashes{});
  EXPECT_EQ(TokensOf("style=nav title=nav data-x=nav href=nav"), Hashes{});
  EXPECT_EQ(TokensOf("id=nav class=bar"), (Hashes{Part("nav"), Part("bar")}));
  for (const std::string name :
       {"role", "itemprop", "itemtype", "aria-label", "data-testid", "data-component", "rel"}) {
    EXPECT_EQ(TokensOf(name + "=nav"), Hashes{HashText("nav", HashText(name))}) << name;
  }
}

TEST(VisitTokens, LongValuesAreCut) {
  EXPECT_EQ(TokensOf("class=" + std::string(600, 'a')), Hashes{Part(std::string(512, 'a'))});
  EXPECT_EQ(TokensOf("class='" + std::string(509, ' ') + "navigation'"), Hashes{Part("nav")});
  EXPECT_EQ(TokensOf("class='" + std::string(511, ' ') + "あ'"), Hashes{});  // a byte is left
  EXPECT_EQ(TokensOf("class='" + Repeat("aa ", 1000) + "'").size(), 171U);
}

TEST(TokenScores, FindsWhatItWasGiven) {
  EXPECT_EQ(TokenScores().Find(0), nullptr);
  EXPECT_EQ(TokenScores().Find(7), nullptr);
  EXPECT_TRUE(rc::check([](const std::map<uint8_t, int16_t>& scores, bool spread) {
    // The same place of the table for many, or numbers in a row.
    const auto hash = [spread](uint32_t key) { return spread ? key * 65536 + 0xFFFF : key - 3; };
    std::vector<TokenScores::Entry> entries;
    for (const auto& [key, score] : scores) entries.push_back({hash(key), score});
    const TokenScores table(entries);
    for (uint32_t key = 0; key < 256; ++key) {
      const int32_t* found = table.Find(hash(key));
      const auto expected = scores.find(static_cast<uint8_t>(key));
      RC_ASSERT((found != nullptr) == (expected != scores.end()));
      if (found != nullptr) RC_ASSERT(*found == expected->second);
    }
  }));
}

TEST(TokenScores, OfAnyNumber) {
  for (uint32_t count : {1U, 2U, 3U, 7U, 8U, 255U, 256U, 257U, 5000U}) {
    std::vector<TokenScores::Entry> entries;
    for (uint32_t i = 0; i < count; ++i) entries.push_back({i * 2, static_cast<int32_t>(i)});
    const TokenScores table(entries);
    for (uint32_t i = 0; i < count; ++i) {
      ASSERT_NE(table.Find(i * 2), nullptr);
      EXPECT_EQ(*table.Find(i * 2), static_cast<int32_t>(i));
      EXPECT_EQ(table.Find(i * 2 + 1), nullptr);
    }
  }
}

}  // namespace
}  // namespace uzushio
