#include "cli/run_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/test_support.h"
#include "datasets/dataset.h"

namespace uzushio {
namespace {

// Three stages: a, b of two steps, c.
class StepPlacesTest : public FolderTest {
 protected:
  StepPlacesTest() {
    std::ofstream(root_ / "p.conf") << R"(stages: [
      {name: a, command: extract, input: x}
      {name: b, command: stats, for: {part: [1, 2]}, input: "@a"}
      {name: c, command: filter, input: "@a"}
    ])";
    file_ = *PipelineFile::Read((root_ / "p.conf").string(), nlohmann::json::object());
    places_ = *StepPlaces::Of(file_, root_ / "out");
  }
  std::string Check(size_t step, const std::string& path, bool is_of_chain = false) const {
    const std::string text = path.find("://") == std::string::npos ? (root_ / path).string() : path;
    return places_.CheckPath(file_, step, {"key", text, is_of_chain}).message();
  }
  std::string CheckFile(size_t step, const std::string& path) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << "{}";
    const auto files = ResolveInputs({(root_ / path).string()}, {});
    return places_.CheckFiles(file_, step, "input", *files).message();
  }

  PipelineFile file_;
  StepPlaces places_;
};

TEST_F(StepPlacesTest, FindsPathsIntoOutputsOfOthers) {
  using testing::HasSubstr;
  EXPECT_THAT(Check(1, "out/a/x/*.parquet"), HasSubstr("stages[1].key: '"));
  EXPECT_THAT(Check(1, "out/a/x/*.parquet"), HasSubstr("before it; write \"@a/x/*.parquet\""));
  EXPECT_THAT(Check(3, "out/b/../b/2/"), HasSubstr("write \"@b\""));
  EXPECT_THAT(Check(3, "file://" + (root_ / "out/a/%41").string()), HasSubstr("write \"@a/A\""));
  EXPECT_THAT(Check(0, "out/c/x"), HasSubstr("of the stage 'c' behind it; put this stage behind that one"));
  EXPECT_THAT(Check(1, "out/b/2"), HasSubstr("of b/2, which is of the same stage"));
  EXPECT_THAT(Check(1, "out/a", true), HasSubstr("of the stage 'a', and chains are read before"));
  EXPECT_THAT(Check(0, "out/a", true), HasSubstr("of the stage 'a', and chains are read before"));
}

TEST_F(StepPlacesTest, LetsOthersBeRead) {
  for (const char* path : {"out", "out/ab", "out/b", "out/b/3", "a", "s3://out/a", ""}) EXPECT_EQ(Check(1, path), "");
  EXPECT_EQ(Check(0, "out/a"), "");  // its command says it
}

TEST_F(StepPlacesTest, LooksAtFilesThatWereFound) {
  EXPECT_EQ(CheckFile(1, "out/a/x.json"), "");  // its stage is named
  EXPECT_EQ(CheckFile(3, "out/mine/x.json"), "");
  EXPECT_THAT(CheckFile(3, "out/b/1/x.json"), testing::HasSubstr("stages[2].input: '"));
  EXPECT_THAT(CheckFile(3, "out/b/1/x.json"), testing::HasSubstr("write \"@b/x.json\""));
}

TEST_F(StepPlacesTest, KnowsPatternsAboveOutputs) {
  const auto may_match = [this](const std::string& path) { return *places_.MayMatch((root_ / path).string()); };
  for (const char* path : {"*", "out/*/x", "out/b/[12]", "out/a/*"}) EXPECT_TRUE(may_match(path)) << path;
  for (const char* path : {"in/*", "out/mine/*", "out/ab/*", "out/b/3/*"}) EXPECT_FALSE(may_match(path)) << path;
  EXPECT_FALSE(*places_.MayMatch("s3://bucket/*"));
}

}  // namespace
}  // namespace uzushio
