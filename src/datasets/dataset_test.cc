#include "datasets/dataset.h"

#include <arrow/filesystem/localfs.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/test_support.h"
#include "storage/inputs.h"
#include "storage/output_folder.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;
using List = std::vector<std::string>;

class ResolveInputsTest : public FolderTest {
 protected:
  void SetUp() override {
    for (const char* name :
         {"b.warc.gz", "a.warc", "c.warc.zst", "notes.txt", ".hidden.warc", "_meta.warc", "sub/d.warc.gz",
          "sub/deep/e.warc", "sub/deep/deeper/f.warc.gz", "odd/[g].warc", "odd/h 日本.warc", "odd/*.warc"}) {
      fs::create_directories((root_ / name).parent_path());
      std::ofstream(root_ / name) << name;
    }
    fs::create_directories(root_ / "empty");
  }

  // Names below the root, or the error.
  List Resolve(const List& arguments, bool relative = false) const {
    List full;
    for (const std::string& argument : arguments) full.push_back(relative ? argument : (root_ / argument).string());
    const auto files = ResolveInputs(full, {".warc", ".warc.gz", ".warc.zst"});
    if (!files.ok()) return {"error: " + files.status().message()};
    List names;
    const std::string prefix = root_.string() + "/";
    for (const InputFile& file : *files) {
      std::ifstream stream(file.path);
      const std::string content{std::istreambuf_iterator<char>(stream), {}};
      EXPECT_TRUE(file.name.ends_with(content)) << file.name;
      EXPECT_EQ(file.size, static_cast<int64_t>(content.size()));
      EXPECT_NE(file.filesystem, nullptr);
      names.push_back(file.name.starts_with(prefix) ? file.name.substr(prefix.size()) : file.name);
    }
    return names;
  }
};

TEST_F(ResolveInputsTest, FilesAreTakenWhateverTheirNames) {
  EXPECT_EQ(Resolve({"c.warc.zst", "a.warc", "notes.txt", ".hidden.warc"}),
            (List{"c.warc.zst", "a.warc", "notes.txt", ".hidden.warc"}));
  EXPECT_EQ(Resolve({"odd/[g].warc", "odd/*.warc"}), (List{"odd/[g].warc", "odd/*.warc"}));
}

TEST_F(ResolveInputsTest, FoldersGiveTheirFilesOfTheKind) {
  const List sub = {"sub/d.warc.gz", "sub/deep/deeper/f.warc.gz", "sub/deep/e.warc"};
  EXPECT_EQ(Resolve({"sub"}), sub);
  EXPECT_EQ(Resolve({"odd"}), (List{"odd/*.warc", "odd/[g].warc", "odd/h 日本.warc"}));
}

TEST_F(ResolveInputsTest, FoldersLeaveHiddenFilesOut) {
  const List files = Resolve({"."}, false);
  for (const std::string& name : files) {
    EXPECT_EQ(name.find("hidden"), std::string::npos);
    EXPECT_EQ(name.find("_meta"), std::string::npos);
    EXPECT_EQ(name.find("notes"), std::string::npos);
  }
  EXPECT_EQ(files.size(), 9U);
}

TEST_F(ResolveInputsTest, Globs) {
  EXPECT_EQ(Resolve({"*.warc"}), (List{"_meta.warc", "a.warc"}));  // a pattern names what it matches, but for dots
  EXPECT_EQ(Resolve({"?.warc*"}), (List{"a.warc", "b.warc.gz", "c.warc.zst"}));
  EXPECT_EQ(Resolve({"[bc].*"}), (List{"b.warc.gz", "c.warc.zst"}));
  EXPECT_EQ(Resolve({"[!ab].warc*"}), List{"c.warc.zst"});
  EXPECT_EQ(Resolve({"s*/*.gz"}), List{"sub/d.warc.gz"});
  EXPECT_EQ(Resolve({"*/*/*.warc"}), List{"sub/deep/e.warc"});
  EXPECT_EQ(Resolve({"*.txt"}), List{"notes.txt"});
}

TEST_F(ResolveInputsTest, DoubleStarsAreAnyNumberOfFolders) {
  EXPECT_EQ(Resolve({"**/*.gz"}), (List{"b.warc.gz", "sub/d.warc.gz", "sub/deep/deeper/f.warc.gz"}));
  EXPECT_EQ(Resolve({"sub/**/f.*"}), List{"sub/deep/deeper/f.warc.gz"});
  EXPECT_EQ(Resolve({"sub/**/deeper/**/*"}), List{"sub/deep/deeper/f.warc.gz"});
  EXPECT_EQ(Resolve({"**/**/e.warc"}), List{"sub/deep/e.warc"});
}

TEST_F(ResolveInputsTest, OrderIsOfTheArgumentsWithoutRepeats) {
  EXPECT_EQ(Resolve({"sub/deep", "*.gz", "sub"}),
            (List{"sub/deep/deeper/f.warc.gz", "sub/deep/e.warc", "b.warc.gz", "sub/d.warc.gz"}));
  EXPECT_EQ(Resolve({"a.warc", "a.warc", "?.warc"}), List{"a.warc"});
}

TEST_F(ResolveInputsTest, FoldersOfUnfinishedRunsAreLeftOut) {
  for (const char* name : {"sub/.out.partial/x.warc", "sub/_tmp/y.warc"}) {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << name;
  }
  EXPECT_EQ(Resolve({"sub"}).size(), 3U);
}

TEST_F(ResolveInputsTest, WhatIsNotThereIsNamed) {
  for (const char* argument : {"missing.warc", "missing/*.warc", "*.nothing", "empty", "sub/*.zst", "a.warc/b"}) {
    const List result = Resolve({"a.warc", argument});
    ASSERT_EQ(result.size(), 1U) << argument;
    EXPECT_TRUE(result[0].starts_with("error: ")) << result[0];
    EXPECT_NE(result[0].find(argument), std::string::npos) << result[0];
  }
}

TEST_F(ResolveInputsTest, UrisAreLocalFilesToo) {
  const std::string uri = "file://" + root_.string();
  EXPECT_EQ(Resolve({uri + "/a.warc"}, true), List{uri + "/a.warc"});
  EXPECT_EQ(Resolve({uri + "/*.gz"}, true), List{uri + "/b.warc.gz"});
  EXPECT_EQ(Resolve({uri + "/sub"}, true).size(), 3U);
  EXPECT_TRUE(Resolve({"nosuch://bucket/a.warc"}, true)[0].starts_with("error: "));
}

TEST_F(ResolveInputsTest, RelativePathsAreNamedAsTheyWereGiven) {
  const fs::path before = fs::current_path();
  fs::current_path(root_);
  EXPECT_EQ(Resolve({"a.warc"}, true), List{"a.warc"});
  EXPECT_EQ(Resolve({"a*.warc"}, true), List{"a.warc"});
  EXPECT_EQ(Resolve({"./a*.warc"}, true), List{"./a.warc"});
  EXPECT_EQ(Resolve({"sub/*.gz"}, true), List{"sub/d.warc.gz"});
  EXPECT_EQ(Resolve({"**/e.warc"}, true), List{"sub/deep/e.warc"});
  EXPECT_EQ(Resolve({"sub"}, true), (List{"sub/d.warc.gz", "sub/deep/deeper/f.warc.gz", "sub/deep/e.warc"}));
  EXPECT_EQ(Resolve({"."}, true).size(), 9U);
  fs::current_path(before);
}

TEST_F(ResolveInputsTest, ParquetOfTheHiddenFolderCountsThereAndWhereItIsNamed) {
  const fs::path folder = root_ / "own";
  fs::create_directories(folder / ".uzushio/duplicates");
  for (const char* name : {"a.parquet", "backup.pq", ".uzushio/duplicates/b.pq"}) std::ofstream(folder / name) << "x";
  const auto resolve = [&](const char* name) {
    std::string all;
    const auto files = ResolveInputs({(folder / name).string()}, {".parquet", ".pq"});
    if (!files.ok()) return files.status().message();
    for (const InputFile& file : *files) all += fs::path(file.path).filename().string() + " ";
    return all;
  };
  EXPECT_EQ(resolve(""), "a.parquet ");
  EXPECT_EQ(resolve("backup.pq"), "backup.pq ");
  EXPECT_EQ(resolve(".uzushio/duplicates"), "b.pq ");
  EXPECT_NE(resolve(".uzushio").find("name a folder in it"), std::string::npos);
}

TEST_F(ResolveInputsTest, OutputsWithoutDocumentsAreToldFromOtherFolders) {
  const std::string folder = (root_ / "empty").string();
  EXPECT_EQ(Resolve({"empty"})[0], "error: " + folder + ": no input files in this folder");
  fs::create_directories(root_ / "empty" / kOwnFolder);
  std::ofstream(root_ / "empty" / kManifestName.path) << "{}";
  EXPECT_EQ(Resolve({"empty"}), List());
  std::ofstream(root_ / "empty" / "part-00000.parquet") << "x";
  EXPECT_EQ(Resolve({"empty"})[0], "error: " + folder + ": no input files in this folder");
}

// --- datasets ---

class DatasetTest : public FolderTest {
 protected:
  void Write(const std::string& path, const std::string& content) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << content;
  }
  // A finished output with these files, each of three bytes.
  void WriteDataset(const std::string& folder, const List& files) const {
    nlohmann::json list = nlohmann::json::array();
    for (const std::string& file : files) {
      Write(folder + "/" + file, "abc");
      list.push_back({{"path", file}, {"bytes", 3}});
    }
    Write(folder + "/" + kManifestName.path, nlohmann::json{{"run", 1}, {"files", list}}.dump());
  }
  List Files(const std::string& folder) const {
    const auto dataset = Dataset::Open(std::make_shared<arrow::fs::LocalFileSystem>(), (root_ / folder).string());
    if (!dataset.ok()) return {dataset.status().message()};
    List files;
    for (const Dataset::File& file : dataset->files()) {
      files.push_back(file.info.path().substr(root_.string().size() + 1) + (file.manifest == nullptr ? "" : "!"));
    }
    return files;
  }
};

TEST_F(DatasetTest, AManifestSaysWhatIsInIt) {
  WriteDataset("a", {"x/1.parquet", "x/2.parquet", "y/3.parquet", "_hidden.parquet"});
  Write("a/x/stray.parquet", "abc");
  EXPECT_EQ(Files("a"), (List{"a/x/1.parquet!", "a/x/2.parquet!", "a/y/3.parquet!"}));
  EXPECT_EQ(Files("a/x"), (List{"a/x/1.parquet!", "a/x/2.parquet!"}));
  fs::remove(root_ / "a/x/2.parquet");
  EXPECT_NE(Files("a")[0].find("a/x/2.parquet: is missing"), std::string::npos);
  EXPECT_EQ(Files("a/y"), List{"a/y/3.parquet!"});
  Write("a/x/2.parquet", "ab");
  EXPECT_NE(Files("a/x")[0].find("a/x/2.parquet: its size"), std::string::npos);
}

TEST_F(DatasetTest, AFolderOfDatasetsHasTheirFiles) {
  WriteDataset("all/a", {"1.parquet"});
  WriteDataset("all/a/inner", {"2.parquet"});
  WriteDataset("all/b/c", {"3.parquet"});
  WriteDataset("all/.b.replaced", {"4.parquet"});
  Write("all/a/stray.parquet", "abc");
  Write("all/b/5.parquet", "abc");
  EXPECT_EQ(Files("all"), (List{"all/a/1.parquet!", "all/b/5.parquet", "all/b/c/3.parquet!"}));
  EXPECT_EQ(Files("all/a/inner"), List{"all/a/inner/2.parquet!"});
}

TEST_F(DatasetTest, WithoutAListOrAMarkOfTheEndItIsWhatLiesThere) {
  WriteDataset("a", {"1.parquet"});
  Write("a/2.parquet", "abc");
  Write(std::string("a/") + kIncompleteMark, "{}");
  EXPECT_EQ(Files("a"), (List{"a/1.parquet", "a/2.parquet"}));
  fs::remove(root_ / "a" / kIncompleteMark);
  Write(std::string("a/") + kManifestName.path, R"({"run": 1})");
  EXPECT_EQ(Files("a"), (List{"a/1.parquet", "a/2.parquet"}));
  Write(std::string("a/") + kManifestName.path, "{");
  EXPECT_NE(Files("a")[0].find("damaged"), std::string::npos);
}

TEST_F(DatasetTest, InputsAreKnownToBeUnchanged) {
  WriteDataset("a", {"1.parquet"});
  Write("b.parquet", "abc");
  const List names = {(root_ / "a").string(), (root_ / "b.parquet").string()};
  const auto files = *ResolveInputs(names, {".parquet"});
  ASSERT_EQ(files.size(), 2U);
  EXPECT_TRUE(CheckUnchanged(files).ok());
  fs::last_write_time(root_ / "b.parquet", fs::file_time_type());
  EXPECT_NE(CheckUnchanged(files).message().find("b.parquet: was changed"), std::string::npos);
  const auto again = *ResolveInputs(names, {".parquet"});
  EXPECT_TRUE(CheckUnchanged(again).ok());
  Write(std::string("a/") + kManifestName.path, "{}");
  EXPECT_NE(CheckUnchanged(again).message().find("a: was changed"), std::string::npos);
}

TEST_F(DatasetTest, AFileThatIsWrittenAnewUnderItsManifestIsAChange) {
  WriteDataset("a", {"1.parquet"});
  const auto files = *ResolveInputs({(root_ / "a").string()}, {".parquet"});
  EXPECT_TRUE(CheckUnchanged(files).ok());
  Write("a/1.parquet", "xyz");
  fs::last_write_time(root_ / "a/1.parquet", fs::file_time_type());
  EXPECT_NE(CheckUnchanged(files).message().find("a/1.parquet: was changed"), std::string::npos);
}

TEST_F(DatasetTest, ManifestsThatLeadElsewhereAreDamaged) {
  for (const char* file :
       {R"({"path": "../b.parquet", "bytes": 3})", R"({"path": "x/../../b.parquet", "bytes": 3})",
        R"({"path": "/etc/passwd", "bytes": 3})", R"({"path": "", "bytes": 3})",
        R"({"path": "./1.parquet", "bytes": 3})", R"({"path": "x//1.parquet", "bytes": 3})",
        R"({"path": "1.parquet", "bytes": -3})", R"({"path": "1.parquet", "bytes": 3e300})",
        R"({"path": "1.parquet", "bytes": 18446744073709551615})", R"({"path": "1.parquet", "bytes": 3, "rows": -1})",
        R"({"path": "1.parquet", "bytes": 3}, {"path": "1.parquet", "bytes": 3})"}) {
    Write("b.parquet", "abc");
    Write("a/1.parquet", "abc");
    Write(std::string("a/") + kManifestName.path, std::string(R"({"run": 1, "files": [)") + file + "]}");
    EXPECT_NE(Files("a")[0].find(".uzushio/manifest.json: damaged: "), std::string::npos) << file << Files("a")[0];
  }
}

TEST_F(DatasetTest, LinksThatLeadNowhereAreErrorsWhereTheyWouldBeInputs) {
  Write("a/1.parquet", "abc");
  fs::create_symlink(root_ / "gone", root_ / "a/2.parquet");
  fs::create_symlink(root_ / "gone", root_ / "a/notes");
  fs::create_symlink(root_ / "gone", root_ / "a/.#1.parquet");
  const auto said = [&](const char* argument) {
    const auto files = ResolveInputs({(root_ / argument).string()}, {".parquet"});
    return files.ok() ? std::to_string(files->size()) : files.status().message();
  };
  for (const char* argument : {"a", "a/*.parquet", "*/2.parquet", "**/*.parquet", "."}) {
    EXPECT_NE(said(argument).find("a/2.parquet: is a link that leads nowhere"), std::string::npos) << said(argument);
  }
  EXPECT_EQ(said("a/1*"), "1");
  fs::remove(root_ / "a/2.parquet");
  EXPECT_EQ(said("a"), "1");
  EXPECT_EQ(said("a/*.parquet"), "1");
}

TEST_F(DatasetTest, AnOutputThatIsPutAsideIsNotJustGone) {
  WriteDataset("all/a", {"1.parquet"});
  WriteDataset("all/b", {"1.parquet"});
  fs::rename(root_ / "all/b", root_ / "all/.b.replaced");
  const auto said = [&](const char* argument) {
    const auto files = ResolveInputs({(root_ / argument).string()}, {".parquet"});
    return files.ok() ? std::to_string(files->size()) : files.status().message();
  };
  for (const char* argument : {"all", ".", "all/*/*.parquet", "all/**/*.parquet", "**/1.parquet"}) {
    EXPECT_NE(said(argument).find("all/b: was put aside as "), std::string::npos) << said(argument);
  }
  EXPECT_EQ(said("all/a*/*.parquet"), "1");
  EXPECT_EQ(said("all/a"), "1");
  WriteDataset("all/b", {"1.parquet"});
  EXPECT_EQ(said("all"), "2");
  fs::remove_all(root_ / "all/b");
  fs::remove(root_ / "all/.b.replaced" / kManifestName.path);  // what is left of one that was being removed
  EXPECT_EQ(said("all"), "1");
}

TEST_F(DatasetTest, MarksMatchNoPattern) {
  WriteDataset("a", {"1.parquet"});
  const auto files = *ResolveInputs({(root_ / "a/*").string()}, {});
  ASSERT_EQ(files.size(), 1U);
  EXPECT_TRUE(files[0].name.ends_with("a/1.parquet"));
}

// A store that can be reached in part.
class Store : public arrow::fs::SubTreeFileSystem {
 public:
  Store(const fs::path& root, std::string error)
      : SubTreeFileSystem(root.string(), std::make_shared<arrow::fs::LocalFileSystem>()), error_(std::move(error)) {}
  std::string type_name() const override { return "store"; }
  bool Equals(const FileSystem& other) const override { return this == &other; }
  using SubTreeFileSystem::GetFileInfo;
  arrow::Result<arrow::fs::FileInfo> GetFileInfo(const std::string& path) override {
    if (path.ends_with(kManifestName.path) && !error_.empty()) return arrow::Status::IOError(error_);
    return SubTreeFileSystem::GetFileInfo(path);
  }

 private:
  std::string error_;
};

TEST_F(DatasetTest, AStoreThatFailsSaysNothingOfADataset) {
  WriteDataset("a", {"1.parquet"});
  const auto open = [&](const std::string& error) { return Dataset::Open(std::make_shared<Store>(root_, error), "a"); };
  EXPECT_NE(open("")->manifest(), nullptr);
  EXPECT_FALSE(open("AWS Error SLOW_DOWN during HeadObject operation: No response body.").ok());
  EXPECT_FALSE(open("AWS Error NETWORK_CONNECTION during HeadObject operation").ok());
  // What may be read and not listed is what lies there.
  const auto refused = open("AWS Error ACCESS_DENIED during HeadObject operation: No response body.");
  ASSERT_TRUE(refused.ok());
  EXPECT_EQ(refused->manifest(), nullptr);
  EXPECT_EQ(refused->files().size(), 1U);
}

TEST_F(DatasetTest, StoresOfOneKindAreToldApart) {
  WriteDataset("x/a", {"1.parquet"});
  Write("y/a/1.parquet", "abc");
  ManifestCache manifests;
  const auto x = std::make_shared<Store>(root_ / "x", "");
  const auto y = std::make_shared<Store>(root_ / "y", "");
  EXPECT_NE(*manifests.Of(x, "a"), nullptr);
  EXPECT_EQ(*manifests.Of(y, "a"), nullptr);
}

TEST(BeforeWildcards, IsTheFolderAboveTheFirst) {
  EXPECT_EQ(BeforeWildcards("a/b.warc"), "a/b.warc");
  EXPECT_EQ(BeforeWildcards("a/b*/c.warc"), "a");
  EXPECT_EQ(BeforeWildcards("/x?"), "/");
  EXPECT_EQ(BeforeWildcards("[ab].warc"), ".");
}

TEST_F(ResolveInputsTest, AFolderWithASlashIsTheSame) {
  EXPECT_EQ(Resolve({"sub/"}), Resolve({"sub"}));
  EXPECT_EQ(Resolve({"sub", "sub/"}), Resolve({"sub"}));
}

}  // namespace
}  // namespace uzushio
