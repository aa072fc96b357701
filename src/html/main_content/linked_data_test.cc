#include "html/main_content/linked_data.h"

#include <gtest/gtest.h>

#include <string>

#include "base/test_support.h"

namespace uzushio {
namespace {

LinkedData Read(std::string_view json) {
  LinkedData data;
  data.Clear();
  data.Read(json);
  data.Finish();
  return data;
}

TEST(LinkedData, NamesKinds) {
  EXPECT_EQ(Read(R"({"@type": "Product", "name": "x"})").kinds(), LinkedData::kProduct);
  EXPECT_EQ(Read(R"([{"@type":["WebPage","FAQPage"]},{"@type":"NewsArticle"}])").kinds(),
            LinkedData::kFaq | LinkedData::kArticle);
  EXPECT_EQ(Read(R"({"@type":"WebSite","name":"Product"})").kinds(), 0U);
}

TEST(LinkedData, KnowsTextsByTheirBeginning) {
  const LinkedData data = Read(
      R"({"description": "An article on how whirlpools come and go. It goes on for a while yet.\nA third line has enough bytes, too",
          "review": {"reviewBody": "Bought it twice, would buy it again"}, "headline": "Whirlpools of the Naruto strait"})");
  EXPECT_EQ(data.RolesOf("An article on how whirlpools come, in other words"), LinkedData::kText);
  EXPECT_EQ(data.RolesOf("It goes on for a while yet. And yet."), LinkedData::kText);
  EXPECT_EQ(data.RolesOf("A third line has enough bytes, too"), LinkedData::kText);
  EXPECT_EQ(data.RolesOf("Bought it twice, would buy it again"), LinkedData::kReview);
  EXPECT_EQ(data.RolesOf("\x02Whirlpools of the Naruto strait\x03"), LinkedData::kName);
  EXPECT_EQ(data.RolesOf("An article"), 0U);
  EXPECT_EQ(data.RolesOf("Something else that is as long as that"), 0U);
}

TEST(LinkedData, JapaneseSentences) {
  const LinkedData data = Read(R"({"articleBody":"渦潮は海の流れが作る。見るなら春の大潮の日がよい。"})");
  EXPECT_EQ(data.RolesOf("見るなら春の大潮の日がよい。"), LinkedData::kText);
}

// Whatever is in the script, strings are told apart as well as can be, and nothing is read past its end.
TEST(LinkedData, TakesBrokenJson) {
  for (const std::string json : {R"({"path": "C:\\", "@type":"Product"})", "", "\"", "\"\\\"",
                                 "{\"@type\":", "{\"@type\"", R"({"name": "a \" quote", "@type":"Product"})"}) {
    const LinkedData data = Read(json);
    EXPECT_EQ(data.kinds(), json.ends_with("}") ? LinkedData::kProduct : 0U) << json;
    EXPECT_EQ(data.RolesOf("a paragraph that is long enough to be looked for"), 0U);
  }
}

TEST(LinkedData, ForgetsTheLastPage) {
  LinkedData data = Read(R"({"@type":"Product","description":"A whirlpool in a glass, for every room"})");
  data.Clear();
  EXPECT_EQ(data.kinds(), 0U);
  EXPECT_EQ(data.RolesOf("A whirlpool in a glass, for every room"), 0U);
}

// Minutes, if any of it were done again for each: empty scripts behind one that is full, the same opening again and
// again, empty lines.
TEST(LinkedData, TakesWhatIsRepeated) {
  constexpr size_t kFull = LinkedData::kMostBytes - 100;
  const std::string same = R"({"text":")" + std::string(kFull, '>') + "\"}";
  const std::string lines = R"({"text":")" + Repeat("\\n", kFull / 2) + "a text that is long enough\"}";
  LinkedData data = Read(lines);
  EXPECT_EQ(data.RolesOf("a text that is long enough"), LinkedData::kText);
  data.Clear();
  data.Read(same);
  for (int i = 0; i < 100'000; ++i) data.Read("");
  data.Finish();
  const std::string paragraph(30, '>');
  for (int i = 0; i < 100'000; ++i) ASSERT_EQ(data.RolesOf(paragraph), LinkedData::kText);
}

TEST(LinkedData, EmptyLinesAndSpacesAreNoText) {
  for (const std::string empty : {"", " ", "\\n", "\\n\\n  \\n"}) {
    for (const std::string border : {"\\n", ". ", "。", ">"}) {
      const LinkedData data = Read("{\"text\":\"" + empty + "first" + border + empty + "a text that is long enough" +
                                   border + empty + border + empty + "another text, as long as that\"}");
      EXPECT_EQ(data.RolesOf("a text that is long enough"), LinkedData::kText);
      EXPECT_EQ(data.RolesOf("another text, as long as that"), LinkedData::kText);
    }
  }
}

TEST(LinkedData, ATextMayHaveSeveralRoles) {
  LinkedData data;
  data.Clear();
  data.Read(R"({"name":"a text that is long enough"})");
  data.Read(R"({"reviewBody":"a text that is long enough"})");
  data.Finish();
  EXPECT_EQ(data.RolesOf("a text that is long enough"), LinkedData::kName | LinkedData::kReview);
}

TEST(LinkedData, ReadsNoMoreThanIsAllowed) {
  LinkedData data;
  data.Clear();
  data.Read(std::string(LinkedData::kMostBytes - 4, ' '));
  data.Read(R"({"@type":"Product"})");
  EXPECT_EQ(data.kinds(), 0U);
}

}  // namespace
}  // namespace uzushio
