#include "datasets/output_files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/test_support.h"

namespace uzushio {
namespace {

// Of outputs on stores: tests/program/test_store_side_inputs.py.
class OutputFilesTest : public FolderTest {
 protected:
  void Write(const std::string& path, const std::string& content) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << content;
  }
};

TEST_F(OutputFilesTest, FindsFilesOfLocalOutputs) {
  Write(".uzushio/manifest.json", R"({"run": {"stage": "stats"}})");
  Write("_old.index", "old");
  Write("table.parquet/part-1.parquet", "b");
  Write("table.parquet/part-0.parquet", "a");
  const auto output = OutputFiles::Find(root_.string());
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_FALSE(output->is_on_store());
  EXPECT_EQ(output->name(), root_.string());
  EXPECT_EQ((*output->Mark())["run"]["stage"], "stats");
  const auto old = output->Find({".uzushio/new.index", "_old.index"}, {});
  ASSERT_TRUE(old.ok()) << old.status();
  ASSERT_EQ(old->files.size(), 1U);
  EXPECT_FALSE(old->is_folder);
  EXPECT_EQ(old->files[0].path, (root_ / "_old.index").string());
  const auto table = output->Find({"table.parquet", "table.parquet"}, {".parquet"});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_TRUE(table->is_folder);
  ASSERT_EQ(table->files.size(), 2U);
  EXPECT_TRUE(table->files[0].name.ends_with("part-0.parquet"));
  EXPECT_TRUE(output->Find({"none", "none"}, {})->files.empty());
}

TEST_F(OutputFilesTest, LocalFilesStayWhereTheyAre) {
  Write("_old.index", "old");
  const auto output = OutputFiles::Find(root_.string());
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_FALSE(output->Mark().ok());
  const OutputName name = {".uzushio/new.index", "_old.index"};
  {
    const auto files = LocalFiles::Of(*output, name, "");
    ASSERT_TRUE(files.ok()) << files.status();
    EXPECT_EQ(files->path(), root_ / "_old.index");
    const arrow::Status status = arrow::Status::Invalid(root_.string(), ": what it is");
    EXPECT_EQ(files->About(status), status);
  }
  EXPECT_TRUE(std::filesystem::exists(root_ / "_old.index"));
  EXPECT_EQ(LocalFiles::Of(*output, {"none", "nothing"}, "")->path(), root_ / "none");
}

}  // namespace
}  // namespace uzushio
