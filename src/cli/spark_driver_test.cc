#include "cli/spark_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/test_support.h"
#include "cli/command.h"

namespace uzushio {
namespace {

// A shell in the place of Python: it is there, and then does as the test says.
class SparkDriverTest : public FolderTest {
 protected:
  SparkSettings Shell(const std::string& script) {
    SparkSettings settings;
    settings.python = (root_ / "python").string();
    settings.patience = std::chrono::milliseconds(1);
    std::ofstream(settings.python) << "#!/bin/sh\n" << script;
    std::filesystem::permissions(settings.python, std::filesystem::perms::owner_all);
    return settings;
  }
  // What comes of a step when it answers so; notes are told.
  arrow::Result<nlohmann::ordered_json> Answered(const std::string& answers) {
    ARROW_ASSIGN_OR_RAISE(auto driver, SparkDriver::Start(Shell("echo '{}'\nread line\n" + answers)));
    PreparedStep step;
    step.command = &*std::ranges::find(Commands(), "extract", &Command::name);
    return driver->Run(step, {}, [this](const std::string& note) { notes_.push_back(note); });
  }

  std::vector<std::string> notes_;
};

TEST_F(SparkDriverTest, TellsNotesAndSummary) {
  const auto summary = Answered(R"(echo '{"note": "on Spark"}'; echo '{"summary": {"documents": 3}}')");
  ASSERT_TRUE(summary.ok()) << summary.status().ToString();
  EXPECT_EQ((*summary)["documents"], 3);
  EXPECT_THAT(notes_, testing::ElementsAre("on Spark"));
  EXPECT_TRUE(Answered(R"(echo '{"error": "no", "is_usage": true}')").status().IsInvalid());
  EXPECT_TRUE(Answered(R"(echo '{"error": "no", "is_usage": "yes"}')").status().IsIOError());
}

TEST_F(SparkDriverTest, RefusesOtherAnswers) {
  for (const char* answer : {R"({"note": 5})", R"({"error": {}})", R"({"summary": "all"})", "{}", "[]", "none"}) {
    EXPECT_THAT(Answered("echo '" + std::string(answer) + "'").status().message(),
                testing::HasSubstr("does not answer as it should"))
        << answer;
  }
}

TEST_F(SparkDriverTest, EndsOneThatDoesNotEnd) {
  for (const char* script : {"exec tail -f /dev/null", "trap '' TERM; exec tail -f /dev/null"}) {
    EXPECT_TRUE(SparkDriver::Start(Shell("echo '{}'\n" + std::string(script))).ok()) << script;
  }
}

}  // namespace
}  // namespace uzushio
