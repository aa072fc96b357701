#include "storage/store_output.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/test_support.h"
#include "storage/hashed_file.h"
#include "storage/local_files.h"
#include "storage/stored_names.h"
#include "storage/upload_progress.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;
using arrow::fs::FileInfo;
using arrow::fs::FileType;

// What happens at an operation.
enum class Fault {
  kRefused,   // it fails, and so does each of its kind on the same object
  kDoneOnce,  // it is done, and an error comes all the same
  kDead,      // the network is gone: nothing is done from here on
};

// A store in memory: objects are there whole or not at all, and folders are what names have in common. On one as Azure,
// an object is empty when it is opened.
class ObjectStore : public arrow::fs::FileSystem {
 public:
  std::map<std::string, std::string> objects;
  std::function<void()> before;  // each operation
  std::function<void(const std::string& operation)> before_operation;
  std::function<arrow::Status(const std::string& path)> before_delete;
  int fail_at = -1;  // the number of an operation
  Fault fault = Fault::kDead;
  int operations = 0;
  int aborted = 0;
  bool is_azure = false;

  // From here on: a fault at the operation of this number.
  void FailAt(Fault of_kind, int number) {
    fault = of_kind;
    fail_at = number;
    operations = 0;
    failing_.clear();
  }

  std::string type_name() const override { return is_azure ? "abfs" : "s3"; }
  bool Equals(const FileSystem& other) const override { return this == &other; }
  using FileSystem::GetFileInfo;
  using FileSystem::OpenAppendStream;
  using FileSystem::OpenOutputStream;

  arrow::Result<FileInfo> GetFileInfo(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    ARROW_RETURN_NOT_OK(Begin("head " + path));
    FileInfo info(path, FileType::NotFound);
    const auto found = objects.find(path);
    if (found != objects.end()) {
      info.set_type(FileType::File);
      info.set_size(static_cast<int64_t>(found->second.size()));
    } else if (const auto below = objects.lower_bound(path + "/");
               below != objects.end() && below->first.starts_with(path + "/")) {
      info.set_type(FileType::Directory);
    }
    return info;
  }
  arrow::Result<std::vector<FileInfo>> GetFileInfo(const arrow::fs::FileSelector& selector) override {
    const std::lock_guard lock(mutex_);
    ARROW_RETURN_NOT_OK(Begin("list " + selector.base_dir));
    std::vector<FileInfo> infos;
    for (const auto& [path, content] : objects) {
      if (!path.starts_with(selector.base_dir + "/")) continue;
      infos.emplace_back(path, FileType::File);
      infos.back().set_size(static_cast<int64_t>(content.size()));
    }
    return infos;
  }
  arrow::Status DeleteFile(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    arrow::Status said;
    if (before_delete) ARROW_RETURN_NOT_OK(before_delete(path));
    ARROW_RETURN_NOT_OK(Begin("delete " + path, &said));
    if (objects.erase(path) == 0) return arrow::Status::IOError("no such object");
    return said;
  }
  arrow::Result<std::shared_ptr<arrow::io::InputStream>> OpenInputStream(const std::string& path) override {
    return OpenInputFile(path);
  }
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInputFile(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    ARROW_RETURN_NOT_OK(Begin("get " + path));
    const auto found = objects.find(path);
    if (found == objects.end()) return arrow::Status::IOError("no such object");
    return std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(found->second));
  }
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenOutputStream(
      const std::string& path, const std::shared_ptr<const arrow::KeyValueMetadata>&) override {
    const std::lock_guard lock(mutex_);
    ARROW_RETURN_NOT_OK(Begin("create " + path));
    if (is_azure) objects[path] = "";
    return std::make_shared<Stream>(this, path);
  }

  arrow::Status CreateDir(const std::string&, bool) override { return None(); }
  arrow::Status DeleteDir(const std::string&) override { return None(); }
  arrow::Status DeleteDirContents(const std::string&, bool) override { return None(); }
  arrow::Status DeleteRootDirContents() override { return None(); }
  arrow::Status Move(const std::string&, const std::string&) override { return None(); }
  arrow::Status CopyFile(const std::string& from, const std::string& to) override {
    if (!is_azure) return None();
    const std::lock_guard lock(mutex_);
    arrow::Status said;
    ARROW_RETURN_NOT_OK(Begin("copy to " + to, &said));
    const auto found = objects.find(from);
    if (found == objects.end()) return arrow::Status::IOError("no such object");
    objects[to] = std::string(found->second);
    return said;
  }
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenAppendStream(
      const std::string&, const std::shared_ptr<const arrow::KeyValueMetadata>&) override {
    return None();
  }

 private:
  class Stream : public arrow::io::OutputStream {
   public:
    Stream(ObjectStore* store, std::string path) : store_(store), path_(std::move(path)) {}
    using arrow::io::OutputStream::Write;
    arrow::Status Write(const void* data, int64_t length) override {
      const std::lock_guard lock(store_->mutex_);
      ARROW_RETURN_NOT_OK(store_->Begin("write " + path_));
      content_.append(static_cast<const char*>(data), static_cast<size_t>(length));
      return arrow::Status::OK();
    }
    arrow::Status Close() override {
      const std::lock_guard lock(store_->mutex_);
      arrow::Status said;
      ARROW_RETURN_NOT_OK(store_->Begin("close " + path_, &said));
      store_->objects[path_] = content_;
      closed_ = said.ok();
      return said;
    }
    arrow::Status Abort() override {
      const std::lock_guard lock(store_->mutex_);
      store_->aborted += closed_ ? 0 : 1;
      closed_ = true;
      return arrow::Status::OK();
    }
    bool closed() const override { return closed_; }
    arrow::Result<int64_t> Tell() const override { return static_cast<int64_t>(content_.size()); }

   private:
    ObjectStore* store_;
    std::string path_;
    std::string content_;
    bool closed_ = false;
  };

  static arrow::Status None() { return arrow::Status::NotImplemented("no store has this"); }

  // An error: the operation is not done. `after` gets what it says when it is.
  arrow::Status Begin(const std::string& operation, arrow::Status* after = nullptr) {
    if (before) before();
    if (before_operation) before_operation(operation);
    const int number = operations++;
    const arrow::Status error = arrow::Status::IOError("injected at ", operation);
    if (fail_at < 0) return arrow::Status::OK();
    if (fault == Fault::kDead) return number >= fail_at ? error : arrow::Status::OK();
    if (number == fail_at) failing_ = operation;
    if (fault == Fault::kRefused) return operation == failing_ ? error : arrow::Status::OK();
    if (number != fail_at) return arrow::Status::OK();
    if (after == nullptr) return error;
    *after = error;
    return arrow::Status::OK();
  }

  std::mutex mutex_;
  std::string failing_;
};

class StoreOutputTest : public FolderTest {
 protected:
  StoreOutputTest() { StoreLock::first_pause = std::chrono::milliseconds(0); }
  auto Open(int run, bool overwrite = false, const std::string& tmp = "tmp", const std::string& path = "bucket/out") {
    return StoreOutput::OpenAt(StorePlace(FilesOfArrow(store_), path, "s3://" + path), {{"run", run}}, overwrite,
                               (root_ / tmp).string());
  }
  // The files that a run writes: contents by path.
  static std::map<std::string, std::string> FilesOf(int run) {
    const std::string text = "of run " + std::to_string(run);
    std::map<std::string, std::string> files = {{"part-00000.parquet", "first " + text},
                                                {"language=ja/part-00001.jsonl.gz", "second " + text},
                                                {".uzushio/quarantine/piece-00000.jsonl.gz", "bad " + text}};
    if (run % 2 == 1) files["only-odd.parquet"] = "odd " + text;
    return files;
  }
  static arrow::Status Write(const OutputFolder& output, int run) {
    for (const auto& [path, text] : FilesOf(run)) {
      const fs::path file = output.work() / path;
      fs::create_directories(file.parent_path());
      std::ofstream(file) << text;
    }
    return arrow::Status::OK();
  }
  arrow::Status Run(int run, bool overwrite = false, const std::string& tmp = "tmp") {
    ARROW_ASSIGN_OR_RAISE(const auto output, Open(run, overwrite, tmp));
    if (output->done()) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(Write(*output, run));
    return output->Commit({{"counts", {{"run", run}}}});
  }
  // The run whose output a reader sees, whole; none where there is nothing or it is marked as not complete.
  std::optional<int> Seen() const {
    const auto manifest = store_->objects.find("bucket/out/.uzushio/manifest.json");
    if (manifest == store_->objects.end()) {
      const bool has_data = std::ranges::any_of(store_->objects, [](const auto& object) {
        return object.first.starts_with("bucket/out/") && object.first.find("/.uzushio/") == std::string::npos;
      });
      EXPECT_TRUE(!has_data || store_->objects.contains("bucket/out/_INCOMPLETE"));
      return std::nullopt;
    }
    if (store_->objects.contains("bucket/out/_INCOMPLETE")) return std::nullopt;
    const nlohmann::json json = ParseJsonObject(manifest->second);
    const int run = json["run"]["run"];
    std::map<std::string, std::string> wanted;
    const std::string hash = json["name_hash"];
    for (const auto& [path, text] : FilesOf(run)) wanted[StoredName(path, hash)] = text;
    const auto files = ReadWrittenFiles(json);
    EXPECT_TRUE(files.ok()) << files.status();
    EXPECT_EQ(files->size(), wanted.size());
    for (const WrittenFile& file : *files) {
      const auto object = store_->objects.find("bucket/out/" + file.path);
      EXPECT_TRUE(object != store_->objects.end()) << file.path;
      if (object != store_->objects.end()) EXPECT_EQ(object->second, wanted[file.path]);
      EXPECT_EQ(file.xxh64.size(), 16);
    }
    return run;
  }
  // How many objects the output of a run has.
  static size_t ObjectsOf(int run) { return FilesOf(run).size() + 1; }
  size_t ObjectsThere() const {
    return static_cast<size_t>(std::ranges::count_if(
        store_->objects, [](const auto& object) { return object.first.starts_with("bucket/out/"); }));
  }
  bool HasWork() const { return fs::exists(root_ / "tmp") && !fs::is_empty(root_ / "tmp"); }

  std::shared_ptr<ObjectStore> store_ = std::make_shared<ObjectStore>();
};

TEST_F(StoreOutputTest, PutsFilesUnderNamesOfTheirOwn) {
  ASSERT_TRUE(Run(1).ok());
  EXPECT_EQ(Seen(), 1);
  EXPECT_EQ(ObjectsThere(), ObjectsOf(1));
  const std::string hash = ParseJsonObject(store_->objects["bucket/out/.uzushio/manifest.json"])["name_hash"];
  EXPECT_EQ(hash.size(), 8);
  EXPECT_TRUE(store_->objects.contains("bucket/out/part-00000-" + hash + ".parquet"));
  EXPECT_TRUE(store_->objects.contains("bucket/out/language=ja/part-00001-" + hash + ".jsonl.gz"));
  EXPECT_TRUE(store_->objects.contains("bucket/out/.uzushio/" + hash + "/quarantine/piece-00000.jsonl.gz"));
  EXPECT_FALSE(HasWork());
}

TEST_F(StoreOutputTest, ARunThatIsCompleteTouchesNothing) {
  ASSERT_TRUE(Run(1).ok());
  const auto before = store_->objects;
  ASSERT_TRUE(Open(1).ok());
  const auto again = Open(1);
  EXPECT_TRUE((*again)->done());
  EXPECT_EQ((*again)->success()["counts"]["run"], 1);
  EXPECT_EQ(store_->objects, before);
  store_->objects.erase(std::prev(store_->objects.end()));
  EXPECT_NE(Open(1).status().message().find("is missing, and the manifest lists it"), std::string::npos);
  EXPECT_TRUE(Run(1, true).ok());
  EXPECT_EQ(Seen(), 1);
}

TEST_F(StoreOutputTest, ReplacesOnlyWhenTold) {
  ASSERT_TRUE(Run(1).ok());
  const auto before = store_->objects;
  EXPECT_NE(Run(2).message().find("s3://bucket/out: holds the output of a run with other inputs"), std::string::npos);
  EXPECT_EQ(store_->objects, before);
  ASSERT_TRUE(Run(2, true).ok());
  EXPECT_EQ(Seen(), 2);
  EXPECT_EQ(ObjectsThere(), ObjectsOf(2));
}

TEST_F(StoreOutputTest, WhatIsOthersIsNotTouched) {
  store_->objects["bucket/out/notes.txt"] = "mine";
  store_->objects["bucket/out2/part-00000.parquet"] = "mine too";
  const auto before = store_->objects;
  for (const bool overwrite : {false, true}) {
    EXPECT_NE(Run(1, overwrite).message().find("s3://bucket/out/notes.txt: lies in the place of the output"),
              std::string::npos);
    EXPECT_EQ(store_->objects, before);
  }
  store_->objects.erase("bucket/out/notes.txt");
  ASSERT_TRUE(Run(1).ok());
  store_->objects["bucket/out/notes.txt"] = "mine";
  const auto with_notes = store_->objects;
  EXPECT_NE(Run(2, true).message().find("notes.txt: was not written by the run"), std::string::npos);
  EXPECT_EQ(store_->objects, with_notes);
}

TEST_F(StoreOutputTest, AnOutputLiesInNoOther) {
  ASSERT_TRUE(Run(1).ok());
  const auto inside = Open(1, false, "tmp", "bucket/out/below/it");
  EXPECT_NE(inside.status().message().find("lies in s3://bucket/out, which is a finished output"), std::string::npos);
}

TEST_F(StoreOutputTest, AnothersLockIsRespectedAndOnesOwnIsNot) {
  store_->objects["bucket/out/.uzushio/lock-0.json"] = R"({"host": "far", "pid": 7, "since": "2026-01-01T00:00:00Z"})";
  const auto before = store_->objects;
  const std::string message = Open(1).status().message();
  EXPECT_NE(message.find("process 7 on far, since 2026-01-01T00:00:00Z"), std::string::npos) << message;
  EXPECT_NE(message.find("delete s3://bucket/out/.uzushio/lock-0.json"), std::string::npos);
  EXPECT_EQ(store_->objects, before);
  store_->objects.clear();
  // One that is killed.
  const pid_t child = fork();
  if (child == 0) {
    const auto output = Open(1);
    std::ofstream(root_ / "lock") << store_->objects.begin()->first;
    _exit(output.ok() ? 0 : 1);
  }
  int ended = 0;
  waitpid(child, &ended, 0);
  ASSERT_EQ(ended, 0);
  std::string lock;
  std::ifstream(root_ / "lock") >> lock;
  store_->objects[lock] = "{}";
  EXPECT_FALSE(Run(1, false, "elsewhere").ok());
  EXPECT_TRUE(store_->objects.contains(lock));
  EXPECT_TRUE(Run(1).ok());
  EXPECT_EQ(ObjectsThere(), ObjectsOf(1));
}

TEST_F(StoreOutputTest, OneWritesAtATime) {
  const auto first = Open(1);
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(Open(1).ok());
  EXPECT_FALSE(Open(1, false, "elsewhere").ok());
  ASSERT_TRUE(Write(**first, 1).ok());
  // Somebody removes the lock, and another comes.
  std::erase_if(store_->objects, [](const auto& object) { return object.first.find("lock-") != std::string::npos; });
  const auto second = Open(2, false, "elsewhere");
  ASSERT_TRUE(second.ok());
  EXPECT_FALSE((*first)->Commit({{"counts", {{"run", 1}}}}).ok());
  ASSERT_TRUE(Write(**second, 2).ok());
  EXPECT_TRUE((*second)->Commit({{"counts", {{"run", 2}}}}).ok());
  EXPECT_EQ(Seen(), 2);
}

// Others' locks that are there for a moment, as of processes that give way themselves.
TEST_F(StoreOutputTest, WhoGivesWayLooksAgain) {
  const std::string lock = "bucket/out/.uzushio/lock-";
  for (const int moments : {1, 3, 5}) {
    store_->objects = {{lock + "0.json", "{}"}};
    store_->before_operation = [&, left = moments, number = 0](const std::string& operation) mutable {
      if (!operation.starts_with("list bucket/out/.uzushio") || left == 0) return;
      if (number++ % 2 == 0) return;  // it is seen before it goes, and then another is there
      store_->objects.erase(lock + std::to_string(moments - left) + ".json");
      if (--left > 0) store_->objects[lock + std::to_string(moments - left) + ".json"] = "{}";
    };
    const arrow::Status done = Run(1);
    EXPECT_TRUE(done.ok()) << done;
    store_->before_operation = nullptr;
    EXPECT_EQ(ObjectsThere(), ObjectsOf(1));
  }
}

// They share a folder for temporary data, and nothing in it.
TEST_F(StoreOutputTest, TwoServersMayHavePlacesOfOneName) {
  ::setenv("AWS_ENDPOINT_URL", "http://first:9000/", 1);
  auto first = Open(1);
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(Write(**first, 1).ok());
  const auto there = std::exchange(store_, std::make_shared<ObjectStore>());
  ::setenv("AWS_ENDPOINT_URL", "http://second:9000", 1);
  EXPECT_TRUE(Run(1).ok());
  EXPECT_EQ(Seen(), 1);
  store_ = there;
  ::setenv("AWS_ENDPOINT_URL", "http://first:9000", 1);
  EXPECT_FALSE(Open(1).ok());
  EXPECT_TRUE((*first)->Commit({{"counts", {{"run", 1}}}}).ok());
  EXPECT_EQ(Seen(), 1);
  ::unsetenv("AWS_ENDPOINT_URL");
}

// Cleaners of temporary folders remove what is old there; another process may have made the folder again.
TEST_F(StoreOutputTest, AnEndGivesTheLockBackWithoutItsFolder) {
  for (const bool is_back : {false, true}) {
    auto output = Open(1);
    ASSERT_TRUE(output.ok());
    const fs::path folder = fs::directory_iterator(root_ / "tmp")->path();
    fs::remove_all(folder);
    if (is_back) {
      fs::create_directories(folder);
      std::ofstream(folder / "store-lock.json") << R"({"lock": ".uzushio/lock-of-another.json"})";
      std::ofstream(folder / "lock") << "";
    }
    output->reset();
    EXPECT_TRUE(store_->objects.empty()) << store_->objects.begin()->first;
    EXPECT_EQ(fs::exists(folder / "store-lock.json"), is_back);
    fs::remove_all(folder);
  }
}

// Who comes later gives way, but its lock is there for a moment.
TEST_F(StoreOutputTest, WhoGivesWayDoesNotStopTheOther) {
  const auto output = Open(1);
  ASSERT_TRUE(output.ok());
  ASSERT_TRUE(Write(**output, 1).ok());
  store_->objects["bucket/out/.uzushio/lock-f.json"] = "{}";
  EXPECT_TRUE((*output)->Commit({{"counts", {{"run", 1}}}}).ok());
  // One that a killed process has left is nothing to a run that is complete.
  EXPECT_TRUE(Run(1, false, "elsewhere").ok());
  store_->objects.erase("bucket/out/.uzushio/lock-f.json");
  EXPECT_EQ(Seen(), 1);
  EXPECT_EQ(ObjectsThere(), ObjectsOf(1));
}

// Of a run that was stopped while it put its files beside the output's.
TEST_F(StoreOutputTest, ARunThatIsCompleteRemovesWhatAnotherHasBegun) {
  ASSERT_TRUE(Run(1).ok());
  const auto before = store_->objects;
  for (int at = 0; ObjectsThere() < ObjectsOf(1) + 3; ++at) {
    store_->objects = before;
    fs::remove_all(root_ / "other");
    store_->FailAt(Fault::kDead, at);
    ASSERT_FALSE(Run(2, true, "other").ok());
    store_->fail_at = -1;
  }
  std::erase_if(store_->objects, [](const auto& object) { return object.first.find("lock-") != std::string::npos; });
  ASSERT_TRUE(Run(1).ok());
  EXPECT_EQ(store_->objects, before);
}

// What others have removed from the temporary folder, or cut there, is made again.
TEST_F(StoreOutputTest, WorkThatIsDamagedIsMadeAgain) {
  for (const bool removed : {true, false}) {
    fs::path file;
    for (int at = 0; file.empty(); ++at) {
      store_->objects.clear();
      fs::remove_all(root_ / "tmp");
      store_->FailAt(Fault::kDead, at);
      ASSERT_FALSE(Run(1).ok());
      store_->fail_at = -1;
      if (!fs::exists(root_ / "tmp")) continue;
      for (const auto& entry : fs::recursive_directory_iterator(root_ / "tmp")) {
        const bool is_whole = entry.path().string().find("/output/") != std::string::npos;
        if (is_whole && entry.path().filename() == "part-00000.parquet") file = entry.path();
      }
    }
    fs::remove(file);
    if (!removed) std::ofstream(file) << "cut";
    const arrow::Status again = Run(1);
    EXPECT_TRUE(again.ok()) << again;
    EXPECT_EQ(Seen(), 1);
  }
}

// What a process leaves that is killed while it removes its work, and the lock of that work.
TEST_F(StoreOutputTest, WhatIsLeftOfWorkIsRemoved) {
  for (const bool is_done : {false, true}) {
    store_->objects.clear();
    fs::path staging;
    {
      const auto output = Open(1);
      ASSERT_TRUE(output.ok());
      staging = fs::directory_iterator(root_ / "tmp")->path();
    }
    if (is_done) ASSERT_TRUE(Run(1).ok());
    fs::create_directories(staging / "removed" / "language=ja");
    std::ofstream(staging / "removed" / "language=ja" / "part-00001.jsonl.gz") << "cut";
    std::ofstream(staging / ".output.lock") << "";
    ASSERT_TRUE(HasWork());
    const arrow::Status again = Run(1);
    EXPECT_TRUE(again.ok()) << again;
    EXPECT_EQ(Seen(), 1);
    EXPECT_FALSE(HasWork());
  }
}

TEST_F(StoreOutputTest, FinishedPartsStay) {
  {
    const auto output = Open(1);
    ASSERT_TRUE(output.ok());
    const auto file = HashedFile::Create((*output)->work() / "part-00000.parquet");
    ASSERT_TRUE((*file)->Write("first of run 1", 14).ok());
    ASSERT_TRUE((*file)->Close().ok());
    ASSERT_TRUE((*output)->FinishPart("0", {{"files", {(*file)->Written("part-00000.parquet", 1)}}}).ok());
  }
  EXPECT_EQ(ObjectsThere(), 0);
  const auto output = Open(1);
  ASSERT_TRUE(output.ok());
  EXPECT_FALSE((*output)->FinishedPart("0")->is_null());
  EXPECT_NE(Open(2).status().message().find("another process"), std::string::npos);
}

TEST_F(StoreOutputTest, TellsHowFarItIs) {
  std::vector<std::string> notes;
  int64_t last = 0;
  const UploadScope scope([&](int64_t done, int64_t total, const std::string& note) {
    EXPECT_LE(done, total);
    last = total - done;
    notes.push_back(note);
  });
  ASSERT_TRUE(Run(1).ok());
  EXPECT_EQ(last, 0);
  EXPECT_EQ(notes.back(), "uploading, 4 of 4 files");
}

// What an attempt before has put is not put again.
TEST_F(StoreOutputTest, GoesOnWithAnUpload) {
  ASSERT_TRUE(Run(1).ok());
  const int whole = store_->operations;
  store_->objects.clear();
  int writes = 0;
  for (int at = 0; writes == 0; ++at) {
    store_->objects.clear();
    fs::remove_all(root_ / "tmp");
    store_->FailAt(Fault::kDead, at);
    ASSERT_LT(at, whole);
    const arrow::Status failed = Run(1);
    store_->fail_at = -1;
    if (ObjectsThere() < 5) continue;  // lock, record, mark, and two files at least
    EXPECT_NE(failed.message().find("goes on with putting it"), std::string::npos) << failed;
    const auto there = store_->objects;
    ASSERT_TRUE(Run(1).ok());
    for (const auto& [path, content] : there) {
      if (path.find("part-") != std::string::npos) ++writes;
      if (path.find("part-") != std::string::npos) EXPECT_EQ(store_->objects[path], content);
    }
  }
  EXPECT_EQ(Seen(), 1);
}

// A fault at each operation, with and without an output that is replaced.
class StoreFaultsTest : public StoreOutputTest, public testing::WithParamInterface<std::tuple<Fault, bool, bool>> {};

TEST_P(StoreFaultsTest, ReadersSeeAWholeOutputAndTheNextRunFinishes) {
  const auto [fault, replaces, is_azure] = GetParam();
  store_->is_azure = is_azure;
  store_->objects["bucket/other/part-00000.parquet"] = "of others";
  store_->objects["bucket/out-of-others"] = "of others";
  if (replaces) ASSERT_TRUE(Run(1).ok());
  const auto begin = store_->objects;
  bool failed = true;
  for (int at = 0; failed; ++at) {
    SCOPED_TRACE(at);
    ASSERT_LT(at, 500);
    store_->objects = begin;
    fs::remove_all(root_ / "tmp");
    store_->FailAt(fault, at);
    bool was_new = false;
    store_->before = [&] {
      const std::optional<int> seen = Seen();
      if (replaces) EXPECT_TRUE(seen == 1 || seen == 2);
      if (was_new) EXPECT_EQ(seen, 2);
      was_new = seen == 2;
    };
    const arrow::Status status = Run(2, replaces);
    failed = store_->operations > at;
    store_->fail_at = -1;
    const std::optional<int> seen = Seen();
    if (status.ok()) EXPECT_EQ(seen, 2);
    if (!failed) EXPECT_TRUE(status.ok());
    const arrow::Status again = Run(2, replaces && seen != 2);
    EXPECT_TRUE(again.ok()) << again << " after " << status;
    store_->before = nullptr;
    EXPECT_EQ(Seen(), 2);
    EXPECT_EQ(ObjectsThere(), ObjectsOf(2));
    EXPECT_EQ(store_->objects["bucket/other/part-00000.parquet"], "of others");
    EXPECT_EQ(store_->objects["bucket/out-of-others"], "of others");
    EXPECT_FALSE(HasWork());
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(All, StoreFaultsTest,
                         testing::Combine(testing::Values(Fault::kRefused, Fault::kDoneOnce, Fault::kDead),
                                          testing::Bool(), testing::Bool()));

// A temporary object that a stop has left, and an object that another process was about to delete.
TEST_F(StoreOutputTest, WhatAStopLeavesOnAzure) {
  store_->is_azure = true;
  store_->objects["bucket/out/.uzushio/put-0123456789abcdef"] = "{";
  int leased = 2;
  store_->before_delete = [&](const std::string& path) {
    if (!path.ends_with("commit.json") || leased == 0) return arrow::Status::OK();
    --leased;
    return arrow::Status::IOError("Azure Error: [LeaseAlreadyPresent] 409");
  };
  ASSERT_TRUE(Run(1).ok());
  EXPECT_EQ(leased, 0);
  EXPECT_EQ(Seen(), 1);
  EXPECT_EQ(ObjectsThere(), ObjectsOf(1));
}

// What a stop of Hadoop's file system leaves: the object of the manifest, and nothing in it.
TEST_F(StoreOutputTest, AnEmptyManifestIsNoneWhereACommitWasStopped) {
  std::string& manifest = store_->objects["bucket/out/.uzushio/manifest.json"];
  const auto look = [this] { return StoreCommit::LookAt(StorePlace(FilesOfArrow(store_), "bucket/out", "s3://out")); };
  EXPECT_EQ(look().status().message(), "s3://out/.uzushio/manifest.json: is damaged");
  for (const char* note : {"_INCOMPLETE", ".uzushio/commit.json"}) {
    const std::string object = std::string("bucket/out/") + note;
    store_->objects[object] = "{}";
    manifest = "";
    const auto found = look();
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_TRUE(found->manifest.is_null() && found->manifest_place.empty());
    manifest = "{\"run\": ";
    EXPECT_EQ(look().status().message(), "s3://out/.uzushio/manifest.json: is damaged");
    store_->objects.erase(object);
  }
}

TEST(StoreName, IsOneOfEachFormOfAzure) {
  constexpr const char* kName = "abfs://box@account.dfs.core.windows.net/a";
  for (const char* uri :
       {kName, "abfss://box@account.dfs.core.windows.net/a/", "abfs://account.blob.core.windows.net/box/a",
        "abfs://account@box/a", "abfs://account:secret@box/a", "abfs://box:secret@account.dfs.core.windows.net/%61",
        "abfs://box@account.dfs.core.windows.net/a?sv=2021&sig=secret&se=1"}) {
    EXPECT_EQ(StoreName(uri), kName) << uri;
  }
  EXPECT_EQ(StoreName("abfs://account.blob.core.windows.net/box"), "abfs://box@account.dfs.core.windows.net");
  EXPECT_EQ(StoreName("abfs://account@127.0.0.1:1/box/a"), "abfs://account@127.0.0.1:1/box/a");
  EXPECT_EQ(StoreName("abfs://box/a?"), "abfs://box/a?");
}

TEST(StoreName, HasNoSecrets) {
  EXPECT_EQ(StoreName("s3a://key:secret@bucket/a/b//"), "s3://bucket/a/b");
  EXPECT_EQ(StoreName("abfs://box@account.dfs.core.windows.net/a"), "abfs://box@account.dfs.core.windows.net/a");
  EXPECT_EQ(StoreName("abfs://:secret@account/a"), "abfs://account/a");
  EXPECT_EQ(StoreName("s3://key:sec/ret@bucket/a"), "s3://bucket/a");
  EXPECT_EQ(StoreName("gcs://anonymous@bucket/a/"), "gs://bucket/a");
  EXPECT_EQ(StoreName("s3://bucket/%E6%96%87/a%20b%2"), "s3://bucket/文/a b%2");
  EXPECT_EQ(NameOfOutput("s3://key:secret@bucket/a"), "s3://bucket/a");
  EXPECT_EQ(NameOfOutput("out/"), "out/");
  EXPECT_TRUE(IsOnStore("gs://bucket/a"));
  EXPECT_FALSE(IsOnStore("file:///a"));
  EXPECT_FALSE(IsOnStore("a/b"));
}

TEST(StoreName, OfAFolderBelowABucket) {
  for (const char* uri : {"hdfs://key:secret@host/a", "mock:///a/b", "s3x://key:secret@bucket/a"}) {
    const std::string message = StorePlace::Locate(uri).status().message();
    EXPECT_NE(message.find("only s3://, gs:// and abfs:// are written to"), std::string::npos) << message;
    EXPECT_EQ(message.find("secret"), std::string::npos) << message;
  }
  for (const char* uri : {"s3://bucket", "s3://bucket/", "gs://bucket", "gs://anonymous@bucket/",
                          "abfs://box@account.dfs.core.windows.net/", "abfs://account.blob.core.windows.net/box"}) {
    const auto place = StorePlace::Locate(uri);
    EXPECT_NE(place.status().message().find("give the name of a folder in a bucket"), std::string::npos)
        << place.status();
  }
  EXPECT_NE(StorePlace::Locate("s3://bucket/a?region=x").status().message().find("of patterns"), std::string::npos);
}

}  // namespace
}  // namespace uzushio
