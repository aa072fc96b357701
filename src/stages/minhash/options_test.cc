#include "stages/minhash/options.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <utility>

#include "base/test_support.h"
#include "stages/minhash/indexes.h"

namespace uzushio {
namespace {

class SettledOptionsTest : public FolderTest {
 protected:
  // A file stands for Sudachi's dictionary, of which the identity takes the checksum alone.
  SettledOptionsTest() {
    std::ofstream(root_ / "dictionary") << "a";
    std::ofstream(root_ / "other") << "b";
  }

  // A text that sets an option to another value than its default, or than `dictionary`.
  std::string OtherThanDefault(const OptionDeclaration& option) const {
    if (option.name == "sudachi") return (root_ / "other").string();
    if (option.type == OptionType::kShare) return "0.25";
    if (option.type == OptionType::kFlag) return "";
    if (option.is_number()) return "7";
    return option.choices.empty() ? "other" : option.choices.back();
  }

  MinhashOptions Completed(const OptionTexts& given) const {
    MinhashOptions options;
    EXPECT_TRUE(DeclaredMinhashOptions().Set(given, &options).ok());
    if (options.tokens != Tokens::kCharacters && options.sudachi.empty()) options.sudachi = root_ / "dictionary";
    EXPECT_TRUE(Complete(&options).ok());
    return options;
  }
  std::string Settled(const OptionTexts& given) const {
    const auto json = SettledOptions(Completed(given));
    EXPECT_TRUE(json.ok()) << json.status();
    return json.ok() ? json->dump() : "";
  }
  // What an index says of the options that it was made with.
  std::string KindText(const OptionTexts& given) const {
    const auto kind = KindOf(Completed(given));
    EXPECT_TRUE(kind.ok()) << kind.status();
    if (!kind.ok()) return "";
    const SignatureOptions& signature = kind->signature;
    return nlohmann::json({signature.ngram, signature.buckets, signature.values, kind->keep, kind->tokens,
                           kind->dictionary, kind->texts})
        .dump();
  }
  // An option, with what it needs to have an effect, and without it.
  std::pair<OptionTexts, OptionTexts> WithoutAndWith(const OptionDeclaration& option) const {
    OptionTexts before;
    if (option.name == "sudachi") before = {{"tokens", "sudachi-A"}};
    if (option.name == "index-texts") before = {{"skip-verify", ""}};
    if (option.name == "max-loss-least") before = {{"max-loss", "0.5"}};
    if (option.name == "url-column") before = {{"url", ""}};
    OptionTexts after = before;
    after.emplace_back(option.name, OtherThanDefault(option));
    return {before, after};
  }
};

// A run whose option was changed is another run: nothing of the old one is taken for it.
TEST_F(SettledOptionsTest, TellEachOption) {
  for (const OptionDeclaration& option : DeclaredMinhashOptions().declarations()) {
    const auto [before, after] = WithoutAndWith(option);
    EXPECT_NE(Settled(before), Settled(after)) << option.flag();
  }
}

// Their keys and values are in the manifests of earlier versions.
TEST_F(SettledOptionsTest, AreThoseOfEarlierVersions) {
  EXPECT_EQ(Settled({{"skip-verify", ""}}),
            R"({"buckets":40,"date_column":"date","id_column":"docId","keep":"newest","ngram":5,"text_column":"text",)"
            R"("values":20})");
  EXPECT_EQ(Settled({}), Settled({{"verify", "0.9"}}));
  EXPECT_EQ(Settled({{"edit-similarity", "0.5"}, {"max-loss", "0.25"}, {"url", ""}, {"layout", "dedup-dup"}}),
            R"({"buckets":150,"date_column":"date","edit_similarity":0.5,"id_column":"docId","index_texts":true,)"
            R"("keep":"first","layout":"dedup-dup","max_loss":0.25,"max_loss_least":1000,"ngram":5,)"
            R"("text_column":"text","url":true,"url_column":"url","values":15,"verify":0.8})");
}

// An index says each option that decides between documents, so that none is taken for one of other options. An option
// that is new fails here until KindOf knows it, or it is named among those that do not matter.
TEST_F(SettledOptionsTest, TellTheKindOfAnIndex) {
  const std::set<std::string> do_not_matter = {"contained",      "layout",      "max-loss",
                                               "max-loss-least", "text-column", "verify"};
  for (const OptionDeclaration& option : DeclaredMinhashOptions().declarations()) {
    const auto [before, after] = WithoutAndWith(option);
    EXPECT_EQ(KindText(before) == KindText(after), do_not_matter.contains(option.name)) << option.flag();
  }
}

}  // namespace
}  // namespace uzushio
