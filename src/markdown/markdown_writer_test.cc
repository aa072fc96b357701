#include "markdown/markdown_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "document/markup.h"

namespace uzushio {
namespace {

// Structures and texts as one text; paragraphs are parted by an empty line.
std::string Written(const std::vector<std::pair<std::string, std::string>>& paragraphs, const MarkdownForm& form = {}) {
  MarkdownWriter writer(form);
  std::string text;
  std::string piece;
  for (const auto& [structure, marked] : paragraphs) {
    if (!writer.Write(structure, marked, &piece) && !text.empty()) text += "\n\n";
    text += piece;
  }
  return StripMarks(text);
}

std::string One(const std::string& structure, const std::string& marked, const MarkdownForm& form = {}) {
  return Written({{structure, marked}}, form);
}

TEST(MarkdownWriter, HeadingsAreOneLine) {
  EXPECT_EQ(One("h2", "長い\n題名"), "## 長い 題名");
  EXPECT_EQ(One("h1", "C #"), "# C \\#");
  EXPECT_EQ(One("h1", "C#"), "# C#");
  EXPECT_EQ(One("h1", "##"), "# \\##");
  EXPECT_EQ(One("h3", "1. はじめに"), "### 1. はじめに");
  EXPECT_EQ(One("h2", "題", {.headings = false}), "題");
}

TEST(MarkdownWriter, ListsAreTightAndNested) {
  EXPECT_EQ(Written({{"ul.1", "い"}, {"ul.1+>ol.1.a", "ろ"}, {"ul.1+>ol.2.a", "は"}, {"ul.2", "に"}}),
            "- い\n  1. ろ\n  2. は\n- に");
  EXPECT_EQ(Written({{"ol.9", "い"}, {"ol.10", "ろ"}, {"ol.10+", "は"}, {"ol.11", "に"}}),
            "9. い\n10. ろ\n\n    は\n\n11. に");
  EXPECT_EQ(Written({{"ol.3", "い"}, {"ol.2", "ろ"}, {"ol.1", "は"}}), "3. い\n2. ろ\n1. は");
  EXPECT_EQ(Written({{"ul.1>ul.1", "い"}, {"ul.1+>ul.2", "ろ"}}), "- - い\n  - ろ");
}

// Lists in a row are told apart by their numbers; a list is another paragraph where it would not be read as one.
TEST(MarkdownWriter, OtherListsAreOtherParagraphs) {
  EXPECT_EQ(Written({{"ul.1", "い"}, {"ul.2", "ろ"}, {"ul.1", "は"}}), "- い\n- ろ\n\n- は");
  EXPECT_EQ(Written({{"ol.1", "い"}, {"ol.2", "ろ"}, {"ol.1", "は"}, {"ol.2", "に"}}), "1. い\n2. ろ\n\n1. は\n2. に");
  EXPECT_EQ(Written({{"ul.1", "い"}, {"ol.2", "ろ"}}), "- い\n\n2. ろ");
  EXPECT_EQ(Written({{"ul.1", "い"}, {"ul.1+>ol.2", "ろ"}}), "- い\n\n  2. ろ");
  EXPECT_EQ(Written({{"ol.-1", "い"}, {"ol.0", "ろ"}}), "- い\n\n0. ろ");
  EXPECT_EQ(One("ol.1000000000", "い"), "- い");
  EXPECT_EQ(One("ol.-9223372036854775808", "い"), "- い");
}

TEST(MarkdownWriter, DescriptionsAreItemsBehindTheirTerms) {
  EXPECT_EQ(Written({{"dt", "語"}, {"dd", "意味"}, {"dd", "別"}, {"dd+", "続き"}, {"dt", "語"}}),
            "語\n- 意味\n- 別\n\n  続き\n\n語");
  EXPECT_EQ(Written({{"dt", "語"}, {"dd", "意味"}}, {.lists = false}), "語\n\n意味");
}

TEST(MarkdownWriter, QuotesAreOneParagraph) {
  EXPECT_EQ(Written({{"quote", "い\nろ"}, {"quote>ul.1", "は"}, {"quote>ul.1+>code", "に\n\x1f\nほ"}, {"", "へ"}}),
            "> い\n> ろ\n>\n> - は\n>\n>   ```\n>   に\n>\n>   ほ\n>   ```\n\nへ");
  EXPECT_EQ(Written({{"ul.1", "い"}, {"ul.1+>quote>quote", "ろ"}}), "- い\n\n  > > ろ");
  EXPECT_EQ(One("quote", "い", {.quotes = false}), "い");
}

TEST(MarkdownWriter, CodeIsFenced) {
  EXPECT_EQ(One("code.c++", "a\n\x1f\n  b"), "```c++\na\n\n  b\n```");
  EXPECT_EQ(One("code", "````\n```"), "`````\n````\n```\n`````");
  EXPECT_EQ(Written({{"ol.1", "い"}, {"ol.1+>code", "a\n\x1f\n\tb"}}), "1. い\n\n   ```\n   a\n\n   \tb\n   ```");
  EXPECT_EQ(One("code.c", "*a", {.code = false}), "*a");
  // Other text with indented lines.
  EXPECT_EQ(One("pre", "い\n    ろ"), "```\nい\n    ろ\n```");
  EXPECT_EQ(One("", "い\n\tろ"), "```\nい\n\tろ\n```");
  EXPECT_EQ(One("pre", "い\n ろ\n\x1f\nは"), "い\n ろ\n\nは");
  EXPECT_EQ(One("", "    い", {.code = false}), "い");
}

TEST(MarkdownWriter, TablesHaveAHeader) {
  EXPECT_EQ(One("table", "\x16い\t\x16ろ\nは|に"), "| い | ろ |\n| --- | --- |\n| は\\|に |  |");
  EXPECT_EQ(One("table", "\x16い\tろ\n\x16は\tに"), "|  |  |\n| --- | --- |\n| い | ろ |\n| は | に |");
  EXPECT_EQ(One("table", "\t\x16い\n1\t\x0e|\x0f"), "|  | い |\n| --- | --- |\n| 1 | `\\|` |");
  EXPECT_EQ(One("table", "い\tろ", {.tables = false}), "い\tろ");
}

TEST(MarkdownWriter, AStrongFirstRowIsAHeader) {
  EXPECT_EQ(One("table", "\x10い\x11\t\x10ろ\x11\nは\tに"), "| い | ろ |\n| --- | --- |\n| は | に |");
  for (const char* body : {"\x10い\x11\tろ\nは\tに", "\x10い\x11\n\x10ろ\x11", "\x10い\x11ろ\t\x10は\x11\nに\tほ",
                           "\x10い\x11\t\x10ろ\x11\n\x10は\x11\t\x10に\x11"}) {
    EXPECT_TRUE(One("table", body).starts_with("|  |")) << body;
  }
}

TEST(MarkdownWriter, CellsThatOthersReachOverSayNothingOfAHeader) {
  EXPECT_EQ(One("table", "\x10い\x11\t\t\x10ろ\x11\n1\t2\t3"), "| い |  | ろ |\n| --- | --- | --- |\n| 1 | 2 | 3 |");
  EXPECT_EQ(One("table", "\x10い\x11\t\x10ろ\x11\nは\t1\n\x10に\x11"),
            "| い | ろ |\n| --- | --- |\n| は | 1 |\n| に |  |");
}

TEST(MarkdownWriter, ARowByItselfIsALine) {
  EXPECT_EQ(One("table", "[1]\t注"), "[1] 注");
  EXPECT_EQ(One("table", "\tい\t\t\x0e|\x0f"), "い `|`");
  EXPECT_EQ(One("table", "1.\tい"), "1\\. い");
  EXPECT_EQ(One("table", "\x16い\t\x16ろ"), "| い | ろ |\n| --- | --- |");
}

// A table of one long row and many short ones does not become the product of both.
TEST(MarkdownWriter, TablesStayInBounds) {
  std::string rows(100'000, '\t');
  for (int i = 0; i < 100'000; ++i) rows += "\na";
  EXPECT_LT(One("table", rows).size(), 20 * rows.size());
}

TEST(MarkdownWriter, InlineCodeHasBackticks) {
  EXPECT_EQ(One("", "a \x0eint\x0f b"), "a `int` b");
  EXPECT_EQ(One("", "\x0e``\x0f"), "``` `` ```");
  EXPECT_EQ(One("",
                "\x0e"
                "Ctrl\x0f\x0e"
                "C\x0f"),
            "`CtrlC`");
  EXPECT_EQ(One("", "a ` b"), "a ` b");
  EXPECT_EQ(One("",
                "a ` b \x0e"
                "c\x0f"),
            "a \\` b `c`");
  EXPECT_EQ(One("", "\x0e*a\x0f", {.code = false}), "*a");
  EXPECT_EQ(One("",
                "\x0f"
                "a\x0e"
                "b"),
            "ab");
}

TEST(MarkdownWriter, EmphasisIsWrittenWhereItIsRead) {
  const MarkdownForm form = {.emphasis = true};
  EXPECT_EQ(One("", "\x10強い\x11字"), "強い字");
  EXPECT_EQ(One("", "\x10強い\x11字", form), "**強い**字");
  EXPECT_EQ(One("", "\x10「強い」\x11字", form), "「強い」字");
  EXPECT_EQ(One("", "\x10\x12強い\x13\x11 2*3", form), "***強い*** 2\\*3");
  EXPECT_EQ(One("",
                "\x10"
                "a\x12"
                "b\x11"
                "c\x13",
                form),
            "abc");
}

TEST(MarkdownWriter, EmphasisThatOnlyBeginsWithAnotherIsNotWritten) {
  const MarkdownForm form = {.emphasis = true};
  EXPECT_EQ(One("", "\x12\x10い\x11と\x10ろ\x11\x13", form), "*いと**ろ***");
  std::string empty = "い";
  for (int i = 0; i < 200'000; ++i) empty += "\x10\x11";  // in time that grows with it
  EXPECT_EQ(One("", empty + "ろ", form), "いろ");
}

TEST(MarkdownWriter, EscapesWhatWouldBeRead) {
  for (const char* text :
       {"*注*",       "(*^_^*)",      "**注意**です", "_x_",    "~~x~~",       "`a`b`c`", "<br>",    "</p>",
        "<!-- x -->", "<http://a.b>", "<a@b.cc>",     "&amp;",  "\\*",         "[x](y)",  "[x]: y",  "# 題",
        "- い",       "+ い",         "* い",         "1. い",  "2) い",       "> い",    ">>1",     "---",
        "***",        "* * *",        "___",          "```",    "~~~",         "い\n---", "い\n===", "い|ろ\n-|-",
        "い\n1. ろ",  "い\\\nろ",     "<div",         "<ab:c>", "<img src=x>", "<hr/>"}) {
    EXPECT_NE(One("", text), text);
  }
  EXPECT_EQ(One("", "1. い"), "1\\. い");
  EXPECT_EQ(One("", "い\n---"), "い\n\\---");
  EXPECT_EQ(One("ul.1", "[ ] い"), "- \\[ ] い");
}

TEST(MarkdownWriter, LeavesWhatWouldNot) {
  for (const char* text : {"これは、ふつうの文章です。",
                           "3 * 4 * 5",
                           "snake_case_name",
                           "注*",
                           "a < b",
                           "<タイトル>",
                           "<A社>",
                           "a & b",
                           "A&B",
                           "C:\\dir",
                           "¥100",
                           "[1]",
                           "[x] (y)",
                           "#タグ",
                           "-い",
                           "1.い",
                           "い\n2. ろ",
                           "い\n+",
                           "10~20",
                           "|い|ろ|",
                           "===",
                           "♪〜",
                           "https://example.jp/a_b_c",
                           "※注",
                           "・い",
                           "i <3 you",
                           "#include <sys/types.h>",
                           "<complex.h>",
                           "<c:if x>",
                           "Vec<T,U> x>",
                           "</A社>",
                           "$x_1$"}) {
    EXPECT_EQ(One("", text), text) << text;
  }
}

// Indentation ends; what is deeper belongs to what is around.
TEST(MarkdownWriter, DeepListsAreCapped) {
  std::string structure = "ul.1";
  for (int i = 0; i < 10'000; ++i) structure += ">ul.1";
  const std::string text = One(structure, "い\nろ");
  EXPECT_LT(text.size(), 3 * MarkdownWriter::kMostIndentation);
}

// A removed paragraph is not written, and parts those around it.
TEST(MarkdownWriter, SkippedParagraphsPartLists) {
  MarkdownWriter writer({});
  std::string text;
  EXPECT_FALSE(writer.Write("ul.1", "い", &text));
  writer.Skip("ul.2");
  EXPECT_FALSE(writer.Write("ul.2+", "ろ", &text));
  EXPECT_EQ(text, "- ろ");
  writer.Skip("ul.2+");
  EXPECT_FALSE(writer.Write("ul.2+", "は", &text));
  EXPECT_EQ(text, "  は");
  EXPECT_FALSE(writer.Write("quote>ul.1", "に", &text));
  writer.Skip("quote>ul.1+");
  EXPECT_FALSE(writer.Write("quote>ul.1+", "ほ", &text));
  EXPECT_EQ(text, "> - ほ");
}

TEST(MarkdownWriter, KeepsLinksAndBlankLines) {
  MarkdownWriter writer({});
  std::string text;
  writer.Write("ul.1", "\x02\x10い\x11\x03", &text);
  EXPECT_EQ(text, "- \x02い\x03");
  writer.Write("code",
               "a\n\x1f\n\x02"
               "b\x03",
               &text);
  EXPECT_EQ(text,
            "```\na\n\x1f\n\x02"
            "b\x03\n```");
}

}  // namespace
}  // namespace uzushio
