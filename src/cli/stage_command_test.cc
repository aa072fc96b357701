#include "cli/stage_command.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace uzushio {
namespace {

// A stage as its folder declares it. `smallest` is what is added here, and nowhere else.
struct ExampleConfig : StageOptions {
  int64_t smallest = 3;
  std::string word_list;
};

const Options<ExampleConfig>& DeclaredExample() {
  static const Options<ExampleConfig> options =
      Options<ExampleConfig>()
          .With(DeclaredOutputFolder())
          .Required()
          .Integer("smallest", &ExampleConfig::smallest, 1, 100, "Skip what is smaller")
          .IdentityUnlessDefault()
          .Path("word-list", &ExampleConfig::word_list, "FILE", "Words")
          .Identity("words",
                    [](const ExampleConfig& config) -> arrow::Result<nlohmann::json> {
                      if (config.word_list == "missing") return arrow::Status::IOError("missing: no such file");
                      return "checksum of " + config.word_list;
                    })
          .With(DeclaredTmp());
  return options;
}

ExampleConfig seen;  // by the last run

arrow::Result<int> RunExample(StageArguments<ExampleConfig>* arguments, const Console& /*console*/) {
  seen = arguments->config;
  return kExitDone;
}

Command ExampleCommand() {
  return MakeCommand("example", "An example", {"INPUT", "Files", true, true}, WithCommon(DeclaredExample()),
                     &RunExample);
}

nlohmann::json IdentityOfRun(const OptionTexts& given) {
  ExampleConfig config;
  EXPECT_TRUE(DeclaredExample().Set(given, &config).ok());
  const auto identity = DeclaredExample().IdentityOf(config);
  return identity.ok() ? *identity : nlohmann::json(identity.status().ToString());
}

TEST(StageCommand, GivesAnOptionToEveryFrontend) {
  const Command command = ExampleCommand();
  // The command line, and Spark, which hands over pairs of name and text.
  std::string error;
  RunHooks hooks;
  hooks.error = [&error](const arrow::Status& status) { error = status.ToString(); };
  const OptionTexts given = {
      {"output", "out"}, {"smallest", "7"}, {"threads", "2"}, {"memory", "1MiB"}, {"overwrite", ""}};
  ASSERT_EQ(command.run({"a"}, given, hooks), kExitDone) << error;
  EXPECT_EQ(seen.smallest, 7);
  EXPECT_EQ(seen.output, "out");
  EXPECT_EQ(seen.threads, 2);
  EXPECT_EQ(seen.memory, 1 << 20);
  EXPECT_TRUE(seen.overwrite);
  // Python, whose functions and stubs are made of this JSON.
  const auto by_python = GivenBy({{"output", "out"}, {"smallest", 8}}, command.options);
  ASSERT_TRUE(by_python.ok());
  ASSERT_EQ(command.run({"a"}, *by_python, hooks), kExitDone) << error;
  EXPECT_EQ(seen.smallest, 8);
  const nlohmann::ordered_json json = ToJson(command);
  const auto option = std::ranges::find_if(json["options"], [](const auto& one) { return one["name"] == "smallest"; });
  ASSERT_NE(option, json["options"].end());
  EXPECT_EQ((*option)["keyword"], "smallest");
  EXPECT_EQ((*option)["default"], "3");
  EXPECT_TRUE((*option)["python"] && (*option)["spark"] && (*option)["program"]);
  // What no stage declares is no option.
  EXPECT_EQ(command.run({"a"}, {{"output", "out"}, {"smalest", "7"}}, hooks), kExitUsage);
  EXPECT_NE(error.find("--smalest: no such option; did you mean --smallest?"), std::string::npos) << error;
  EXPECT_FALSE(GivenBy({{"smalest", 8}}, command.options).ok() &&
               DeclaredExample().Set(*GivenBy({{"smalest", 8}}, command.options), &seen).ok());
}

TEST(StageCommand, TellsRunsApartByWhatTheyDeclare) {
  EXPECT_EQ(IdentityOfRun({{"output", "a"}}), (nlohmann::json{{"words", "checksum of "}}));
  EXPECT_EQ(IdentityOfRun({{"output", "a"}}), IdentityOfRun({{"output", "b"}, {"tmp", "t"}, {"smallest", "3"}}));
  EXPECT_EQ(IdentityOfRun({{"output", "a"}, {"smallest", "4"}, {"word-list", "w"}}),
            (nlohmann::json{{"smallest", 4}, {"words", "checksum of w"}}));
  EXPECT_NE(IdentityOfRun({{"output", "a"}, {"word-list", "missing"}}).dump().find("no such file"), std::string::npos);
}

}  // namespace
}  // namespace uzushio
