#include "storage/local_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/test_support.h"
#include "storage/hashed_file.h"
#include "storage/local_files.h"
#include "storage/local_task_output.h"

// --- what changes folders, taken over from the C library, so that a test can be there before each change ---
// Of syncing nothing is left: no test outlives the machine.

namespace {
thread_local std::function<void()> before_change;

void TellChange() {
  if (!before_change) return;
  const auto tell = std::exchange(before_change, nullptr);  // not about its own changes
  tell();
  before_change = tell;
}
}  // namespace

extern "C" {
int fsync(int) {
  TellChange();
  return 0;
}
int rename(const char* from, const char* to) noexcept {
  TellChange();
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int unlinkat(int folder, const char* path, int flags) noexcept {
  TellChange();
  return static_cast<int>(syscall(SYS_unlinkat, folder, path, flags));
}
int mkdir(const char* path, mode_t mode) noexcept {
  TellChange();
  return static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}
}

namespace uzushio {
namespace {

namespace fs = std::filesystem;

class LocalOutputTest : public FolderTest {
 protected:
  auto Open(int run, bool overwrite = false) {
    return LocalOutput::Open(root_ / "out", nlohmann::json{{"run", run}}, overwrite);
  }
  static void Write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  static std::string Read(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // The files and folders below the test's folder, with the files' contents.
  std::map<std::string, std::string> Tree() const {
    std::map<std::string, std::string> tree;
    for (const TreeEntry& entry : *ListTree(root_)) {
      tree[entry.path] = entry.is_folder ? "(folder)" : Read(root_ / entry.path);
    }
    return tree;
  }
  // A file of a part, with its checksum.
  static WrittenFile WritePart(const fs::path& work, const std::string& path, const std::string& text) {
    auto file = *HashedFile::Create(work / path);
    EXPECT_TRUE(file->Write(text.data(), static_cast<int64_t>(text.size())).ok());
    EXPECT_TRUE(file->Close().ok());
    return file->Written(path, 1);
  }
  // A run that writes one part, unless it is finished, and commits.
  arrow::Status RunToTheEnd(int run, const std::string& text, bool overwrite) {
    ARROW_ASSIGN_OR_RAISE(const auto folder, Open(run, overwrite));
    if (folder->done()) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(nlohmann::json part, folder->FinishedPart("part"));
    if (part.is_null()) {
      part = {{"files", {WritePart(folder->work(), "language=ja/part", text)}}};
      ARROW_RETURN_NOT_OK(folder->FinishPart("part", part));
    }
    return folder->Commit({{"counts", {{"rows", 1}}}, {"files", part["files"]}});
  }
  // A run that writes one part and commits.
  void RunOnce(int run, const std::string& text) {
    auto folder = Open(run, true);
    ASSERT_TRUE(folder.ok()) << folder.status();
    Write((*folder)->work() / "part", text);
    ASSERT_TRUE((*folder)->FinishPart("part", {{"rows", 1}}).ok());
    ASSERT_TRUE((*folder)->Commit({{"counts", 1}}).ok());
  }
  // A run whose one part a task writes, beside what another one has left.
  arrow::Status RunOfTasks(int run, const std::string& text, bool overwrite) {
    ARROW_ASSIGN_OR_RAISE(const auto output,
                          LocalTaskOutput::Open(root_ / "out", nlohmann::json{{"run", run}}, overwrite));
    if (output->done()) return arrow::Status::OK();
    Write(fs::path(output->folder()) / "task" / "part", text);
    Write(fs::path(output->folder()) / "_temporary" / "part", "left");
    Write(fs::path(output->folder()).parent_path() / "tasks-of-before" / "_temporary" / "part", "left");
    Write(fs::path(output->folder()) / "task" / ".part.crc", "left");
    const nlohmann::json files = {{{"path", "language=ja/part"}, {"bytes", text.size()}}};
    return output->Commit({{"counts", {{"rows", 1}}}, {"engine", "spark"}, {"files", files}}, {"task/part"});
  }
  using WholeRun = std::function<arrow::Status(int run, const std::string& text, bool overwrite)>;
  void StopAtEachPoint(const WholeRun& run_to_the_end);
};

// The process is ended before each change in turn; the same run, started again, ends with the same bytes, and until it
// has, the old output or the new one is there, whole.
void LocalOutputTest::StopAtEachPoint(const WholeRun& run_to_the_end) {
  for (const bool overwrite : {false, true}) {
    ASSERT_TRUE(run_to_the_end(2, "new", false).ok());
    const auto expected = Tree();
    const auto holds = [&](const char* folder, const std::string& text) {
      return Read(root_ / folder / "language=ja" / "part") == text;
    };
    int stop_at = 0;
    for (bool stopped = true; stopped;) {
      ++stop_at;
      fs::remove_all(root_ / "out");
      if (overwrite) {
        ASSERT_TRUE(run_to_the_end(1, "old", false).ok());
      }
      const pid_t child = fork();
      if (child == 0) {
        int left = stop_at;
        before_change = [&left] {
          if (--left == 0) _exit(9);
        };
        const bool ok = run_to_the_end(2, "new", overwrite).ok();
        _exit(ok ? 0 : 1);
      }
      int state = 0;
      ASSERT_EQ(waitpid(child, &state, 0), child);
      stopped = WEXITSTATUS(state) == 9;
      ASSERT_TRUE(stopped || WEXITSTATUS(state) == 0) << stop_at;
      const bool new_there = holds("out", "new");
      const bool old_there = holds("out", "old") || holds(".out.replaced", "old");
      EXPECT_TRUE(new_there || old_there || !overwrite) << stop_at;
      EXPECT_TRUE(new_there || stopped) << stop_at;
      const arrow::Status again = run_to_the_end(2, "new", overwrite);
      ASSERT_TRUE(again.ok()) << stop_at << ": " << again;
      EXPECT_EQ(Tree(), expected) << stop_at;
    }
    EXPECT_GT(stop_at, 20);
    fs::remove_all(root_ / "out");
  }
}

TEST_F(LocalOutputTest, CommitsWhole) {
  auto folder = *Open(1);
  EXPECT_FALSE(folder->done());
  Write(folder->work() / "part", "data");
  EXPECT_FALSE(fs::exists(root_ / "out"));
  EXPECT_TRUE(fs::exists(folder->work() / kIncompleteMark));
  ASSERT_TRUE(folder->Commit({{"counts", 1}}).ok());
  EXPECT_EQ(Read(root_ / "out" / "part"), "data");
  EXPECT_FALSE(fs::exists(root_ / "out" / kIncompleteMark));
  EXPECT_FALSE(fs::exists(folder->work()));
  const auto mark = nlohmann::json::parse(Read(root_ / "out" / kManifestName.path));
  EXPECT_EQ(mark["counts"], 1);
  EXPECT_EQ(mark["run"]["run"], 1);
}

TEST_F(LocalOutputTest, ResumesTheSameRunOnly) {
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

TEST_F(LocalOutputTest, KnowsWhatIsDone) {
  RunOnce(1, "data");
  auto folder = *Open(1);
  EXPECT_TRUE(folder->done());
  EXPECT_EQ(folder->success()["counts"], 1);
  EXPECT_FALSE(Open(2).ok());
}

TEST_F(LocalOutputTest, OverwritesItsOwnAndNothingElse) {
  RunOnce(1, "old");
  RunOnce(2, "new");
  EXPECT_EQ(Read(root_ / "out" / "part"), "new");
  fs::remove(root_ / "out" / kManifestName.path);
  EXPECT_FALSE(Open(3, true).ok());
  EXPECT_EQ(Read(root_ / "out" / "part"), "new");
}

TEST_F(LocalOutputTest, WhatLiesWhereOldOutputsArePutAsideStays) {
  fs::create_directories(root_ / ".out.replaced");
  Write(root_ / ".out.replaced" / "mine", "precious");
  RunOnce(1, "old");
  EXPECT_EQ(Read(root_ / "out" / "part"), "old");
  EXPECT_EQ(Read(root_ / ".out.replaced" / "mine"), "precious");
  EXPECT_FALSE(Open(2, true).ok());
  EXPECT_EQ(Read(root_ / ".out.replaced" / "mine"), "precious");
}

TEST_F(LocalOutputTest, AFolderOfOthersWhereWorkWouldGoOnStays) {
  fs::create_directories(root_ / ".out.partial" / "sub");
  for (const bool overwrite : {false, true}) {
    Write(root_ / ".out.partial" / "mine", "precious");
    const auto before = Tree();
    const auto refused = Open(1, overwrite);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.status().message().find("no unfinished run"), std::string::npos) << refused.status();
    EXPECT_EQ(Tree(), before);
  }
  fs::remove_all(root_ / ".out.partial");
  Write(root_ / ".out.partial", "a file");
  EXPECT_FALSE(Open(1, true).ok());
  EXPECT_EQ(Read(root_ / ".out.partial"), "a file");
}

// What an old output has lost while it was being removed is not made good by calling it whole.
TEST_F(LocalOutputTest, AnOldOutputThatIsNotWholeIsNotPutBack) {
  ASSERT_TRUE(RunToTheEnd(1, "old", false).ok());
  fs::rename(root_ / "out", root_ / ".out.replaced");
  fs::remove(root_ / ".out.replaced" / "language=ja" / "part");
  for (const int run : {1, 2}) {
    const auto refused = Open(run);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.status().message().find("not whole"), std::string::npos) << refused.status();
  }
  EXPECT_FALSE(fs::exists(root_ / "out"));
}

// A process that is refused leaves all as it is: the files, the parts and the mark of the first.
TEST_F(LocalOutputTest, OneProcessAtATime) {
  auto first = *Open(1);
  Write(first->work() / "unfinished", "data");
  for (const bool has_part : {false, true}) {
    if (has_part) {
      ASSERT_TRUE(first->FinishPart("a", {{"rows", 5}}).ok());
    }
    const auto before = Tree();
    for (const int run : {1, 2}) {
      for (const bool overwrite : {false, true}) {
        const auto second = Open(run, overwrite);
        ASSERT_FALSE(second.ok());
        EXPECT_NE(second.status().message().find("another process"), std::string::npos) << second.status();
      }
    }
    EXPECT_EQ(Tree(), before);
  }
  ASSERT_TRUE(first->Commit({{"counts", 1}}).ok());
  EXPECT_EQ(Read(root_ / "out" / "unfinished"), "data");
}

TEST_F(LocalOutputTest, IsLockedAtEveryPointOfTheCommit) {
  ASSERT_TRUE(RunToTheEnd(1, "old", false).ok());
  auto first = *Open(2, true);
  const nlohmann::json part = {{"files", {WritePart(first->work(), "part", "new")}}};
  ASSERT_TRUE(first->FinishPart("part", part).ok());
  int points = 0;
  before_change = [&] {
    ++points;
    const auto before = Tree();
    for (const int run : {1, 2}) {
      for (const bool overwrite : {false, true}) EXPECT_FALSE(Open(run, overwrite).ok()) << points;
    }
    EXPECT_EQ(Tree(), before) << points;
  };
  const arrow::Status status = first->Commit({{"counts", 1}, {"files", part["files"]}});
  before_change = nullptr;
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_GT(points, 10);
  EXPECT_EQ(Read(root_ / "out" / "part"), "new");
}

// Who is refused because the unfinished work is another run's does not touch that either.
TEST_F(LocalOutputTest, ARefusedRunLeavesTheUnfinishedWorkOfAnother) {
  {
    const auto first = Open(1);
  }
  fs::create_directories(root_ / ".out.partial" / "_parts");
  Write(root_ / ".out.partial" / "data", "data");
  Write(root_ / ".out.partial" / kIncompleteMark, R"({"run": {"run": 1}})");
  const auto before = Tree();
  EXPECT_FALSE(Open(2).ok());
  EXPECT_EQ(Tree(), before);
}

TEST_F(LocalOutputTest, AStopAtAnyPointIsMadeGood) {
  StopAtEachPoint(
      [this](int run, const std::string& text, bool overwrite) { return RunToTheEnd(run, text, overwrite); });
}

TEST_F(LocalOutputTest, AStopWhereTasksWriteIsMadeGood) {
  StopAtEachPoint(
      [this](int run, const std::string& text, bool overwrite) { return RunOfTasks(run, text, overwrite); });
}

// Tasks of a process that was killed may still write.
TEST_F(LocalOutputTest, WhatTasksLeaveIsNotOfTheOutput) {
  const nlohmann::json run = {{"run", 1}};
  std::string left;
  {
    const auto output = LocalTaskOutput::Open(root_ / "out", run, false);
    ASSERT_TRUE(output.ok()) << output.status();
    left = (*output)->folder();
  }
  EXPECT_TRUE(Tree().empty());
  ASSERT_TRUE(RunOfTasks(1, "data", false).ok());
  EXPECT_NE(fs::path(left).filename(), "");
  EXPECT_EQ(nlohmann::json::parse(Read(root_ / "out" / kManifestName.path))["files"].size(), 1);
  EXPECT_EQ(ListTree(root_ / "out")->size(), 4);  // two folders, the manifest, a part
  EXPECT_TRUE(Open(1).ok());
}

// Neither takes up what the other has left.
TEST_F(LocalOutputTest, TheProgramAndAnEngine) {
  const auto of_tasks = [this](bool overwrite) {
    return LocalTaskOutput::Open(root_ / "out", nlohmann::json{{"run", 1}}, overwrite).status();
  };
  for (const char* run : {R"({"run": 1})", R"({"run": 1, "engine": "spark"})"}) {
    fs::create_directories(root_ / ".out.partial");
    Write(root_ / ".out.partial" / "data", "data");
    Write(root_ / ".out.partial" / kIncompleteMark, std::string(R"({"run": )") + run + "}");
    const auto before = Tree();
    const bool is_engines = std::string(run).find("spark") != std::string::npos;
    const arrow::Status refused = is_engines ? Open(1).status() : of_tasks(false);
    EXPECT_NE(refused.message().find(is_engines ? "or of Spark;" : "or of the local program;"), std::string::npos)
        << refused;
    EXPECT_EQ(Tree(), before);
    EXPECT_TRUE((is_engines ? Open(1, true).status() : of_tasks(true)).ok());
    EXPECT_TRUE(Tree().empty());
  }
}

// After a stop between the two renamings another run does not take the old output for lost.
TEST_F(LocalOutputTest, AnotherRunFindsTheOldOutputInItsPlace) {
  ASSERT_TRUE(RunToTheEnd(1, "old", false).ok());
  fs::rename(root_ / "out", root_ / ".out.replaced");
  EXPECT_FALSE(Open(3).ok());
  EXPECT_EQ(Read(root_ / "out" / "language=ja" / "part"), "old");
  EXPECT_FALSE(fs::exists(root_ / ".out.replaced"));
}

// --- damage to finished parts ---

TEST_F(LocalOutputTest, APartWhoseFilesAreNotAsWrittenIsNotFinished) {
  const std::vector<std::function<void(const fs::path&)>> damages = {
      [](const fs::path& file) { fs::remove(file); }, [](const fs::path& file) { fs::resize_file(file, 2); },
      [](const fs::path& file) { Write(file, "dat\xFF"); },
      [](const fs::path& file) {
        fs::remove(file);
        fs::create_directories(file);
      }};
  for (size_t i = 0; i < damages.size(); ++i) {
    {
      auto folder = *Open(1);
      for (const char* part : {"a", "b"}) {
        const WrittenFile file = WritePart(folder->work(), std::string("language=ja/") + part, "data");
        ASSERT_TRUE(folder->FinishPart(part, {{"files", {file}}}).ok());
      }
    }
    damages[i](root_ / ".out.partial" / "language=ja" / "a");
    auto folder = *Open(1);
    EXPECT_TRUE(folder->FinishedPart("a")->is_null()) << i;
    EXPECT_FALSE(folder->FinishedPart("b")->is_null()) << i;
    fs::remove_all(root_ / ".out.partial");
  }
}

TEST_F(LocalOutputTest, ADamagedRecordIsNoFinishedPart) {
  for (const char* content : {"", "{", "[]", R"({"files": 7})", R"({"files": [{"path": 1, "bytes": "x"}]})"}) {
    auto folder = *Open(1);
    ASSERT_TRUE(folder->FinishPart("a", {{"rows", 1}}).ok());
    Write(folder->work() / "_parts" / "a.json", content);
    const auto part = folder->FinishedPart("a");
    ASSERT_TRUE(part.ok()) << content << part.status();
    EXPECT_TRUE(part->is_null()) << content;
  }
}

// The entries that lead to a part's files are on the disk before the record that names them.
TEST_F(LocalOutputTest, FoldersAreSyncedBeforeTheRecord) {
  auto folder = *Open(1);
  const WrittenFile file = WritePart(folder->work(), "language=ja/deep/part", "data");
  int changes_before_record = 0;
  before_change = [&] {
    if (!fs::exists(folder->work() / "_parts" / "a.json.tmp")) ++changes_before_record;
  };
  ASSERT_TRUE(folder->FinishPart("a", {{"files", {file}}}).ok());
  before_change = nullptr;
  EXPECT_EQ(changes_before_record, 3 + 1);  // three folders; then that of the record, after its renaming
}

// --- the place is looked at again at the commit ---

TEST_F(LocalOutputTest, WhatCameToThePlaceMeanwhileIsNotLost) {
  for (const bool overwrite : {false, true}) {
    {
      auto folder = *Open(1, overwrite);
      Write(folder->work() / "part", "data");
      fs::create_directories(root_ / "out");
      Write(root_ / "out" / "mine", "precious");
      const arrow::Status status = folder->Commit({{"counts", 1}});
      ASSERT_FALSE(status.ok());
      EXPECT_NE(status.message().find("whole in"), std::string::npos) << status;
    }
    EXPECT_EQ(Read(root_ / "out" / "mine"), "precious");
    // What was made is not lost either: the same run finds its place free, and puts it there.
    fs::remove_all(root_ / "out");
    const auto again = Open(1, overwrite);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_TRUE((*again)->done());
    EXPECT_EQ(Read(root_ / "out" / "part"), "data");
    fs::remove_all(root_ / "out");
  }
}

TEST_F(LocalOutputTest, AnotherRunsOutputThatCameMeanwhileIsNotReplaced) {
  ASSERT_TRUE(RunToTheEnd(2, "theirs", false).ok());
  fs::rename(root_ / "out", root_ / "theirs");
  auto folder = *Open(1);
  fs::rename(root_ / "theirs", root_ / "out");
  EXPECT_FALSE(folder->Commit({{"counts", 1}}).ok());
  EXPECT_EQ(Read(root_ / "out" / "language=ja" / "part"), "theirs");
}

TEST_F(LocalOutputTest, OverwriteSparesForeignFilesInsideOurOutput) {
  ASSERT_TRUE(RunToTheEnd(1, "old", false).ok());
  for (const char* foreign : {"notes.txt", "language=ja/notes.txt", "quarantine/notes.txt", ".uzushio/notes.txt",
                              ".uzushio/quarantine/notes.txt", ".notes.crc"}) {
    fs::create_directories((root_ / "out" / foreign).parent_path());
    Write(root_ / "out" / foreign, "precious");
    const auto before = Tree();
    const auto refused = Open(2, true);
    ASSERT_FALSE(refused.ok()) << foreign;
    EXPECT_NE(refused.status().message().find(foreign), std::string::npos) << refused.status();
    EXPECT_EQ(Tree(), before);
    fs::remove(root_ / "out" / foreign);
    // And when it comes while the run is at work.
    auto folder = *Open(2, true);
    Write(root_ / "out" / foreign, "precious");
    EXPECT_FALSE(folder->Commit({{"counts", 1}}).ok()) << foreign;
    EXPECT_EQ(Read(root_ / "out" / foreign), "precious");
    EXPECT_EQ(Read(root_ / "out" / "language=ja" / "part"), "old");
    fs::remove(root_ / "out" / foreign);
    folder.reset();
    fs::remove_all(root_ / ".out.partial");
  }
  ASSERT_TRUE(RunToTheEnd(2, "new", true).ok());
}

// What Spark lists and what it does not.
TEST_F(LocalOutputTest, OverwriteReplacesOutputsOfSpark) {
  fs::create_directories(root_ / "out" / "quarantine");
  const nlohmann::json files = {{{"path", "part-0.zstd.parquet"}, {"bytes", 4}}};
  Write(root_ / "out" / kManifestName.path, nlohmann::json{{"run", {{"run", 1}}}, {"files", files}}.dump());
  Write(root_ / "out" / "part-0.zstd.parquet", "data");
  Write(root_ / "out" / ".part-0.zstd.parquet.crc", "crc");
  Write(root_ / "out" / ".uzushio/.manifest.json.crc", "crc");
  Write(root_ / "out" / "quarantine" / "_piece-0.jsonl.gz", "bad");
  const arrow::Status status = RunToTheEnd(2, "new", true);
  ASSERT_TRUE(status.ok()) << status;
}

TEST_F(LocalOutputTest, ALostLockIsNoticedAtTheCommit) {
  auto first = *Open(1);
  Write(first->work() / "part", "first");
  fs::remove(root_ / ".out.lock");  // by somebody who thinks that it is stale
  auto second = *Open(1);
  Write(second->work() / "part", "second");
  EXPECT_FALSE(first->Commit({{"counts", 1}}).ok());
  first.reset();
  ASSERT_TRUE(second->Commit({{"counts", 1}}).ok());
  EXPECT_EQ(Read(root_ / "out" / "part"), "second");
}

TEST_F(LocalOutputTest, ALinkStandsForTheFolderItLeadsTo) {
  fs::create_directories(root_ / "elsewhere" / "out");
  fs::create_directory_symlink(root_ / "elsewhere" / "out", root_ / "out");
  ASSERT_TRUE(RunToTheEnd(1, "old", false).ok());
  ASSERT_TRUE(RunToTheEnd(2, "new", true).ok());
  EXPECT_TRUE(fs::is_symlink(root_ / "out"));
  EXPECT_EQ(Read(root_ / "elsewhere" / "out" / "language=ja" / "part"), "new");
  fs::remove_all(root_ / "elsewhere" / "out");
  EXPECT_FALSE(Open(1).ok());
}

TEST_F(LocalOutputTest, NamesThatAreNoUtf8AreNoException) {
  const nlohmann::json run = {{"inputs", {"\xFF.warc"}}};
  {
    auto folder = *LocalOutput::Open(root_ / "out", run, false);
    ASSERT_TRUE(folder->Commit({{"counts", 1}}).ok());
  }
  EXPECT_TRUE((*LocalOutput::Open(root_ / "out", run, false))->done());
}

TEST_F(LocalOutputTest, PartsOfTheEarlierLayoutAreMadeAgain) {
  {
    auto folder = *Open(1);
    const auto finish = [&](const char* part, const std::vector<std::string>& paths) {
      nlohmann::json files = nlohmann::json::array();
      for (const std::string& path : paths) files.push_back(WritePart(folder->work(), path, part));
      ASSERT_TRUE(folder->FinishPart(part, {{"files", files}}).ok());
    };
    finish("old", {"language=ja/old", "_full-data/language=ja/old"});
    finish("bad", {"language=ja/bad", "quarantine/_bad.jsonl.gz"});
    finish("both", {"language=ja/both"});
  }
  auto folder = *Open(1);
  EXPECT_TRUE(folder->FinishedPart("old")->is_null());
  EXPECT_TRUE(folder->FinishedPart("bad")->is_null());
  EXPECT_FALSE(folder->FinishedPart("both")->is_null());
  EXPECT_FALSE(fs::exists(folder->work() / "_full-data"));
  EXPECT_FALSE(fs::exists(folder->work() / "quarantine"));
}

// A stop at any step of a commit: the states it leaves, made by hand, and the next run that completes them.
TEST_F(LocalOutputTest, AStopInsideTheCommitIsMadeGood) {
  RunOnce(1, "data");
  const auto success = nlohmann::json::parse(Read(root_ / "out" / kManifestName.path));
  const nlohmann::json mark = {{"run", {{"run", 1}}}, {"success", success}};
  const auto expect_complete = [&] {
    auto folder = *Open(1);
    EXPECT_TRUE(folder->done());
    EXPECT_EQ(nlohmann::json::parse(Read(root_ / "out" / kManifestName.path)), success);
    EXPECT_FALSE(fs::exists(root_ / "out" / kIncompleteMark));
    EXPECT_FALSE(fs::exists(root_ / "out" / "_parts"));
    EXPECT_FALSE(fs::exists(root_ / ".out.lock"));
  };
  // Before .uzushio/manifest.json is written, with the work files still there.
  fs::remove(root_ / "out" / kManifestName.path);
  Write(root_ / "out" / kIncompleteMark, mark.dump());
  fs::create_directories(root_ / "out" / "_parts");
  Write(root_ / ".out.lock", "");
  Write(root_ / "out" / "_SUCCESS.json.tmp", "{");  // by an earlier version
  expect_complete();
  EXPECT_FALSE(fs::exists(root_ / "out" / "_SUCCESS.json.tmp"));
  // Before _INCOMPLETE is removed.
  Write(root_ / "out" / kIncompleteMark, mark.dump());
  expect_complete();
  // Before the folder is renamed.
  fs::rename(root_ / "out", root_ / ".out.partial");
  fs::remove(root_ / ".out.partial" / kManifestName.path);
  Write(root_ / ".out.partial" / kIncompleteMark, mark.dump());
  expect_complete();
  EXPECT_EQ(Read(root_ / "out" / "part"), "data");
  // Before the folder is renamed, and it has been damaged since: it is made anew.
  fs::rename(root_ / "out", root_ / ".out.partial");
  fs::remove(root_ / ".out.partial" / kManifestName.path);
  Write(root_ / ".out.partial" / kIncompleteMark, mark.dump());
  fs::remove(root_ / ".out.partial" / "part");
  auto folder = *Open(1);
  EXPECT_FALSE(folder->done());
  Write(folder->work() / "part", "data");
  ASSERT_TRUE(folder->Commit({{"counts", 1}}).ok());
  EXPECT_EQ(nlohmann::json::parse(Read(root_ / "out" / kManifestName.path)), success);
}

TEST_F(LocalOutputTest, RefusesPlacesThatAreNone) {
  for (const char* path : {".", "..", "/"}) EXPECT_FALSE(LocalOutput::Open(path, {}, false).ok()) << path;
}

// --- stops at every step, as states of the folders ---

// A stop before the run has begun its work: the folder is there, with any first part of what Open makes.
TEST_F(LocalOutputTest, ALockThatIsLeftIsRemovedAndOneThatIsHeldIsNot) {
  const fs::path lock = root_ / ".output.lock";
  ASSERT_TRUE(RemoveLeftLock(root_ / "output").ok());
  std::ofstream(lock) << "";
  ASSERT_TRUE(RemoveLeftLock(root_ / "output").ok());
  EXPECT_FALSE(fs::exists(lock));
  const auto held = LockFile::Try(lock);
  ASSERT_TRUE(RemoveLeftLock(root_ / "output").ok());
  EXPECT_TRUE((*held)->held());
}

TEST_F(LocalOutputTest, AStopInsideOpenIsMadeGood) {
  const fs::path work = root_ / ".out.partial";
  for (int step = 0; step < 4; ++step) {
    fs::create_directories(work);
    if (step > 0) Write(root_ / ".out.lock", "");
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

TEST_F(LocalOutputTest, AStopWhileAPartIsNotedLosesThatPartOnly) {
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

TEST_F(LocalOutputTest, OverwriteDropsAnotherRunsUnfinishedWork) {
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

TEST_F(LocalOutputTest, DamagedMarksAreErrorsOrDoNotCount) {
  RunOnce(1, "data");
  for (const char* content : {"", "{", "[]", "7", "null", "\"text\""}) {
    Write(root_ / "out" / kManifestName.path, content);
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

TEST_F(LocalOutputTest, FinishedPartsOutliveADamagedMark) {
  {
    auto folder = *Open(1);
    ASSERT_TRUE(folder->FinishPart("a", {{"rows", 5}}).ok());
  }
  const std::string mark = Read(root_ / ".out.partial" / kIncompleteMark);
  Write(root_ / ".out.partial" / kIncompleteMark, "{");
  EXPECT_FALSE(Open(1).ok());
  Write(root_ / ".out.partial" / kIncompleteMark, mark);
  EXPECT_EQ((*(*Open(1))->FinishedPart("a"))["rows"], 5);
  Write(root_ / ".out.partial" / kIncompleteMark, "{");
  EXPECT_TRUE((*Open(1, true))->FinishedPart("a")->is_null());
}

TEST_F(LocalOutputTest, ForeignFilesAndFoldersAreLeftAlone) {
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

TEST_F(LocalOutputTest, AnEmptyFolderMayBeThere) {
  fs::create_directories(root_ / "out");
  RunOnce(1, "data");
  EXPECT_EQ(Read(root_ / "out" / "part"), "data");
}

TEST_F(LocalOutputTest, TheFolderMayBeNamedWithASlash) {
  auto folder = LocalOutput::Open((root_ / "out").string() + "/", {{"run", 1}}, false);
  ASSERT_TRUE(folder.ok()) << folder.status();
  ASSERT_TRUE((*folder)->Commit({}).ok());
  EXPECT_TRUE(fs::exists(root_ / "out" / kManifestName.path));
}

TEST_F(LocalOutputTest, NothingIsLeftBesideTheOutput) {
  RunOnce(1, "old");
  RunOnce(2, "new");
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(root_)) names.push_back(entry.path().filename());
  EXPECT_EQ(names, std::vector<std::string>{"out"});
  names.clear();
  for (const auto& entry : fs::directory_iterator(root_ / "out")) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{kOwnFolder, "part"}));
}

}  // namespace
}  // namespace uzushio
