#include "filters/hocon.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/test_support.h"

namespace uzushio {
namespace {

class HoconTest : public FolderTest {
 protected:
  // What is said of a file of this text, behind the file's name.
  std::string ErrorOf(const std::string& text) const {
    const std::string path = (root_ / "a.conf").string();
    std::ofstream(path) << text;
    std::string message = ReadHocon(path, nlohmann::json::object()).status().message();
    if (message.starts_with(path)) message.erase(0, path.size());
    return message;
  }
};

TEST_F(HoconTest, SaysWhichBracketIsOpen) {
  EXPECT_EQ(ErrorOf("filters: [\n  {class: A, low: 1\n  {class: B}\n]\n"),
            ":3: expected key, got `{`; the `{` of line 2 is open here");
  EXPECT_EQ(ErrorOf("a: 1\nfilters: [\n  {class: A, low: 1}\n"), ":4: expected `]`; the `[` of line 2 is open here");
  EXPECT_EQ(ErrorOf("# a {\nb: \"[\"\nc: [\n"), ":4: expected `]`; the `[` of line 3 is open here");
  EXPECT_EQ(ErrorOf("a: 1\n= 2\n"), ":2: expected key, got `=`");
}

TEST_F(HoconTest, SaysThatAnIncludedFileIsMissing) {
  EXPECT_EQ(ErrorOf("a: 1\ninclude required(\"no.conf\")\n"),
            ":2: include: no file " + (root_ / "no.conf").string() +
                "; it is looked for in the folder of the file that includes it");
  EXPECT_EQ(ErrorOf("include \"no.conf\"\n"), "");
}

}  // namespace
}  // namespace uzushio
