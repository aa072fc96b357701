#include "cli/clean_command.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "base/test_support.h"
#include "cli/commands_list.h"
#include "cli/common.h"
#include "stages/filter/filter.h"

namespace uzushio {
namespace {

class CleanOptionsTest : public FolderTest {
 protected:
  CleanOptionsTest() {
    for (const char* file : {"a.conf", "b.conf"}) {
      std::ofstream(root_ / file) << "output: {format: parquet}\n"
                                  << "stages: [{class: FilterBySentenceLength, min: ${least}, max: "
                                  << (file[0] == 'a' ? 10 : 20) << "}]";
    }
  }

  nlohmann::json IdentityOf(const OptionTexts& given) const {
    auto plan = PlanClean(given);
    EXPECT_TRUE(plan.ok()) << plan.status();
    FilterConfig config;
    SetPlan(*std::move(plan), &config);
    const auto identity = FilterIdentity(config);
    EXPECT_TRUE(identity.ok()) << identity.status();
    return *identity;
  }

  std::string OtherThanDefault(const OptionDeclaration& option) const {
    if (option.name == "config") return root_ / "b.conf";
    if (option.name == "P") return "least=4";
    if (option.name == "set") return "stages.0.min=5";
    if (option.name.ends_with("-format")) return "jsonl";
    if (option.is_number()) return "7";
    if (option.type == OptionType::kFlag) return "";
    return option.choices.empty() ? "other" : option.choices.back();
  }
};

// Its options and its configuration come to what the stage `filter` does, of which the identity of a run is made: one
// that does not is no other run.
TEST_F(CleanOptionsTest, TellEach) {
  const OptionTexts before = {{"output", "out"}, {"config", root_ / "a.conf"}, {"P", "least=3"}};
  const auto common = CommonOptions::Declared().declarations();
  for (const OptionDeclaration& option : CleanCommand().options) {
    const bool is_common = std::ranges::find(common, option.name, &OptionDeclaration::name) != common.end();
    if (is_common || option.name == "shard-size") continue;  // DeclaredFilter has it, too
    OptionTexts after = before;
    std::erase_if(after, [&option](const auto& one) { return one.first == option.name; });
    after.emplace_back(option.name, OtherThanDefault(option));
    EXPECT_EQ(IdentityOf(before) != IdentityOf(after), option.in_identity) << option.flag();
  }
}

}  // namespace
}  // namespace uzushio
