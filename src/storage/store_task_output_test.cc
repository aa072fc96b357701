#include "storage/store_task_output.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/test_support.h"
#include "storage/local_files.h"
#include "storage/store_output.h"
#include "storage/stored_names.h"

namespace uzushio {
namespace {

enum class TaskFault {
  kRefused,     // it is not done
  kDoneOnce,    // it is done, and an error comes all the same
  kDead,        // the process ends before it: nothing is done from here on
  kDeadBehind,  // the process ends behind it; where it moves an object, that is at both places
};

// A store in memory. Its folders are what names have in common.
class MemoryFiles : public StoreFiles {
 public:
  std::map<std::string, std::string> objects;
  std::function<void()> before;  // each change
  int fail_at = -1;              // the number of a change
  TaskFault fault = TaskFault::kDead;
  int changes = 0;

  void FailAt(TaskFault kind, int number) {
    fault = kind;
    fail_at = number;
    changes = 0;
  }

  arrow::Result<std::map<std::string, int64_t>> List(const std::string& folder) override {
    const std::lock_guard lock(mutex_);
    ARROW_RETURN_NOT_OK(Alive());
    std::map<std::string, int64_t> found;
    for (const auto& [path, content] : objects) {
      if (path.starts_with(folder + "/")) found[path] = static_cast<int64_t>(content.size());
    }
    return found;
  }
  arrow::Result<bool> Has(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    ARROW_RETURN_NOT_OK(Alive());
    return objects.contains(path);
  }
  arrow::Result<std::optional<std::string>> Read(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    ARROW_RETURN_NOT_OK(Alive());
    const auto found = objects.find(path);
    return found == objects.end() ? std::nullopt : std::optional(found->second);
  }
  arrow::Status Write(const std::string& path,
                      const std::function<arrow::Status(arrow::io::OutputStream*)>& write) override {
    ARROW_ASSIGN_OR_RAISE(const auto stream, arrow::io::BufferOutputStream::Create());
    ARROW_RETURN_NOT_OK(write(stream.get()));
    ARROW_ASSIGN_OR_RAISE(const auto content, stream->Finish());
    return Change("put " + path, [&](bool) { objects[path] = content->ToString(); });
  }
  arrow::Status Delete(const std::string& path) override {
    return Change("delete " + path, [&](bool) { objects.erase(path); });
  }
  arrow::Status Move(const std::string& from, const std::string& to) override {
    {
      const std::lock_guard lock(mutex_);
      ARROW_RETURN_NOT_OK(Alive());
      if (!objects.contains(from) || objects.contains(to)) return arrow::Status::IOError("cannot move ", from);
    }
    return Change("move " + from, [&](bool is_cut) {
      objects[to] = objects[from];
      if (!is_cut) objects.erase(from);
    });
  }
  void DropIfEmpty(const std::string&) override {}
  arrow::Status DropTree(const std::string& folder) override {
    return Change("drop " + folder, [&](bool) {
      std::erase_if(objects, [&folder](const auto& object) { return object.first.starts_with(folder + "/"); });
    });
  }
  bool keeps_folders() const override { return true; }

 private:
  bool IsDeadly() const { return fault == TaskFault::kDead || fault == TaskFault::kDeadBehind; }
  arrow::Status Alive() const {
    return fail_at >= 0 && IsDeadly() && changes > fail_at ? arrow::Status::IOError("dead") : arrow::Status::OK();
  }
  arrow::Status Change(const std::string& name, const std::function<void(bool is_cut)>& change) {
    if (before) before();
    const std::lock_guard lock(mutex_);
    ARROW_RETURN_NOT_OK(Alive());
    const bool fails = changes++ == fail_at;
    const arrow::Status error = arrow::Status::IOError("injected at ", name);
    if (fails && (fault == TaskFault::kRefused || fault == TaskFault::kDead)) return error;
    change(fails && fault == TaskFault::kDeadBehind);
    return fails ? error : arrow::Status::OK();
  }

  std::mutex mutex_;
};

class StoreTaskOutputTest : public FolderTest {
 protected:
  StoreTaskOutputTest() { StoreLock::first_pause = std::chrono::milliseconds(0); }
  StorePlace Place() const { return {files_, "bucket/out", "s3://bucket/out"}; }
  auto Open(int run, bool overwrite = false, const std::string& tmp = "tmp", const nlohmann::json& about = nullptr) {
    return StoreTaskOutput::Open(Place(), {{"run", run}}, overwrite, (root_ / tmp).string(), about);
  }
  static std::map<std::string, std::string> TextsOf(int run) {
    const std::string text = "of run " + std::to_string(run);
    std::map<std::string, std::string> files = {{"part-00000.parquet", "first " + text},
                                                {"language=ja/part-00001.parquet", "second " + text},
                                                {".uzushio/texts.pq", "own " + text}};
    if (run % 2 == 1) files["only-odd.parquet"] = "odd " + text;
    return files;
  }
  // What tasks write, and what those that are killed leave. The sources are not called as the files are.
  arrow::Status Work(TaskOutput* output, int run) {
    nlohmann::json listed = nlohmann::json::array();
    std::vector<std::string> sources;
    for (const auto& [path, text] : TextsOf(run)) {
      files_->objects["bucket/" + output->folder() + "/tasks/" + path] = text;
      listed.push_back({{"path", path}, {"bytes", text.size()}});
      sources.push_back("tasks/" + path);
    }
    files_->objects["bucket/" + output->folder() + "/_temporary/0"] = "left";
    return output->Commit({{"counts", {{"run", run}}}, {"engine", "spark"}, {"files", listed}}, sources);
  }
  arrow::Status Run(int run, bool overwrite = false, const std::string& tmp = "tmp") {
    ARROW_ASSIGN_OR_RAISE(const auto output, Open(run, overwrite, tmp));
    if (output->done()) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(Work(output.get(), run));
    return output->Close();
  }
  // The run whose output a reader sees, whole; none where there is none.
  std::optional<int> Seen() const {
    const auto manifest = files_->objects.find("bucket/out/.uzushio/manifest.json");
    if (manifest == files_->objects.end() || files_->objects.contains("bucket/out/_INCOMPLETE")) return std::nullopt;
    const nlohmann::json json = ParseJsonObject(manifest->second);
    const int run = json["run"]["run"];
    for (const auto& [path, text] : TextsOf(run)) {
      const auto object = files_->objects.find("bucket/out/" + StoredName(path, json["name_hash"]));
      EXPECT_TRUE(object != files_->objects.end() && object->second == text) << path;
    }
    EXPECT_EQ(json["files"].size(), TextsOf(run).size());
    return run;
  }
  // Nothing is there but the output of a run and what is others'.
  void ExpectOnly(int run) const {
    EXPECT_EQ(Seen(), run);
    const auto others =
        std::ranges::count_if(files_->objects, [](const auto& object) { return object.second == "of others"; });
    EXPECT_EQ(files_->objects.size(), TextsOf(run).size() + 1 + static_cast<size_t>(others));
  }

  std::shared_ptr<MemoryFiles> files_ = std::make_shared<MemoryFiles>();
};

TEST_F(StoreTaskOutputTest, MovesFilesToNamesOfTheirOwn) {
  ASSERT_TRUE(Run(1).ok());
  ExpectOnly(1);
  const auto before = files_->objects;
  ASSERT_TRUE(Run(1).ok());
  EXPECT_EQ(files_->objects, before);
  EXPECT_FALSE(std::filesystem::exists(root_ / "tmp") && !std::filesystem::is_empty(root_ / "tmp"));
}

TEST_F(StoreTaskOutputTest, TheSameRunAgainHasOtherNames) {
  ASSERT_TRUE(Run(1).ok());
  const std::string hash = ParseJsonObject(files_->objects["bucket/out/.uzushio/manifest.json"])["name_hash"];
  ASSERT_TRUE(Run(1, true).ok());
  ExpectOnly(1);
  EXPECT_NE(ParseJsonObject(files_->objects["bucket/out/.uzushio/manifest.json"])["name_hash"], hash);
}

TEST_F(StoreTaskOutputTest, ReplacesOnlyWhenToldAndOnlyWhatIsOurs) {
  ASSERT_TRUE(Run(1).ok());
  const auto before = files_->objects;
  EXPECT_NE(Run(2).message().find("holds the output of a run with other inputs"), std::string::npos);
  EXPECT_EQ(files_->objects, before);
  files_->objects["bucket/out/notes.txt"] = "mine";
  EXPECT_NE(Run(2, true).message().find("notes.txt: was not written by the run"), std::string::npos);
  files_->objects.erase("bucket/out/notes.txt");
  EXPECT_EQ(files_->objects, before);
  ASSERT_TRUE(Run(2, true).ok());
  ExpectOnly(2);
}

TEST_F(StoreTaskOutputTest, ALostFileIsNoticed) {
  ASSERT_TRUE(Run(1).ok());
  std::erase_if(files_->objects, [](const auto& object) { return object.first.find("only-odd") != std::string::npos; });
  EXPECT_NE(Run(1).message().find("is missing, and the manifest lists it"), std::string::npos);
  ASSERT_TRUE(Run(1, true).ok());
  ExpectOnly(1);
}

TEST_F(StoreTaskOutputTest, OneWritesAtATime) {
  {
    const auto first = Open(1);
    ASSERT_TRUE(first.ok());
    for (const bool overwrite : {false, true}) {
      EXPECT_NE(Open(1, overwrite).status().message().find("another process is writing"), std::string::npos);
      EXPECT_NE(Open(2, overwrite, "elsewhere").status().message().find("another process is writing"),
                std::string::npos);
    }
    EXPECT_TRUE(Work(first->get(), 1).ok());
  }
  ExpectOnly(1);
}

TEST_F(StoreTaskOutputTest, ARunThatFailsLeavesNothing) {
  files_->objects["bucket/other"] = "of others";
  {
    const auto output = Open(1);
    ASSERT_TRUE(output.ok());
    files_->objects["bucket/" + (*output)->folder() + "/part-00000.parquet"] = "half";
  }
  EXPECT_EQ(files_->objects.size(), 1);
}

// The lock was taken away: what the other has begun stays.
TEST_F(StoreTaskOutputTest, WhoLosesTheLockCommitsNothing) {
  const auto first = Open(1);
  ASSERT_TRUE(first.ok());
  std::erase_if(files_->objects, [](const auto& object) { return object.first.find("/lock-") != std::string::npos; });
  const auto second = Open(2, false, "elsewhere");
  ASSERT_TRUE(second.ok());
  EXPECT_NE(Work(first->get(), 1).message().find("the lock of this process is gone"), std::string::npos);
  ASSERT_TRUE((*first)->Close().ok());
  ASSERT_TRUE(Work(second->get(), 2).ok());
  ASSERT_TRUE((*second)->Close().ok());
  ExpectOnly(2);
}

// A cluster that starts a driver again has ended the one before, on whatever machine.
TEST_F(StoreTaskOutputTest, AnotherAttemptOfTheApplicationTakesOver) {
  const auto lock = [](const std::string& application, const std::string& process) {
    return nlohmann::json(
        {{"application", application}, {"process", process}, {"host", "far"}, {"has_attempts", true}});
  };
  files_->objects["bucket/out/.uzushio/lock-0.json"] = lock("a", "1").dump();
  EXPECT_NE(Open(1, false, "tmp", lock("b", "1")).status().message().find("a, process unknown on far"),
            std::string::npos);
  EXPECT_FALSE(Open(1, false, "tmp", lock("a", "1")).ok());
  nlohmann::json elsewhere = lock("a", "2");
  elsewhere["has_attempts"] = false;  // where a name says nothing
  EXPECT_FALSE(Open(1, false, "tmp", elsewhere).ok());
  EXPECT_TRUE(Open(1, false, "tmp", lock("a", "2")).ok());
  EXPECT_TRUE(files_->objects.empty());
}

// Neither goes on with what the other has left; nobody throws away what is whole.
TEST_F(StoreTaskOutputTest, TheLocalProgramAndAnEngine) {
  const auto local = [&](bool overwrite) {
    return StoreOutput::OpenAt(Place(), {{"run", 1}}, overwrite, (root_ / "tmp").string()).status();
  };
  for (int at = 0;; ++at) {
    files_->objects.clear();
    files_->FailAt(TaskFault::kDead, at);
    ASSERT_FALSE(Run(1).ok());
    files_->fail_at = -1;
    const auto record = files_->objects.find("bucket/out/.uzushio/work.json");
    if (record == files_->objects.end()) continue;
    const bool is_whole = record->second.find("success") != std::string::npos;
    const arrow::Status here = local(false);
    EXPECT_EQ(here.ok(), !is_whole) << here;
    if (!is_whole) continue;
    EXPECT_NE(here.message().find("finish it on Spark"), std::string::npos);
    EXPECT_TRUE(local(true).ok());
    EXPECT_FALSE(files_->objects.contains("bucket/out/.uzushio/work.json"));
    break;
  }
  ASSERT_TRUE(Run(1).ok());
  EXPECT_TRUE(local(false).ok());  // it is done
  ExpectOnly(1);
}

TEST_F(StoreTaskOutputTest, AnotherRunsWholeWorkIsNotThrownAway) {
  for (int at = 0;; ++at) {
    files_->objects.clear();
    files_->FailAt(TaskFault::kDead, at);
    ASSERT_FALSE(Run(1).ok());
    files_->fail_at = -1;
    const arrow::Status other = Run(2);
    if (!other.ok()) {
      EXPECT_NE(other.message().find("unfinished run with other inputs"), std::string::npos) << other;
      break;
    }
    ExpectOnly(2);
  }
  ASSERT_TRUE(Run(2, true).ok());
  ExpectOnly(2);
}

// The same command for an output that is there already does not throw it away either.
TEST_F(StoreTaskOutputTest, TheRunThatIsDoneLeavesOthersWholeWork) {
  ASSERT_TRUE(Run(1).ok());
  const auto begin = files_->objects;
  int left = 0;
  for (int at = 0;; ++at) {
    files_->objects = begin;
    files_->FailAt(TaskFault::kDead, at);
    if (Run(2, true).ok()) break;
    files_->fail_at = -1;
    if (Seen() != 1) break;
    const auto record = files_->objects.find("bucket/out/.uzushio/work.json");
    const bool is_whole = record != files_->objects.end() && record->second.find("success") != std::string::npos;
    auto before = files_->objects;  // but for the lock of the process that ended
    std::erase_if(before, [](const auto& object) { return object.first.find("/lock-") != std::string::npos; });
    ASSERT_TRUE(Run(1).ok()) << at;
    EXPECT_TRUE(files_->objects == (is_whole ? before : begin)) << at;
    left += is_whole ? 1 : 0;
    ASSERT_TRUE(Run(2, true).ok()) << at;
    ExpectOnly(2);
  }
  EXPECT_GT(left, 3);
}

// The third change notes that the work is whole.
TEST_F(StoreTaskOutputTest, AnErrorThatPassesDoesNotCostTheWork) {
  for (const TaskFault fault : {TaskFault::kRefused, TaskFault::kDoneOnce}) {
    files_->objects.clear();
    files_->FailAt(fault, 2);
    const arrow::Status status = Run(1);
    files_->fail_at = -1;
    EXPECT_TRUE(status.ok()) << status;
    ExpectOnly(1);
  }
}

// On a store that has an object as soon as it is begun.
TEST_F(StoreTaskOutputTest, AManifestThatWasBegunIsNone) {
  const std::string manifest = "bucket/out/.uzushio/manifest.json";
  ASSERT_TRUE(Run(1).ok());
  for (int at = 0;; ++at) {
    files_->FailAt(TaskFault::kDead, at);
    ASSERT_FALSE(Run(2, true).ok());
    files_->fail_at = -1;
    if (!files_->objects.contains("bucket/out/.uzushio/commit.json")) continue;
    files_->objects[manifest] = "";
    break;
  }
  ASSERT_TRUE(Run(2, true).ok());
  ExpectOnly(2);
}

// A record that names no folder of ours leads to nothing that is deleted.
TEST_F(StoreTaskOutputTest, ARecordLeadsToNoOthers) {
  files_->objects["bucket/other/part"] = "of others";
  for (const char* folder : {"other", "../bucket/other", ".out.work-", ".out.work-../other"}) {
    files_->objects["bucket/out/.uzushio/work.json"] = nlohmann::json({{"run", 1}, {"folder", folder}}).dump();
    ASSERT_TRUE(Run(1, true).ok());
    ExpectOnly(1);
  }
}

// A fault at each change, with and without an output that is replaced.
class TaskFaultsTest : public StoreTaskOutputTest, public testing::WithParamInterface<std::tuple<TaskFault, bool>> {};

TEST_P(TaskFaultsTest, ReadersSeeAWholeOutputAndTheNextRunFinishes) {
  const auto [fault, replaces] = GetParam();
  files_->objects["bucket/other/part-00000.parquet"] = "of others";
  files_->objects["bucket/.out.partial/part-00000.parquet"] = "of others";
  if (replaces) ASSERT_TRUE(Run(1).ok());
  const auto begin = files_->objects;
  bool failed = true;
  int at = 0;
  for (; failed; ++at) {
    SCOPED_TRACE(at);
    ASSERT_LT(at, 500);
    files_->objects = begin;
    std::filesystem::remove_all(root_ / "tmp");
    files_->FailAt(fault, at);
    bool was_new = false;
    files_->before = [&] {
      const std::optional<int> seen = Seen();
      if (replaces) EXPECT_TRUE(seen == 1 || seen == 2);
      if (was_new) EXPECT_EQ(seen, 2);
      was_new = seen == 2;
    };
    const arrow::Status status = Run(2, replaces);
    failed = files_->changes > at;
    files_->fail_at = -1;
    if (status.ok()) EXPECT_EQ(Seen(), 2);
    const arrow::Status again = Run(2, replaces && Seen() != 2);
    EXPECT_TRUE(again.ok()) << again << " after " << status;
    files_->before = nullptr;
    ExpectOnly(2);
    if (HasFailure()) return;
  }
  EXPECT_GT(at, 10);
}

INSTANTIATE_TEST_SUITE_P(All, TaskFaultsTest,
                         testing::Combine(testing::Values(TaskFault::kRefused, TaskFault::kDoneOnce, TaskFault::kDead,
                                                          TaskFault::kDeadBehind),
                                          testing::Bool()));

}  // namespace
}  // namespace uzushio
