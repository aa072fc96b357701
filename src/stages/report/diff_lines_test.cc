#include "stages/report/diff_lines.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace uzushio {
namespace {

// The lines as `=text`, `+text` (in a), `-text` (in b) and `(n)`, with `…` where there is more.
std::string Shown(const nlohmann::json& diff) {
  std::string shown;
  for (const nlohmann::json& line : diff["lines"]) {
    if (line.contains("skipped")) {
      shown += "(" + std::to_string(line["skipped"].get<int>()) + ") ";
      continue;
    }
    const std::string kind = line["kind"].get<std::string>();
    shown += (kind == "both" ? "=" : kind == "a" ? "+" : "-") + line["text"].get<std::string>() + " ";
  }
  return shown + (diff["cut"].get<bool>() ? "…" : "");
}

std::string Document(const std::string& letters) {
  std::string text;
  for (const char letter : letters) text += (text.empty() ? "" : "\n\n") + std::string(1, letter);
  return text;
}

std::string DiffOfLines(const std::string& a, const std::string& b, size_t most = 1000) {
  const DiffText of_a = DiffTextOf(Document(a));
  const DiffText of_b = DiffTextOf(Document(b));
  return Shown(DiffLinesJson(&of_a, &of_b, most));
}

TEST(DiffTextOf, IsWithoutPathsAndMarks) {
  const DiffText text = DiffTextOf("body>p\x1c一\x02二\x03\n\nbody>p\x1c\x02\x03\n\n三");
  EXPECT_EQ(text.paragraphs, (std::vector<std::string>{"一二", "三"}));
  EXPECT_FALSE(text.cut);
  EXPECT_TRUE(DiffTextOf("").paragraphs.empty());
}

TEST(DiffTextOf, EndsWhereItGetsLong) {
  std::string long_text;
  while (long_text.size() <= kMostDiffedBytes) long_text += "あ";
  const DiffText one = DiffTextOf(long_text);
  ASSERT_EQ(one.paragraphs.size(), 1);
  EXPECT_TRUE(one.cut);
  EXPECT_LE(one.paragraphs[0].size(), kMostDiffedBytes);
  EXPECT_TRUE(IsValidUtf8(one.paragraphs[0]));
  const DiffText two = DiffTextOf("い\n\n" + long_text);
  ASSERT_EQ(two.paragraphs.size(), 2);
  EXPECT_EQ(two.paragraphs[0], "い");
  EXPECT_LE(two.paragraphs[1].size(), kMostDiffedBytes - 3);
  EXPECT_TRUE(two.cut);
  EXPECT_EQ(DiffTextOf(Document(std::string(kMostDiffedParagraphs + 1, 'x'))).paragraphs.size(), kMostDiffedParagraphs);
}

TEST(DiffLinesJson, WhatDiffersAndWhatIsBesideIt) {
  EXPECT_EQ(DiffOfLines("abc", "abc"), "(3) ");
  EXPECT_EQ(DiffOfLines("a", "a"), "=a ");
  EXPECT_EQ(DiffOfLines("abcdXefgh", "abcdYefgh"), "(3) =d -Y +X =e (3) ");
  EXPECT_EQ(DiffOfLines("XabcdeY", "abcde"), "+X =a (3) =e +Y ");
  EXPECT_EQ(DiffOfLines("XabcY", "abc"), "+X =a =b =c +Y ");
  EXPECT_EQ(DiffOfLines("", "ab"), "-a -b ");
}

TEST(DiffLinesJson, OfOneDocument) {
  const DiffText text = DiffTextOf("x\n\ny");
  EXPECT_EQ(Shown(DiffLinesJson(&text, nullptr, 100)), "+x +y ");
  EXPECT_EQ(Shown(DiffLinesJson(nullptr, &text, 100)), "-x -y ");
  EXPECT_EQ(Shown(DiffLinesJson(nullptr, &text, 1)), "-x …");
}

TEST(DiffLinesJson, LongParagraphsBeginBeforeTheFirstDifference) {
  std::string same;
  while (same.size() < 6000) same += "あ";
  const DiffText a = DiffTextOf(same + "甲");
  const DiffText b = DiffTextOf(same + "乙");
  const nlohmann::json lines = DiffLinesJson(&a, &b, 10'000)["lines"];
  ASSERT_EQ(lines.size(), 2);
  for (const nlohmann::json& line : lines) {
    const std::string text = line["text"].get<std::string>();
    EXPECT_LE(text.size(), 120) << text;
    EXPECT_TRUE(text.starts_with("…あ"));
    EXPECT_TRUE(text.ends_with(line["kind"] == "a" ? "甲" : "乙"));
  }
}

TEST(DiffLinesJson, OfTwoLongParagraphsBothAreShown) {
  const DiffText a = DiffTextOf("甲" + std::string(10'000, 'x'));
  const DiffText b = DiffTextOf("乙" + std::string(10'000, 'y'));
  EXPECT_EQ(DiffLinesJson(&a, &b, 6000)["lines"].size(), 2);
  EXPECT_EQ(DiffLinesJson(&a, &b, 1000)["lines"].size(), 1);
}

// The lines of long documents from where they begin to differ.
std::string ShownFromDifference(const std::string& a, const std::string& b) {
  const size_t begin = EqualBytes(DiffBlocksOf(a), DiffBlocksOf(b));
  const DiffText of_a = DiffTextOf(a, begin);
  const DiffText of_b = DiffTextOf(b, begin);
  return Shown(DiffLinesJson(&of_a, &of_b, 1000));
}

TEST(EqualBytes, AreWholeBlocksOfPlainText) {
  EXPECT_EQ(EqualBytes({1, 2, 3}, {1, 2, 4, 5}), 2 * kDiffBlock);
  EXPECT_EQ(EqualBytes({1}, {}), 0);
  const std::string text(kDiffBlock, 'x');
  EXPECT_EQ(DiffBlocksOf("p\x1c" + text + "\n\np\x1c\x02y\x03"), DiffBlocksOf(text + "\n\ny"));
  EXPECT_EQ(DiffBlocksOf(text + "\n\ny").size(), 2);
  EXPECT_TRUE(DiffBlocksOf("").empty());
}

TEST(DiffTextOf, BeginsWhereTextsBeginToDiffer) {
  const std::string same = Document(std::string(10'000, 's'));
  const std::string more = Document(std::string(50'000, 'm'));
  const auto shown = [&](const std::string& of_a, const std::string& of_b) {
    return ShownFromDifference(same + of_a + more, same + of_b + more);
  };
  EXPECT_TRUE(shown("\n\nA\n\n", "\n\nB\n\n").starts_with("(9999) =s -B +A =m ("));
  EXPECT_TRUE(shown("\n\nA\n\n", "\n\n").starts_with("(9999) =s +A =m ("));
  // Inside of a paragraph that is longer than a block: from before the difference on.
  std::string line;
  while (line.size() < 5 * kDiffBlock) line += "あ";
  const std::string in_line = shown("\n\n" + line + "甲" + line, "\n\n" + line + "乙" + line);
  EXPECT_TRUE(in_line.starts_with("(10000) -…あ")) << in_line.substr(0, 100);
  EXPECT_LT(in_line.find("乙"), 200);
  EXPECT_TRUE(IsValidUtf8(in_line));
  // To the end of a text.
  EXPECT_EQ(ShownFromDifference(same + "\n\nA", same), "(9999) =s +A ");
  EXPECT_EQ(ShownFromDifference(same, same + "\n\n" + line), "(9999) =s -" + line.substr(0, 999) + "… ");
}

TEST(DiffLinesJson, WhatDiffersFirstIsShownEvenIfNoCommonParagraphFollows) {
  std::string a = "s";
  std::string b = "s";
  for (int i = 0; i < 20'000; ++i) {
    a += "\n\na" + std::to_string(i);
    b += "\n\nb" + std::to_string(i);
  }
  EXPECT_TRUE(ShownFromDifference(a, b).starts_with("=s -b0 -b1 "));
}

TEST(DiffLinesJson, WhatIsBehindTheEndOfOneIsNoDifference) {
  const DiffText all = DiffTextOf(Document("abcdef"));
  DiffText part = DiffTextOf(Document("abc"));
  part.cut = true;
  EXPECT_EQ(Shown(DiffLinesJson(&all, &part, 100)), "(3) …");
}

}  // namespace
}  // namespace uzushio
