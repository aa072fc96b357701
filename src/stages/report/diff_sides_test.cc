#include "stages/report/diff_sides.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/test_support.h"

namespace uzushio {
namespace {

class DiffSides : public FolderTest {
 protected:
  ReportOutput Output(const std::string& name, const std::string& stage, const std::vector<std::string>& files) {
    ReportOutput output;
    output.name = name;
    output.folder = root_ / name;
    output.stage = stage;
    output.mark = {{"files", nlohmann::json::array()},
                   {"counts", nlohmann::json::object()},
                   {"run", {{"inputs", nlohmann::json::array()}, {"configuration", nlohmann::json::object()}}}};
    for (const std::string& file : files) {
      output.mark["files"].push_back({{"path", file}, {"bytes", 0}, {"rows", 0}, {"xxh64", "0"}});
      std::filesystem::create_directories((output.folder / file).parent_path());
      std::ofstream(output.folder / file) << "";
    }
    return output;
  }

  // Each source as `output reason (filter): files`.
  static std::vector<std::string> Sources(const DiffSide& side) {
    std::vector<std::string> all;
    for (const DiffSource& source : side.sources) {
      all.push_back(side.outputs[source.output] + " " + source.reason.value_or("kept") + " (" +
                    source.filter.value_or("") + "): " + std::to_string(source.files.size()));
    }
    return all;
  }
};

TEST_F(DiffSides, WhatIsRemovedIsBeforeWhatIsKeptInTheOrderOfTheChain) {
  ReportOutput graded = Output("graded", "filter",
                               {"filter=none/part-00000.parquet", "filter=A.Low(1%2F2)/part-00000.parquet",
                                "filter=B/part-00000.parquet", "filter=B/part-00001.parquet"});
  graded.mark["run"]["configuration"] = {{"filters", {{{"class", "B"}}, {{"class", "A"}}}}};
  graded.mark["counts"]["removed"] = {{{"reason", "B"}, {"step", 0U}}, {{"reason", "A.Low(1/2)"}, {"step", 1U}}};
  const auto side = DiffSideOf({Output("documents", "extract", {"part-00000.parquet"}),
                                Output("statistics", "stats", {"statistics.parquet"}), graded},
                               "DIR");
  ASSERT_TRUE(side.ok()) << side.status();
  EXPECT_EQ(Sources(*side), (std::vector<std::string>{"documents kept (): 1", "graded B (B): 2",
                                                      "graded A.Low(1/2) (A): 1", "graded kept (): 1"}));
  EXPECT_EQ(side->name(), "graded");
}

TEST_F(DiffSides, DuplicatesOfBothLayouts) {
  for (const std::vector<std::string>& files :
       {std::vector<std::string>{"part-00000.parquet", ".uzushio/duplicates/part-00000.pq", ".uzushio/minhash/0.index"},
        std::vector<std::string>{"dedup/part-00000.parquet", "dup/part-00000.parquet"}}) {
    const auto side = DiffSideOf({Output(files[0].substr(0, 4), "minhash", files)}, "DIR");
    ASSERT_TRUE(side.ok()) << side.status();
    EXPECT_EQ(side->sources.size(), 2);
    EXPECT_EQ(side->sources[0].reason, "duplicate");
    EXPECT_EQ(side->sources[1].reason, std::nullopt);
  }
}

TEST_F(DiffSides, WithoutDocumentsIsAnError) {
  const auto side = DiffSideOf({Output("statistics", "stats", {"statistics.parquet"})}, "--against");
  EXPECT_TRUE(side.status().message().starts_with("--against: has no documents to compare")) << side.status();
}

}  // namespace
}  // namespace uzushio
