#include "filters/hocon.h"

#include <gmock/gmock.h>
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

TEST_F(HoconTest, SaysWhatThePropertyIsThatHasNoValue) {
  const std::string head = "# A chain.\n#\n#   -P aa=FILE   other\n#   -P a=FILE   a model (theirs)\n";
  EXPECT_THAT(ErrorOf(head + "x: ${a}"), testing::HasSubstr("substitution: ${a} (a model (theirs)); give it by -P"));
  EXPECT_THAT(ErrorOf(head + "x: ${b}"), testing::HasSubstr("substitution: ${b}; give it by -P"));
  EXPECT_THAT(ErrorOf("#   -P a=FILE\nx: ${a}"), testing::HasSubstr("substitution: ${a}; give it by -P"));
  EXPECT_THAT(ErrorOf("x: ${a}\n#   -P a=FILE   late"), testing::HasSubstr("substitution: ${a}; give it by -P"));
}

// Only what has no value can be given one.
TEST_F(HoconTest, SaysHowToGiveWhatHasNoValue) {
  EXPECT_THAT(ErrorOf("a: ${b}"), testing::HasSubstr("; give it by -P name=value"));
  EXPECT_THAT(ErrorOf("a: [1]\nb: ${a} {c: 1}"), testing::StartsWith(":2: value concatenation requires"));
  EXPECT_THAT(ErrorOf("include required(\"none.conf\")"),
              testing::AllOf(testing::StartsWith(":1: include: no file"), testing::Not(testing::HasSubstr("-P"))));
}

TEST_F(HoconTest, ReadAgainWithWhatIsUnset) {
  std::string unset = "before";
  const std::string path = (root_ / "a.conf").string();
  std::ofstream(path) << "include required(\"none.conf\")";
  EXPECT_FALSE(ReadHocon(path, nlohmann::json::object(), &unset).ok());
  EXPECT_EQ(unset, "");
  std::ofstream(path) << "a: ${b}";
  EXPECT_FALSE(ReadHocon(path, nlohmann::json::object(), &unset).ok());
  EXPECT_EQ(unset, "b");
}

TEST_F(HoconTest, NamesMayHaveBlanksAndQuotes) {
  EXPECT_EQ(SubstitutionsIn("a: ${b}, c: ${? d }, e: ${\"f\"} ${ \"g\".h }"),
            (std::vector<std::string>{"b", "d", "f", "g.h"}));
  EXPECT_EQ(SubstitutionsIn("a: ${b\n}, ${\x1b[1m} ${f\rg} c: ${d} ${e"), (std::vector<std::string>{"d"}));
  EXPECT_TRUE(MayTakeProperty("low: ${ limit }", "limit"));
  EXPECT_TRUE(MayTakeProperty("low: ${\"limit\"}", "limit"));
  EXPECT_FALSE(MayTakeProperty("low: ${ limits }", "limit"));
  EXPECT_TRUE(MayTakeProperty("include \"more.conf\"", "limit"));
  const std::string path = (root_ / "a.conf").string();
  std::ofstream(path) << "a: ${ limit }, b: ${\"limit\"}";
  EXPECT_EQ(ReadHocon(path, {{"limit", "3"}}).ValueOrDie().dump(), R"({"a":"3","b":"3"})");
}

TEST_F(HoconTest, IncludesThatAreNotThereAreNamed) {
  const std::string path = (root_ / "a.conf").string();
  const std::string more = (root_ / "more.conf").string();
  std::ofstream(path) << "# include \"comment.conf\"\na: \"include \\\"text.conf\\\"\"\ninclude \"more\"\n"
                         "b { include file(\"/none/x.conf\") }\ninclude required(\"r.conf\")\n";
  std::ofstream(more) << "include \"a.conf\"\ninclude \"none\"\n";
  const std::string end = ": no such file; nothing is taken from it";
  EXPECT_THAT(MissingIncludes(path),
              testing::ElementsAre(path + ":4: include \"/none/x.conf\"" + end, more + ":2: include \"none\"" + end));
  EXPECT_THAT(MissingIncludes((root_ / "no such file").string()), testing::IsEmpty());
}

}  // namespace
}  // namespace uzushio
