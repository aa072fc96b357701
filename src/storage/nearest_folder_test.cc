#include "storage/nearest_folder.h"

#include <gtest/gtest.h>

#include <map>

namespace uzushio {
namespace {

TEST(FindNearestFolder, IsThePathOrAboveIt) {
  const std::map<std::filesystem::path, int> folders = {{"/a/b", 1}, {"/a/b/c/d", 2}};
  EXPECT_EQ(FindNearestFolder(folders, "/a/b")->second, 1);
  EXPECT_EQ(FindNearestFolder(folders, "/a/b/c/x.parquet")->second, 1);
  EXPECT_EQ(FindNearestFolder(folders, "/a/b/c/d/x.parquet")->second, 2);
  for (const char* path : {"/a", "/a/bc", "/", ""}) EXPECT_EQ(FindNearestFolder(folders, path), folders.end()) << path;
}

TEST(OneNameOfTest, IsTheSameForAllNamesOfAPlace) {
  const std::filesystem::path one = "s3:/bucket/corpus";
  for (const char* name : {"s3://bucket/corpus", "s3a://bucket/corpus/", "s3://KEY:a/b@bucket/corpus"}) {
    EXPECT_EQ(OneNameOf(name).ValueOr(""), one) << name;
  }
  EXPECT_EQ(OneNameOf("/nothing/of/../it").ValueOr(""), "/nothing/it");
  const std::map<std::filesystem::path, int> folders = {{one, 1}};
  EXPECT_NE(FindNearestFolder(folders, *OneNameOf("s3://bucket/corpus/documents/0")), folders.end());
  EXPECT_EQ(FindNearestFolder(folders, *OneNameOf("s3://bucket/other")), folders.end());
}

}  // namespace
}  // namespace uzushio
