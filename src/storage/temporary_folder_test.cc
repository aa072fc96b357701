#include "storage/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/test_support.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

class TemporaryFolderTest : public FolderTest {
 protected:
  // Makes one with a file, in a process that is killed.
  void LeaveOne(const std::string& prefix) const {
    const pid_t child = fork();
    if (child == 0) {
      const auto folder = TemporaryFolder::MakeAfterKilled(root_ / prefix);
      std::ofstream((*folder)->path() / "file") << "left";
      _exit(0);
    }
    int ended = 0;
    waitpid(child, &ended, 0);
    ASSERT_EQ(ended, 0);
  }
  std::vector<fs::path> There() const {
    std::vector<fs::path> there;
    for (const auto& entry : fs::directory_iterator(root_)) there.push_back(entry.path());
    return there;
  }
};

TEST_F(TemporaryFolderTest, GoesWithAllInIt) {
  {
    const auto folder = TemporaryFolder::Make(root_ / "a");
    std::ofstream((*folder)->path() / "file") << "text";
    EXPECT_THAT(There(), testing::ElementsAre((*folder)->path()));
  }
  EXPECT_THAT(There(), testing::IsEmpty());
}

TEST_F(TemporaryFolderTest, RemovesOnlyWhatIsLeft) {
  LeaveOne("a");
  const auto used = TemporaryFolder::MakeAfterKilled(root_ / "b");
  const auto plain = TemporaryFolder::Make(root_ / "a");
  TemporaryFolder::RemoveLeft(root_ / "a");
  TemporaryFolder::RemoveLeft(root_ / "b");
  EXPECT_THAT(There(), testing::UnorderedElementsAre((*used)->path(), (*plain)->path()));
}

TEST_F(TemporaryFolderTest, RemovesWhatKilledProcessesHaveLeft) {
  fs::create_directories(root_ / "a-mine");
  std::ofstream(root_ / "a.file") << "mine";
  const auto others = TemporaryFolder::MakeAfterKilled(root_ / "b");
  LeaveOne("a");
  LeaveOne("a");
  EXPECT_EQ(There().size(), 4);  // the second has removed what the first left
  const auto first = TemporaryFolder::MakeAfterKilled(root_ / "a");
  const auto second = TemporaryFolder::MakeAfterKilled(root_ / "a");
  EXPECT_THAT(There(), testing::UnorderedElementsAre(root_ / "a-mine", root_ / "a.file", (*others)->path(),
                                                     (*first)->path(), (*second)->path()));
}

TEST_F(TemporaryFolderTest, EndsWhereNoFolderCanBeOpened) {
  struct rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const struct rlimit none = {0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto made = TemporaryFolder::MakeAfterKilled(root_ / "a");
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_THAT(made.status().message(), testing::HasSubstr("cannot open the folder"));
  EXPECT_LE(There().size(), 1);  // an empty one, which could not be opened to be removed
}

}  // namespace
}  // namespace uzushio
