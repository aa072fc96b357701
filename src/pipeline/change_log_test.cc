#include "pipeline/change_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/test_support.h"
#include "storage/local_files.h"

namespace uzushio {
namespace {

using Json = nlohmann::json;

class ChangeLogTest : public FolderTest {
 protected:
  Json File() const { return *ReadJsonObject(root_ / "a.json"); }
  arrow::Result<std::vector<Json>> Changes() const { return ChangeLog(root_ / "a.json").Read(); }

  const Json one_ = {{"one", 1}};
  const Json two_ = {{"two", 2}};
};

TEST_F(ChangeLogTest, WritesTheFileOnce) {
  ChangeLog log(root_ / "a.json");
  ASSERT_TRUE(log.Add(one_, [&] { return one_; }).ok());
  EXPECT_EQ(File(), one_);
  EXPECT_FALSE(log.is_there());
  const auto never = [] { return Json("written again"); };
  ASSERT_TRUE(log.Add(two_, never).ok());
  ASSERT_TRUE(log.Add(one_, never).ok());
  EXPECT_EQ(File(), one_);
  EXPECT_THAT(*Changes(), testing::ElementsAre(two_, one_));
  ASSERT_TRUE(log.WriteFile(two_).ok());
  EXPECT_EQ(File(), two_);
  EXPECT_THAT(*Changes(), testing::IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(root_ / "a.json.log"));
}

TEST_F(ChangeLogTest, PutsWhatAnotherHasLeftIntoTheFile) {
  std::ofstream(root_ / "a.json.log") << R"({"one": 1})" << "\n" << R"({"tw)";
  ChangeLog log(root_ / "a.json");
  EXPECT_THAT(*log.Read(), testing::ElementsAre(one_));  // the other was not noted
  EXPECT_TRUE(log.is_there());
  ASSERT_TRUE(log.Add(two_, [&] { return two_; }).ok());
  EXPECT_EQ(File(), two_);
  EXPECT_FALSE(std::filesystem::exists(root_ / "a.json.log"));
}

TEST_F(ChangeLogTest, WritesTheFileAfterAnError) {
  ChangeLog log(root_ / "a.json");
  ASSERT_TRUE(log.Add(one_, [&] { return one_; }).ok());
  std::filesystem::create_directory(root_ / "a.json.log");
  EXPECT_FALSE(log.Add(two_, [&] { return two_; }).ok());
  EXPECT_EQ(File(), one_);
  ASSERT_TRUE(log.Add(two_, [&] { return two_; }).ok());
  EXPECT_EQ(File(), two_);
}

TEST_F(ChangeLogTest, RefusesADamagedOne) {
  for (const char* line : {"[]", "{", ""}) {
    std::ofstream(root_ / "a.json.log") << line << "\n";
    EXPECT_THAT(Changes().status().message(), testing::HasSubstr("a.json.log: damaged")) << line;
  }
}

TEST_F(ChangeLogTest, AFolderOfOthersIsNoLog) {
  std::filesystem::create_directories(root_ / "state.json.log" / "theirs");
  EXPECT_TRUE(ChangeLog(root_ / "state.json").Read().status().IsIOError());
  EXPECT_TRUE(std::filesystem::exists(root_ / "state.json.log" / "theirs"));
}

}  // namespace
}  // namespace uzushio
