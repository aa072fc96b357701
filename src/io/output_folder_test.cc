#include "io/output_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "base/test_support.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

class OutputFolderTest : public FolderTest {
 protected:
  auto Open(int run, bool overwrite = false) {
    return OutputFolder::Open(root_ / "out", nlohmann::json{{"run", run}}, overwrite);
  }
  static void Write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string Read(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // A run that writes one part and commits.
  void RunOnce(int run, const std::string& text) {
    auto folder = Open(run, true);
    ASSERT_TRUE(folder.ok()) << folder.status();
    Write((*folder)->work() / "part", text);
    ASSERT_TRUE((*folder)->FinishPart("part", {{"rows", 1}}).ok());
    ASSERT_TRUE((*folder)->Commit({{"counts", 1}}).ok());
  }
};

TEST_F(OutputFolderTest, CommitsWhole) {
  auto folder = *Open(1);
  EXPECT_FALSE(folder->done());
  Write(folder->work() / "part", "data");
  EXPECT_FALSE(fs::exists(root_ / "out"));
  EXPECT_TRUE(fs::exists(folder->work() / kIncompleteMark));
  ASSERT_TRUE(folder->Commit({{"counts", 1}}).ok());
  EXPECT_EQ(Read(root_ / "out" / "part"), "data");
  EXPECT_FALSE(fs::exists(root_ / "out" / kIncompleteMark));
  EXPECT_FALSE(fs::exists(folder->work()));
  const auto mark = nlohmann::json::parse(Read(root_ / "out" / kSuccessMark));
  EXPECT_EQ(mark["counts"], 1);
  EXPECT_EQ(mark["run"]["run"], 1);
}

TEST_F(OutputFolderTest, ResumesTheSameRunOnly) {
  {
    auto folder = *Open(1);
    Write(folder->work() / "part", "data");
    ASSERT_TRUE(folder->FinishPart("a", {{"rows", 5}}).ok());
  }
  EXPECT_FALSE(Open(2).ok());
  auto folder = *Open(1);
  EXPECT_EQ((*folder->FinishedPart("a"))["rows"], 5);
  EXPECT_TRUE(folder->FinishedPart("b")->is_null());
}

TEST_F(OutputFolderTest, KnowsWhatIsDone) {
  RunOnce(1, "data");
  auto folder = *Open(1);
  EXPECT_TRUE(folder->done());
  EXPECT_EQ(folder->success()["counts"], 1);
  EXPECT_FALSE(Open(2).ok());
}

TEST_F(OutputFolderTest, OverwritesItsOwnAndNothingElse) {
  RunOnce(1, "old");
  RunOnce(2, "new");
  EXPECT_EQ(Read(root_ / "out" / "part"), "new");
  fs::remove(root_ / "out" / kSuccessMark);
  EXPECT_FALSE(Open(3, true).ok());
  EXPECT_EQ(Read(root_ / "out" / "part"), "new");
}

TEST_F(OutputFolderTest, OneProcessAtATime) {
  auto first = *Open(1);
  const auto second = Open(1);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.status().message().find("another process"), std::string::npos);
}

// A stop at any step of a commit: the states it leaves, made by hand, and the next run that completes them.
TEST_F(OutputFolderTest, AStopInsideTheCommitIsMadeGood) {
  RunOnce(1, "data");
  const auto success = nlohmann::json::parse(Read(root_ / "out" / kSuccessMark));
  const nlohmann::json mark = {{"run", {{"run", 1}}}, {"success", success}};
  const auto expect_complete = [&] {
    auto folder = *Open(1);
    EXPECT_TRUE(folder->done());
    EXPECT_EQ(nlohmann::json::parse(Read(root_ / "out" / kSuccessMark)), success);
    EXPECT_FALSE(fs::exists(root_ / "out" / kIncompleteMark));
    EXPECT_FALSE(fs::exists(root_ / "out" / "_parts"));
    EXPECT_FALSE(fs::exists(root_ / "out" / "_lock"));
  };
  // Before _SUCCESS.json is written, with the work files still there.
  fs::remove(root_ / "out" / kSuccessMark);
  Write(root_ / "out" / kIncompleteMark, mark.dump());
  fs::create_directories(root_ / "out" / "_parts");
  Write(root_ / "out" / "_lock", "");
  expect_complete();
  // Before _INCOMPLETE is removed.
  Write(root_ / "out" / kIncompleteMark, mark.dump());
  expect_complete();
  // Before the folder is renamed.
  fs::rename(root_ / "out", root_ / ".out.partial");
  fs::remove(root_ / ".out.partial" / kSuccessMark);
  Write(root_ / ".out.partial" / kIncompleteMark, mark.dump());
  auto folder = *Open(1);
  EXPECT_FALSE(folder->done());
  ASSERT_TRUE(folder->Commit({{"counts", 1}}).ok());
  EXPECT_EQ(Read(root_ / "out" / "part"), "data");
}

TEST_F(OutputFolderTest, RefusesPlacesThatAreNone) {
  for (const char* path : {".", "..", "/"}) EXPECT_FALSE(OutputFolder::Open(path, {}, false).ok()) << path;
}

// --- stops at every step, as states of the folders ---

// A stop before the run has begun its work: the folder is there, with any first part of what Open makes.
TEST_F(OutputFolderTest, AStopInsideOpenIsMadeGood) {
  const fs::path work = root_ / ".out.partial";
  for (int step = 0; step < 4; ++step) {
    fs::create_directories(work);
    if (step > 0) Write(work / "_lock", "");
    if (step == 2) Write(work / (std::string(kIncompleteMark) + ".tmp"), "{\"ru");
    if (step == 3) Write(work / kIncompleteMark, nlohmann::json{{"run", {{"run", 1}}}}.dump());
    for (const bool overwrite : {false, true}) {
      auto folder = Open(1, overwrite);
      ASSERT_TRUE(folder.ok()) << step << folder.status();
      EXPECT_TRUE((*folder)->FinishPart("part", {{"rows", 1}}).ok()) << step;
    }
    {
      auto folder = *Open(1);
      Write(folder->work() / "part", "data");
      ASSERT_TRUE(folder->Commit({{"counts", 1}}).ok()) << step;
    }
    EXPECT_TRUE((*Open(1))->done()) << step;
    fs::remove_all(root_ / "out");
  }
}

TEST_F(OutputFolderTest, AStopInsideAnOverwriteIsMadeGood) {
  RunOnce(2, "new");
  const auto success = nlohmann::json::parse(Read(root_ / "out" / kSuccessMark));
  const nlohmann::json mark = {{"run", {{"run", 2}}}, {"success", success}};
  // The old output is put aside, the new one not yet in its place.
  fs::rename(root_ / "out", root_ / ".out.partial");
  fs::remove(root_ / ".out.partial" / kSuccessMark);
  Write(root_ / ".out.partial" / kIncompleteMark, mark.dump());
  fs::create_directories(root_ / ".out.partial" / "_parts");
  fs::create_directories(root_ / ".out.replaced");
  Write(root_ / ".out.replaced" / "part", "old");
  {
    auto folder = *Open(2, true);
    EXPECT_FALSE(folder->done());
    ASSERT_TRUE(folder->Commit({{"counts", 1}}).ok());
  }
  EXPECT_EQ(Read(root_ / "out" / "part"), "new");
  EXPECT_FALSE(fs::exists(root_ / ".out.replaced"));
  // The new one is in its place, the old one not yet removed.
  fs::remove(root_ / "out" / kSuccessMark);
  Write(root_ / "out" / kIncompleteMark, mark.dump());
  fs::create_directories(root_ / ".out.replaced");
  Write(root_ / ".out.replaced" / "part", "old");
  EXPECT_TRUE((*Open(2))->done());
  EXPECT_EQ(Read(root_ / "out" / "part"), "new");
  EXPECT_FALSE(fs::exists(root_ / ".out.replaced"));
}

TEST_F(OutputFolderTest, AStopWhileAPartIsNotedLosesThatPartOnly) {
  {
    auto folder = *Open(1);
    ASSERT_TRUE(folder->FinishPart("a", {{"rows", 1}}).ok());
    Write(folder->work() / "_parts" / "b.json.tmp", "{\"ro");
  }
  auto folder = *Open(1);
  EXPECT_EQ((*folder->FinishedPart("a"))["rows"], 1);
  EXPECT_TRUE(folder->FinishedPart("b")->is_null());
  EXPECT_TRUE(folder->FinishPart("b", {{"rows", 2}}).ok());
  EXPECT_EQ((*folder->FinishedPart("b"))["rows"], 2);
}

TEST_F(OutputFolderTest, OverwriteDropsAnotherRunsUnfinishedWork) {
  {
    auto folder = *Open(1);
    Write(folder->work() / "stale", "data");
    ASSERT_TRUE(folder->FinishPart("a", {{"rows", 5}}).ok());
  }
  auto folder = *Open(2, true);
  EXPECT_FALSE(fs::exists(folder->work() / "stale"));
  EXPECT_TRUE(folder->FinishedPart("a")->is_null());
  EXPECT_TRUE(folder->FinishPart("a", {{"rows", 6}}).ok());
}

TEST_F(OutputFolderTest, DamagedMarksAreErrorsOrDoNotCount) {
  RunOnce(1, "data");
  for (const char* content : {"", "{", "[]", "7", "null", "\"text\""}) {
    Write(root_ / "out" / kSuccessMark, content);
    bool ok = true;
    EXPECT_NO_THROW(ok = Open(1).ok()) << content;
    EXPECT_FALSE(ok) << content;
    EXPECT_EQ(Read(root_ / "out" / "part"), "data");
  }
  fs::remove_all(root_ / "out");
  for (const char* content : {"", "{", "[]", "7"}) {
    fs::create_directories(root_ / ".out.partial");
    Write(root_ / ".out.partial" / kIncompleteMark, content);
    EXPECT_NO_THROW(Open(1)) << content;
    fs::remove_all(root_ / ".out.partial");
  }
}

TEST_F(OutputFolderTest, ForeignFilesAndFoldersAreLeftAlone) {
  Write(root_ / "out", "a file");
  for (const bool overwrite : {false, true}) EXPECT_FALSE(Open(1, overwrite).ok());
  EXPECT_EQ(Read(root_ / "out"), "a file");
  fs::remove(root_ / "out");
  fs::create_directories(root_ / "out");
  Write(root_ / "out" / "mine", "data");
  for (const bool overwrite : {false, true}) EXPECT_FALSE(Open(1, overwrite).ok());
  EXPECT_EQ(Read(root_ / "out" / "mine"), "data");
  EXPECT_FALSE(fs::exists(root_ / ".out.partial"));
}

TEST_F(OutputFolderTest, AnEmptyFolderMayBeThere) {
  fs::create_directories(root_ / "out");
  RunOnce(1, "data");
  EXPECT_EQ(Read(root_ / "out" / "part"), "data");
}

TEST_F(OutputFolderTest, TheFolderMayBeNamedWithASlash) {
  auto folder = OutputFolder::Open((root_ / "out").string() + "/", {{"run", 1}}, false);
  ASSERT_TRUE(folder.ok()) << folder.status();
  ASSERT_TRUE((*folder)->Commit({}).ok());
  EXPECT_TRUE(fs::exists(root_ / "out" / kSuccessMark));
}

TEST_F(OutputFolderTest, NothingIsLeftBesideTheOutput) {
  RunOnce(1, "old");
  RunOnce(2, "new");
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(root_)) names.push_back(entry.path().filename());
  EXPECT_EQ(names, std::vector<std::string>{"out"});
  names.clear();
  for (const auto& entry : fs::directory_iterator(root_ / "out")) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{kSuccessMark, "part"}));
}

}  // namespace
}  // namespace uzushio
