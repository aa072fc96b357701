#include "stages/minhash/options.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/test_support.h"

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

  std::string Settled(OptionTexts given) const {
    MinhashOptions options;
    EXPECT_TRUE(DeclaredMinhashOptions().Set(given, &options).ok());
    if (options.tokens != Tokens::kCharacters && options.sudachi.empty()) options.sudachi = root_ / "dictionary";
    EXPECT_TRUE(Complete(&options).ok());
    const auto json = SettledOptions(options);
    EXPECT_TRUE(json.ok()) << json.status();
    return json.ok() ? json->dump() : "";
  }
};

// A run whose option was changed is another run: nothing of the old one is taken for it.
TEST_F(SettledOptionsTest, TellEachOption) {
  for (const OptionDeclaration& option : DeclaredMinhashOptions().declarations()) {
    OptionTexts before;
    if (option.name == "sudachi") before = {{"tokens", "sudachi-A"}};
    if (option.name == "skip-index-texts") before = {{"verify", "0.5"}};
    if (option.name == "max-loss-least") before = {{"max-loss", "0.5"}};
    if (option.name == "url-column") before = {{"url", ""}};
    OptionTexts after = before;
    after.emplace_back(option.name, OtherThanDefault(option));
    EXPECT_NE(Settled(before), Settled(after)) << option.flag();
  }
}

}  // namespace
}  // namespace uzushio
