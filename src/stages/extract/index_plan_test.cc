#include "stages/extract/index_plan.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/test_support.h"

namespace uzushio {
namespace {

std::string NameOf(const IndexedPlaces& places, const std::string& name) {
  return IndexedFiles(places).Locate(name).ValueOrDie().name;
}

std::string PathOf(const IndexedPlaces& places, const std::string& name) {
  return IndexedFiles(places).Locate(name).ValueOrDie().path;
}

TEST(IndexedFiles, StandBehindTheBase) {
  const IndexedPlaces crawl = {"/store/crawl-", "/not/this/", "/nor/this"};
  EXPECT_EQ(NameOf(crawl, "1/a.warc.gz"), "/store/crawl-1/a.warc.gz");
  EXPECT_EQ(PathOf(crawl, "1/a.warc.gz"), "/store/crawl-1/a.warc.gz");
  EXPECT_EQ(PathOf(crawl, "1/../../a.warc.gz"), "");  // nothing leads out of it
  EXPECT_EQ(PathOf(crawl, ""), "");
}

TEST(IndexedFiles, AreAsTheIndexNamesThemWithoutABase) {
  EXPECT_EQ(PathOf({}, "a.warc.gz"), "a.warc.gz");
  EXPECT_EQ(PathOf({}, "page:1.warc"), "./page:1.warc");
  EXPECT_EQ(PathOf({}, "/crawl/a.warc.gz"), "/crawl/a.warc.gz");
  EXPECT_EQ(PathOf({}, "../a.warc.gz"), "../a.warc.gz");
  EXPECT_EQ(PathOf({}, ""), "");
}

// Executors of an engine work in folders of their own, or have another file system.
TEST(IndexedFiles, OfAnEngineAreWhereItsPathsLead) {
  const IndexedPlaces engine = {"", "/home/me/", "file://"};
  EXPECT_EQ(NameOf(engine, "crawl/a.warc.gz"), "/home/me/crawl/a.warc.gz");
  EXPECT_EQ(PathOf(engine, "../a.warc.gz"), "/home/me/../a.warc.gz");
  EXPECT_EQ(PathOf(engine, "/crawl/100%25.warc.gz"), "/crawl/100%25.warc.gz");  // a name, and no part of a URI
  EXPECT_EQ(PathOf(engine, "file:///crawl/100%25.warc.gz"), "/crawl/100%.warc.gz");
}

class FoundFiles : public FolderTest {};

TEST_F(FoundFiles, OneOfTheFirstIsEnough) {
  std::ofstream(root_ / "b.warc") << "…";
  IndexedFiles files({root_.string() + "/", "", ""});
  const InputFile missing = files.Locate("a.warc").ValueOrDie();
  const InputFile there = files.Locate("b.warc").ValueOrDie();
  const InputFile none = files.Locate("../b.warc").ValueOrDie();
  EXPECT_TRUE(CheckFound({}).ok());
  EXPECT_TRUE(CheckFound({missing, none, there}).ok());
  for (const InputFile& first : {missing, none}) {
    const arrow::Status status = CheckFound({first, none, missing});
    EXPECT_TRUE(status.IsInvalid());
    EXPECT_NE(status.message().find("--index: there is no file " + first.name), std::string::npos);
  }
}

}  // namespace
}  // namespace uzushio
