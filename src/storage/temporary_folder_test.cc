#include "storage/temporary_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace uzushio {
namespace {

namespace fs = std::filesystem;

class TemporaryFolders : public testing::Test {
 protected:
  TemporaryFolders() : root_(fs::path(testing::TempDir()) / ("temporary-" + std::to_string(::getpid()))) {
    fs::create_directories(root_);
  }
  ~TemporaryFolders() override { fs::remove_all(root_); }
  fs::path root_;
};

TEST_F(TemporaryFolders, OfAProcessThatWasKilledAreRemoved) {
  const fs::path left = root_ / ".model.uzushio-abcdef";
  fs::create_directories(left / "inner");
  std::ofstream(left / "inner" / "lines") << "text";
  for (const char* other : {".model.backup", ".model.uzushio-longer", ".other.uzushio-abcdef"}) {
    fs::create_directories(root_ / other);
  }
  std::ofstream(root_ / ".model.uzushio-afile0") << "mine";
  const auto made = TemporaryFolder::Make(root_ / ".model").ValueOrDie();
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::is_directory(made->path()));
  for (const char* other :
       {".model.backup", ".model.uzushio-longer", ".other.uzushio-abcdef", ".model.uzushio-afile0"}) {
    EXPECT_TRUE(fs::exists(root_ / other)) << other;
  }
}

TEST_F(TemporaryFolders, InUseStay) {
  auto first = TemporaryFolder::Make(root_ / ".model").ValueOrDie();
  const auto second = TemporaryFolder::Make(root_ / ".model").ValueOrDie();
  EXPECT_NE(first->path(), second->path());
  EXPECT_TRUE(fs::is_directory(first->path()));
  const fs::path path = first->path();
  first.reset();
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::is_directory(second->path()));
}

TEST_F(TemporaryFolders, NeedAFolderToLieIn) {
  EXPECT_TRUE(TemporaryFolder::Make(root_ / "none" / ".model").status().IsIOError());
}

}  // namespace
}  // namespace uzushio
