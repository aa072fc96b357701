#include "stages/decontaminate/decontaminate.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/test_support.h"

namespace uzushio {
namespace {

class DecontaminateOptions : public FolderTest {
 protected:
  DecontaminateOptions() {
    std::ofstream(root_ / "a.jsonl") << R"({"id": "1", "question": "A question that is long enough"})"
                                     << "\n";
    std::ofstream(root_ / "b.jsonl") << R"({"id": "1", "question": "Another question, long enough, too"})"
                                     << "\n";
  }

  std::string Against(const std::string& name) const { return (root_ / name).string(); }

  nlohmann::json IdentityOf(const OptionTexts& given) const {
    DecontaminateConfig config;
    EXPECT_TRUE(DeclaredDecontaminate().Set(given, &config).ok());
    EXPECT_TRUE(CompleteFolding(&config).ok());
    const auto items = BenchmarkItems::Load(config.against, {.question = "question"}, config.folding);
    EXPECT_TRUE(items.ok()) << items.status();
    config.items = *items;
    const auto identity = DecontaminateIdentity(config);
    EXPECT_TRUE(identity.ok()) << identity.status();
    return *identity;
  }
};

// A run whose option was changed is another run.
TEST_F(DecontaminateOptions, TellEach) {
  const OptionTexts before = {{"output", "out"}, {"against", Against("a.jsonl")}};
  for (const OptionDeclaration& option : DeclaredDecontaminate().declarations()) {
    OptionTexts after = before;
    std::erase_if(after, [&option](const auto& one) { return one.first == option.name; });
    std::string text = "other";
    if (option.name == "against") text = Against("b.jsonl");
    if (option.name == "distinguish") text = "width";
    if (option.type == OptionType::kShare) text = "0.25";
    if (option.type == OptionType::kFlag) text.clear();
    after.emplace_back(option.name, text);
    EXPECT_EQ(IdentityOf(before) != IdentityOf(after), option.in_identity) << option.flag();
  }
}

// Its keys and values are in the manifests of earlier versions, and `explain` reads the filter.
TEST_F(DecontaminateOptions, IdentityIsThatOfEarlierVersions) {
  nlohmann::json identity = IdentityOf({{"output", "out"}, {"against", Against("a.jsonl")}, {"distinguish", "kana"}});
  EXPECT_EQ(identity["items"].get<std::string>().size(), 16U);
  EXPECT_EQ(identity["filters"][0]["against"], nlohmann::json{Against("a.jsonl")});
  identity.erase("items");
  identity["filters"][0].erase("against");
  EXPECT_EQ(identity.dump(),
            R"({"filters":[{"answer":"answer","case":true,"choices":["choices"],"class":"Contamination","high":0.5,)"
            R"("kana":false,"punctuation":true,"question":"question","spaces":true,"width":true}],)"
            R"("id_column":"docId","item_id_column":"id","text_column":"text","url_column":"url"})");
}

}  // namespace
}  // namespace uzushio
