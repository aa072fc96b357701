#include "pipeline/pipeline_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/test_support.h"

namespace uzushio {
namespace {

class PipelineFileTest : public FolderTest {
 protected:
  arrow::Result<PipelineFile> Parsed(const std::string& text,
                                     const nlohmann::json& properties = nlohmann::json::object()) const {
    const auto path = root_ / "p.conf";
    std::ofstream(path) << text;
    return PipelineFile::Read(path.string(), properties);
  }
};

std::vector<std::string> FoldersOf(const PipelineFile& file) {
  std::vector<std::string> folders;
  for (const PipelineStep& step : file.steps()) folders.push_back(step.folder);
  return folders;
}

TEST_F(PipelineFileTest, LoopsAreStepsInOrder) {
  const auto file = Parsed(R"(stages: [
    {name: a, command: extract, for: {year: [2014, 2013], part: [x, y]}, input: "in/${year}/${part}"}
    {name: b, command: stats, for: {year: [2013]}, input: "@a"}
    {name: c, command: merge, input: ["@b", other, "@a/sub"]}
  ])");
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_THAT(FoldersOf(*file), testing::ElementsAre("a/2014/x", "a/2014/y", "a/2013/x", "a/2013/y", "b/2013", "c"));
  EXPECT_EQ(file->steps()[1].values["input"], "in/2014/y");
  // Of a stage whose loop has this one's values, those steps; of all, all.
  EXPECT_EQ(file->steps()[4].values["input"], nlohmann::json({"@a/2013/x", "@a/2013/y"}));
  EXPECT_EQ(file->steps()[5].values["input"],
            nlohmann::json({"@b/2013", "other", "@a/2014/x/sub", "@a/2014/y/sub", "@a/2013/x/sub", "@a/2013/y/sub"}));
  EXPECT_THAT(file->steps()[5].sources, testing::ElementsAre(4, 0, 1, 2, 3));
}

TEST_F(PipelineFileTest, PropertiesAreFilledInOnce) {
  const auto file = Parsed(R"(stages: [{name: a, command: extract, input: ${input}, tmp: "${x}/${x}"}])",
                           {{"input", {"1", "2"}}, {"x", "${x}"}});
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_EQ(file->steps()[0].values["input"], nlohmann::json({"1", "2"}));
  EXPECT_EQ(file->steps()[0].values["tmp"], "${x}/${x}");
  EXPECT_TRUE(file->Mentions("input"));
  EXPECT_FALSE(file->Mentions("y"));
}

TEST_F(PipelineFileTest, AnInputOfOptionsStandsForThem) {
  const auto file = Parsed(R"(stages: [
    {name: a, command: extract, for: {part: [1, 2]}, input: {index: [x, y], part: "${part}/2"}}
    {name: b, command: extract, input: ${input}, language: ja}
    {name: c, command: extract, input: [${input}]}
    {name: d, command: extract, input: {index: "@a"}}
  ])",
                           {{"input", {{"index", {"z"}}, {"index-language", {"jpn"}}}}});
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_EQ(file->steps()[1].values, nlohmann::json::parse(R"({"index": ["x", "y"], "part": "2/2"})"));
  EXPECT_EQ(file->steps()[2].values,
            nlohmann::json::parse(R"({"index": ["z"], "index-language": ["jpn"], "language": "ja"})"));
  EXPECT_EQ(file->steps()[3].values, nlohmann::json::parse(R"({"index": ["z"], "index-language": ["jpn"]})"));
  EXPECT_EQ(file->steps()[4].values, nlohmann::json::parse(R"({"index": ["@a/1", "@a/2"]})"));
  EXPECT_THAT(file->steps()[4].sources, testing::ElementsAre(0, 1));
}

TEST_F(PipelineFileTest, FiltersKnowTheirLines) {
  const auto file = Parsed(R"(stages: [
    {name: a, command: filter, input: x, filters: [
      {class: A}   # class: none
      {class: B}
    ]}
    {name: b, command: filter, input: x, filters: [{class: C}]}
  ])");
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_THAT(file->stages()[0].filter_lines, testing::ElementsAre(3, 4));
  EXPECT_THAT(file->stages()[1].filter_lines, testing::ElementsAre(6));
  EXPECT_THAT(file->stages()[1].place, testing::EndsWith("p.conf:6: stages[1]"));
}

TEST_F(PipelineFileTest, SaysWhatIsWrong) {
  const auto error = [this](const std::string& text) { return Parsed(text).status().message(); };
  EXPECT_THAT(error("a: 1"), testing::HasSubstr("has no list `stages`"));
  EXPECT_THAT(error("stages: [1]"), testing::HasSubstr("stages[0]: needs a `name` and a `command`"));
  EXPECT_THAT(error("stages: [{name: a}]"), testing::HasSubstr("stages[0].command: missing"));
  EXPECT_THAT(error("stages: [{name: [a], command: b}]"), testing::HasSubstr("stages[0].name: [\"a\"] is no text"));
  EXPECT_THAT(error("stages: [{name: _a, command: b}]"), testing::HasSubstr("'_a' can not be the name of a folder"));
  EXPECT_THAT(error("stages: [{name: a.conf, command: b}]"), testing::HasSubstr("ends as the files of chains do"));
  EXPECT_THAT(error("stages: [{name: a, command: b, for: [1]}]"), testing::HasSubstr("stages[0].for: names and lists"));
  EXPECT_THAT(error("stages: [{name: a, command: b, for: {y: [1, 1]}}]"), testing::HasSubstr("twice"));
  EXPECT_THAT(error("stages: [{name: a, command: b, for: {y: [\"1/2\"]}}]"),
              testing::HasSubstr("stages[0].for.y: \"1/2\" can not be the name of a folder"));
  EXPECT_THAT(error("stages: [{name: a, command: b, filters: [{class: A, x: \"@b\"}]}]"),
              testing::HasSubstr("stages[0].filters: stages and names of `for` can not"));
  EXPECT_THAT(error("stages: [{name: a, command: b, x: \"${y\"}]"), testing::HasSubstr("stages[0].x: ${y} is neither"));
  EXPECT_THAT(error("stages: [{name: a, command: b, input: [{index: x}, y]}]"),
              testing::HasSubstr("stages[0].input: options stand alone"));
  EXPECT_THAT(error("stages: [{name: a, command: b, input: {index: x}, index: y}]"),
              testing::HasSubstr("stages[0].index: is given twice"));
  EXPECT_THAT(error("stages: [{name: a, command: b, input: ${input}}]"), testing::HasSubstr("give it by --input"));
}

}  // namespace
}  // namespace uzushio
