#include "filters/host_lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/test_support.h"

namespace uzushio {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::vector<std::string> Matches(const HostLists& lists, const std::string& url) {
  Location location;
  EXPECT_TRUE(location.Parse(url)) << url;
  HostParts scratch;
  std::vector<std::string> found;
  lists.ForEachMatch(location, &scratch, [&](const HostMatch& match) {
    found.push_back(lists.names()[match.list] + ": " + EntryText(location, match));
  });
  return found;
}

TEST(HostLists, CoverWhatIsBelow) {
  const auto lists =
      *HostLists::Of({"example.com", ".example.net", "example.jp/a/b", ".example.org/a", "10.0.0.1"}, "x");
  EXPECT_THAT(Matches(*lists, "http://example.com/"), ElementsAre("x: example.com"));
  EXPECT_THAT(Matches(*lists, "http://a.b.example.com/c"), ElementsAre("x: example.com"));
  EXPECT_THAT(Matches(*lists, "http://notexample.com/"), IsEmpty());
  EXPECT_THAT(Matches(*lists, "http://com/"), IsEmpty());
  EXPECT_THAT(Matches(*lists, "http://example.net/"), IsEmpty());
  EXPECT_THAT(Matches(*lists, "http://a.example.net/"), ElementsAre("x: .example.net"));
  EXPECT_THAT(Matches(*lists, "http://example.jp/a"), IsEmpty());
  EXPECT_THAT(Matches(*lists, "http://example.jp/a/bc"), IsEmpty());
  EXPECT_THAT(Matches(*lists, "http://www.example.jp/a/b?c"), ElementsAre("x: example.jp/a/b"));
  EXPECT_THAT(Matches(*lists, "http://example.org/a"), IsEmpty());
  EXPECT_THAT(Matches(*lists, "http://www.example.org/a/"), ElementsAre("x: .example.org/a"));
  EXPECT_THAT(Matches(*lists, "http://10.0.0.1/"), ElementsAre("x: 10.0.0.1"));
  EXPECT_THAT(Matches(*lists, "http://10.0.0.10/"), IsEmpty());
  EXPECT_FALSE(HostLists::Of({"a b"}, "x").ok());
}

class HostListsFolder : public FolderTest {};

TEST_F(HostListsFolder, HasListsAsFoldersFilesAndCompiled) {
  const auto write = [this](const std::string& name, const std::string& text) {
    const std::filesystem::path path = root_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  };
  write("ut1/global_usage",
        "NAME: adult\nDEFAULT_TYPE: black\n\nNAME:\tgames\nDEFAULT_TYPE:  black\r\n\nNAME: child\n"
        "DEFAULT_TYPE: white\n\nNAME: ../own\nDEFAULT_TYPE: black\nNAME: none\nDEFAULT_TYPE: black\n");
  write("ut1/adult/domains", "example.com\nexample.com\n");
  write("ut1/adult/urls", "example.net/a\n");
  write("ut1/games/domains", "example.com\n");
  write("ut1/child/domains", "example.jp\n");
  write("own/domains", "example.org\n");
  write("list", "example.com/x\n<>\n");
  const auto path = [this](const std::string& name) { return (root_ / name).string(); };
  HostListLosses losses;
  const auto lists = *HostLists::Read({path("ut1"), path("list"), path("own/")}, &losses);
  EXPECT_THAT(lists->names(), ElementsAre("adult", "custom", "games", "own"));
  EXPECT_THAT(lists->Sizes(), ElementsAre(2, 1, 1, 1));
  EXPECT_EQ(losses.lines, 1);
  EXPECT_EQ(losses.first, path("list") + ":2: <>");
  EXPECT_THAT(Matches(*lists, "http://example.com/x"),
              UnorderedElementsAre("adult: example.com", "games: example.com", "custom: example.com/x"));
  EXPECT_THAT(Matches(*lists, "http://example.jp/"), IsEmpty());

  ASSERT_TRUE(lists->Write(path("all"), false).ok());
  EXPECT_FALSE(lists->Write(path("all"), false).ok());
  ASSERT_TRUE(lists->Write(path("all"), true).ok());
  const auto mapped = *HostLists::Read({path("all")}, &losses);
  EXPECT_EQ(mapped->checksum(), lists->checksum());
  EXPECT_EQ(mapped->names(), lists->names());
  const auto with_other = *HostLists::Read({path("all"), path("ut1")}, &losses);
  EXPECT_EQ(with_other->checksum(), lists->checksum());
  EXPECT_FALSE(HostLists::Read({path("nothing")}, &losses).ok());
  EXPECT_THAT(lists->Write(path("list/in"), false).message(), HasSubstr("list"));
}

}  // namespace
}  // namespace uzushio
