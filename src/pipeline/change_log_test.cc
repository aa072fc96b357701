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
  std::filesystem::path file() const { return root_ / "a.json"; }
  std::filesystem::path log() const { return root_ / "a.json.log"; }
  arrow::Result<std::vector<Json>> Changes() const {
    ARROW_ASSIGN_OR_RAISE(auto contents, ChangeLog(file()).Read());
    return contents.changes;
  }
  Json File() const { return ChangeLog(file()).Read()->file; }
  // Another process writes the file, notes `changes` and is killed.
  void Leave(const Json& whole, const std::vector<Json>& changes) const {
    ChangeLog other(file());
    ASSERT_TRUE(other.WriteFile(whole).ok());
    for (const Json& change : changes) ASSERT_TRUE(other.Add(change, [&] { return whole; }).ok());
  }

  const Json one_ = {{"one", 1}};
  const Json two_ = {{"two", 2}};
};

TEST_F(ChangeLogTest, WritesTheFileOnce) {
  ChangeLog changes(file());
  EXPECT_TRUE(File().is_null());
  ASSERT_TRUE(changes.Add(one_, [&] { return one_; }).ok());
  EXPECT_EQ(File(), one_);
  EXPECT_FALSE(changes.is_there());
  const auto never = [] { return Json("written again"); };
  ASSERT_TRUE(changes.Add(two_, never).ok());
  ASSERT_TRUE(changes.Add(one_, never).ok());
  EXPECT_EQ(File(), one_);
  EXPECT_THAT(*Changes(), testing::ElementsAre(two_, one_));
  ASSERT_TRUE(changes.WriteFile(two_).ok());
  EXPECT_EQ(File(), two_);
  EXPECT_THAT(*Changes(), testing::IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(log()));
}

TEST_F(ChangeLogTest, PutsWhatAnotherHasLeftIntoTheFile) {
  Leave(two_, {one_});
  ASSERT_TRUE(AppendToFile(log(), R"({"tw)").ok());
  ChangeLog changes(file());
  EXPECT_THAT(changes.Read()->changes, testing::ElementsAre(one_));  // the other was not noted
  EXPECT_TRUE(changes.is_there());
  ASSERT_TRUE(changes.Add(two_, [&] { return two_; }).ok());
  EXPECT_EQ(File(), two_);
  EXPECT_FALSE(std::filesystem::exists(log()));
}

// As after a stop between the two, and for who has read the log before the file was written.
TEST_F(ChangeLogTest, ALogIsOfOneFile) {
  Leave(one_, {two_});
  ASSERT_TRUE(WriteFileAtomically(file(), two_.dump()).ok());
  EXPECT_THAT(*Changes(), testing::IsEmpty());
  EXPECT_EQ(File(), two_);
  std::filesystem::remove(file());
  EXPECT_THAT(*Changes(), testing::IsEmpty());
  ChangeLog changes(file());
  ASSERT_TRUE(changes.Read().ok());
  EXPECT_TRUE(changes.is_there());
  ASSERT_TRUE(changes.Add(one_, [&] { return one_; }).ok());
  EXPECT_FALSE(std::filesystem::exists(log()));
}

TEST_F(ChangeLogTest, KnowsNamesThatAreNoUtf8) {
  Leave({{"a\xff", 1}}, {one_});
  EXPECT_THAT(*Changes(), testing::ElementsAre(one_));
}

TEST_F(ChangeLogTest, WritesTheFileAfterAnError) {
  ChangeLog changes(file());
  ASSERT_TRUE(changes.Add(one_, [&] { return one_; }).ok());
  std::filesystem::create_directory(log());
  EXPECT_FALSE(changes.Add(two_, [&] { return two_; }).ok());
  EXPECT_EQ(*ReadJsonObject(file()), one_);
  ASSERT_TRUE(changes.Add(two_, [&] { return two_; }).ok());
  EXPECT_EQ(File(), two_);
}

TEST_F(ChangeLogTest, RefusesADamagedOne) {
  for (const char* line : {"[]", "{", ""}) {
    Leave(one_, {two_});
    ASSERT_TRUE(AppendToFile(log(), std::string(line) + "\n").ok());
    EXPECT_THAT(Changes().status().message(), testing::HasSubstr("a.json.log: damaged")) << line;
  }
  std::ofstream(log()) << R"({"one": 1})" << "\n";
  EXPECT_THAT(Changes().status().message(), testing::HasSubstr("a.json.log: damaged")) << "no file is named";
  std::ofstream(file()) << "[";
  EXPECT_THAT(Changes().status().message(), testing::HasSubstr("a.json: damaged; remove this file"));
}

// Who followed the advice for a damaged one would lose it.
TEST_F(ChangeLogTest, WhatCanNotBeReadIsNotDamaged) {
  std::filesystem::create_directory(file());
  const auto read = ChangeLog(file()).Read();
  EXPECT_TRUE(read.status().IsIOError());
  EXPECT_THAT(read.status().message(), testing::HasSubstr("cannot read"));
}

TEST_F(ChangeLogTest, AFolderOfOthersIsNoLog) {
  std::filesystem::create_directories(log() / "theirs");
  ChangeLog changes(file());
  EXPECT_TRUE(changes.Read().status().IsIOError());
  EXPECT_FALSE(changes.WriteFile(one_).ok());
  EXPECT_TRUE(std::filesystem::exists(log() / "theirs"));
}

}  // namespace
}  // namespace uzushio
