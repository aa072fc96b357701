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

}  // namespace
}  // namespace uzushio
