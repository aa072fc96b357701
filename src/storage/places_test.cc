#include "storage/places.h"

#include <arrow/filesystem/localfs.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/test_support.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

class PlacesTest : public FolderTest {
 protected:
  std::string At(const std::string& path) const { return (root_ / path).string(); }
  Places Of(const std::string& output, const std::string& pairs, const std::string& input) const {
    Places places;
    places.folders = {{"--output", At(output)}, {"--pairs", pairs.empty() ? "" : At(pairs)}};
    if (!input.empty()) places.inputs = {{"the input", At(input)}};
    return places;
  }
  static void ExpectRefused(const Places& places) {
    const arrow::Status status = CheckPlaces(places);
    EXPECT_TRUE(status.IsInvalid()) << status;
    EXPECT_NE(status.message().find("--"), std::string::npos) << status;
  }
};

TEST_F(PlacesTest, OutputsInOneAnotherAreRefused) {
  ExpectRefused(Of("s", "s", ""));
  ExpectRefused(Of("s", "s/pairs", ""));
  ExpectRefused(Of("s/statistics", "s", ""));
  ExpectRefused(Of("s", "x/../s/./pairs/", ""));
  EXPECT_TRUE(CheckPlaces(Of("s", "s-pairs", "")).ok());
  EXPECT_TRUE(CheckPlaces(Of("s", "", "")).ok());
}

TEST_F(PlacesTest, InputsAndOutputsAreApart) {
  fs::create_directories(root_ / "data");
  ExpectRefused(Of("data", "", "data"));
  ExpectRefused(Of("data/out", "", "data"));
  ExpectRefused(Of("data", "", "data/language=ja"));
  EXPECT_TRUE(CheckPlaces(Of("data2", "", "data")).ok());
}

TEST_F(PlacesTest, LinksAreFollowed) {
  fs::create_directories(root_ / "data");
  fs::create_directory_symlink(root_ / "data", root_ / "link");
  ExpectRefused(Of("link", "", "data"));
  ExpectRefused(Of("link/out", "", "data"));
  ExpectRefused(Of("data", "link/pairs", ""));
  // A file that is only linked into another folder lies where it is.
  std::ofstream(root_ / "data" / "a.parquet") << "a";
  fs::create_symlink(root_ / "data" / "a.parquet", root_ / "a.parquet");
  Places places = Of("data", "", "");
  places.resolved = {{At("a.parquet"), At("a.parquet"), 1, std::make_shared<arrow::fs::LocalFileSystem>()}};
  ExpectRefused(places);
  places.folders = {{"--output", At("out")}};
  EXPECT_TRUE(CheckPlaces(places).ok());
}

TEST_F(PlacesTest, FoldersOnStoresAreHeldAgainstEachOther) {
  Places places;
  places.folders = {{"--output", "s3a://key:secret@bucket/out/"}};
  EXPECT_TRUE(CheckPlaces(places).ok());
  for (const char* input : {"s3://bucket/out/", "s3://bucket/out/language=ja", "s3://bucket", "s3://bucket/o%75t"}) {
    places.inputs = {{"the input", input}};
    ExpectRefused(places);
  }
  for (const char* input : {"s3://bucket/out2", "s3://other/out", "gs://bucket/out", "bucket/out"}) {
    places.inputs = {{"the input", input}};
    EXPECT_TRUE(CheckPlaces(places).ok()) << input;
  }
  places.inputs.clear();
  places.folders.push_back({"--pairs", "s3://bucket/pairs"});
  ExpectRefused(places);
  EXPECT_EQ(CheckIsPath("--output", "gs://key:secret@bucket/out").message().find("secret"), std::string::npos);
  places.folders = {{"--output", "gs://bucket/out"}};
  EXPECT_TRUE(CheckPlaces(places).ok());
  places.folders = {{"--output", "abfss://box@account.dfs.core.windows.net/out"}};
  EXPECT_TRUE(CheckPlaces(places).ok());
  places.inputs = {{"the input", "abfs://account.blob.core.windows.net/box/out/language=ja"}};
  ExpectRefused(places);
  places.inputs.clear();
  for (const char* output : {"hdfs://host/out", "mock:///out"}) {
    places.folders = {{"--output", output}};
    ExpectRefused(places);
  }
}

TEST_F(PlacesTest, FilesAndTemporaryFoldersAreOutsideTheOutput) {
  Places places = Of("out", "", "");
  places.files = {{"--summary", At("out/summary.json")}};
  ExpectRefused(places);
  places.files = {{"--summary", At("out")}};
  ExpectRefused(places);
  places.files = {{"--summary", At("summary.json")}};
  EXPECT_TRUE(CheckPlaces(places).ok());
  places.tmp = At("out/tmp");
  ExpectRefused(places);
  places.tmp = root_.string();
  EXPECT_TRUE(CheckPlaces(places).ok());
}

TEST_F(PlacesTest, WhatIsReadByNameIsNotInTheOutput) {
  Places places = Of("out", "", "");
  for (const char* inside : {"out", "out/metrics"}) {
    places.others = {{"--metrics", At(inside)}};
    ExpectRefused(places);
  }
  places.others = {{"--config", At("chain.conf")}};
  EXPECT_TRUE(CheckPlaces(places).ok());
}

TEST_F(PlacesTest, AnInputIsNotWrittenOver) {
  std::ofstream(root_ / "a.txt") << "a";
  Places places;
  places.files = {{"--output", At("a.txt")}};
  places.inputs = {{"the input", At("a.txt")}};
  ExpectRefused(places);
  places.inputs = {{"the input", root_.string()}};
  EXPECT_TRUE(CheckPlaces(places).ok());
  places.resolved = {{At("a.txt"), At("a.txt"), 1, std::make_shared<arrow::fs::LocalFileSystem>()}};
  ExpectRefused(places);
}

TEST_F(PlacesTest, AFileIsNotWrittenIntoWhatIsReadByName) {
  fs::create_directories(root_ / "m");
  std::ofstream(root_ / "m" / "metrics.parquet") << "a";
  Places places = Of("out", "", "");
  places.files = {{"--summary", At("m/metrics.parquet")}};
  EXPECT_TRUE(CheckPlaces(places).ok());
  places.others = {{"--metrics", At("m")}};
  ExpectRefused(places);
  places.files = {{"--summary", At("m/new.json")}};
  ExpectRefused(places);
  places.files = {{"--summary", At("m.json")}};
  EXPECT_TRUE(CheckPlaces(places).ok());
}

// Whether this run reads it or not: one of its files might be replaced.
TEST_F(PlacesTest, AFileIsNotWrittenIntoAFinishedOutput) {
  fs::create_directories(root_ / "done" / ".uzushio");
  fs::create_directories(root_ / "done" / "inside");
  Places places;
  for (const char* file : {"done/part.parquet", "done/inside/page.html"}) {
    places.files = {{"--output", At(file)}};
    EXPECT_TRUE(CheckPlaces(places).ok());
  }
  std::ofstream(root_ / "done" / ".uzushio" / "manifest.json") << R"({"run": {"stage": "filter"}})";
  for (const char* file : {"done/part.parquet", "done/inside/page.html"}) {
    places.files = {{"--output", At(file)}};
    ExpectRefused(places);
  }
}

TEST_F(PlacesTest, OtherFileSystemsAreNotLookedAt) {
  Places places = Of("out", "", "");
  places.inputs = {{"the input", "s3://bucket/out"}, {"the input", "file://" + At("elsewhere")}};
  EXPECT_TRUE(CheckPlaces(places).ok());
  places.inputs = {{"the input", "file://" + At("out/in")}};
  ExpectRefused(places);
}

}  // namespace
}  // namespace uzushio
