#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "filters/chain.h"
#include "filters/filter_scratch.h"

namespace uzushio {
namespace {

using nlohmann::json;

// The paragraphs of a document, with their marks, behind the filter.
std::vector<std::string> Masked(std::string_view text, const json& parameters = json::object()) {
  json filter = parameters;
  filter["class"] = "MaskPersonalData";
  const auto chain = FilterChain::Make(json::array({filter})).ValueOrDie();
  FilterDocument document;
  FilterScratch scratch;
  document.Parse("id", text);
  chain->Apply(&document, &scratch);
  std::vector<std::string> texts;
  document.ForEachAlive([&](const FilterParagraph& paragraph) {
    EXPECT_EQ(StripMarks(paragraph.marked), paragraph.plain);
    texts.emplace_back(paragraph.marked);
  });
  return texts;
}

TEST(MaskPersonalData, KeepsMarks) {
  EXPECT_THAT(Masked("p\x1e\x1c"
                     "連絡は\x02taro@uzushio.jp\x03か\x0e"
                     "03-1234-5678\x0fへ"),
              testing::ElementsAre("連絡は\x02<EMAIL>\x03か\x0e<PHONE>\x0fへ"));
  EXPECT_THAT(Masked("p\x1e\x1c"
                     "03-\x02"
                     "1234-5678\x03へ"),
              testing::ElementsAre("<PHONE>\x02\x03へ"));
  EXPECT_THAT(Masked("table\x1etable\x1c\x16電話\t03-1234-5678\n\x1f\n\x16宛\ttaro@uzushio.jp"),
              testing::ElementsAre("\x16電話\t<PHONE>\n\x1f\n\x16宛\t<EMAIL>"));
  EXPECT_THAT(Masked("p\x1e\x1cなし\x02"
                     "2020\x03年"),
              testing::ElementsAre("なし\x02"
                                   "2020\x03年"));
}

TEST(MaskPersonalData, CodeIfAsked) {
  const std::string text =
      "pre\x1e"
      "code\x1ctaro@uzushio.jp\n\np\x1e\x1c\x0etaro@uzushio.jp\x0f";
  EXPECT_THAT(Masked(text), testing::ElementsAre("<EMAIL>", "\x0e<EMAIL>\x0f"));
  EXPECT_THAT(Masked(text, {{"code", false}}), testing::ElementsAre("taro@uzushio.jp", "\x0e<EMAIL>\x0f"));
}

TEST(MaskPersonalData, KindsAreSwitched) {
  EXPECT_THAT(Masked("taro@uzushio.jp 03-1234-5678", {{"email", false}}),
              testing::ElementsAre("taro@uzushio.jp <PHONE>"));
}

TEST(MaskPersonalData, PseudonymsAreTheSameForTheSameValue) {
  const std::string key = testing::TempDir() + "/mask-key";
  std::ofstream(key) << "0123456789abcdef";
  const auto texts = Masked("a 03-1234-5678\n\nb ０３（１２３４）５６７８\n\nc 03-1234-5679",
                            {{"replacement", "pseudonym"}, {"key", key}});
  ASSERT_EQ(texts.size(), 3);
  EXPECT_EQ(texts[0].substr(2), texts[1].substr(2));
  EXPECT_NE(texts[0].substr(2), texts[2].substr(2));
  EXPECT_TRUE(texts[0].starts_with("a <PHONE:"));
  std::remove(key.c_str());
}

TEST(MaskPersonalData, KeysGoWithPseudonyms) {
  const auto error = [](const json& parameters) {
    json filter = parameters;
    filter["class"] = "MaskPersonalData";
    return FilterChain::Make(json::array({filter})).status().message();
  };
  EXPECT_THAT(error({{"replacement", "pseudonym"}}), testing::HasSubstr("pseudonyms need `key`"));
  EXPECT_THAT(error({{"key", "x"}}), testing::HasSubstr("key: is for pseudonyms"));
  EXPECT_THAT(error({{"replacement", "pseudonym"}, {"key", "/none"}}), testing::HasSubstr("cannot read '/none'"));
}

TEST(MaskPersonalData, Counts) {
  const auto chain = FilterChain::Make(json::parse(R"([{"class": "MaskPersonalData"}])")).ValueOrDie();
  EXPECT_THAT(chain->columns(),
              testing::ElementsAre("email", "telephone", "postal_code", "my_number", "corporate_number", "card",
                                   "bank_account", "ip_address", "license_plate", "coordinates"));
  FilterDocument document;
  FilterScratch scratch;
  document.Parse("id", "taro@uzushio.jp と jiro@uzushio.jp\n\n〒100-0001 東京都 03-1234-5678");
  std::vector<double> metrics(10);
  chain->Measure(&document, &scratch, metrics.data());
  EXPECT_THAT(metrics, testing::ElementsAre(2, 1, 1, 0, 0, 0, 0, 0, 0, 0));
}

}  // namespace
}  // namespace uzushio
