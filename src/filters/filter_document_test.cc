#include "filters/filter_document.h"

#include <gtest/gtest.h>

#include <random>

#include "filters/css_path.h"
#include "filters/filter.h"
#include "filters/frequent_runs.h"

namespace uzushio {
namespace {

TEST(FilterDocument, KeepsParagraphsWithContent) {
  FilterDocument document;
  document.Parse("id",
                 "body>p\x1c"
                 "\x02リンク\x03です\n\np\x1c　 \n\n\n\n文だけ");
  ASSERT_EQ(document.paragraphs().size(), 2U);
  EXPECT_EQ(document.paragraphs()[0].path, "body>p");
  EXPECT_EQ(document.paragraphs()[0].marked, "\x02リンク\x03です");
  EXPECT_EQ(document.paragraphs()[0].plain, "リンクです");
  EXPECT_EQ(document.paragraphs()[1].path, "");
  EXPECT_EQ(document.AliveLength(), 8);
  document.Parse("other", "");
  EXPECT_EQ(document.AliveLength(), 0);
}

TEST(FilterDocument, ScoresAreApartFromPaths) {
  FilterDocument document;
  document.Parse("id",
                 "body>p\x1d"
                 "29\x1c"
                 "a\n\nb");
  ASSERT_EQ(document.paragraphs().size(), 2U);
  EXPECT_EQ(document.paragraphs()[0].path, "body>p");
  EXPECT_EQ(document.paragraphs()[0].content_score(), 0.29);
  EXPECT_EQ(document.paragraphs()[1].content_score(), 1);
}

// As docs/filters.md says it of those without statistics.
TEST(FilterParagraph, OccursOnceAndStays) {
  EXPECT_EQ(FilterParagraph().near_freq, 1);
  EXPECT_TRUE(FilterParagraph().alive());
  EXPECT_EQ(FilterParagraph().metric, 0);
}

TEST(DocumentRandom, IsTheOriginals) {
  // Computed by tests/support/filter_oracle.py, which writes the same formula in another language.
  EXPECT_EQ(DocumentRandom("a"), 0.9636465157603484);
  EXPECT_EQ(DocumentRandom("5d8f3b2e-0c53-4a5e-9d52-9a0e6f0c8b11"), 0.9510649486705356);
  EXPECT_EQ(DocumentRandom("日本🌊"), 0.14341791974788337);
  EXPECT_EQ(DocumentRandom("20"), 0.027884619034594327);  // small enough to have all 54 bits
  EXPECT_EQ(DocumentRandom("\uffff\U00010000\U00010001\U0010ffff"), 0.9889701492792526);
  FilterDocument document;
  EXPECT_EQ(document.random(), 0);
  document.Parse("a", "");
  EXPECT_EQ(document.random(), DocumentRandom("a"));
  EXPECT_NEAR(document.Gaussian(), 0.7035702633877379, 1e-12);
}

TEST(CodePoints, AreNotBytes) {
  EXPECT_EQ(CodePoints(""), 0);
  EXPECT_EQ(CodePoints("aé漢🌊"), 4);
  std::string text;
  for (int64_t points = 0; points < 9000; ++points) {  // a lane counts to 255, and sixteen of them side by side
    ASSERT_EQ(CodePoints(text), points);
    text += points % 3 == 0 ? "漢" : "a";
  }
}

TEST(AnyName, UndoesEscapes) {
  using Names = std::vector<std::pair<PathName, std::string>>;
  const auto names = [](std::string_view path) {
    Names all;
    EXPECT_FALSE(AnyName(path, [&all](PathName kind, std::string_view name) {
      all.emplace_back(kind, name);
      return false;
    }));
    return all;
  };
  EXPECT_EQ(names("body>div.a\\.b.c#i\\#d>x\\>y"), (Names{{PathName::kTag, "body"},
                                                          {PathName::kTag, "div"},
                                                          {PathName::kClass, "a.b"},
                                                          {PathName::kClass, "c"},
                                                          {PathName::kId, "i#d"},
                                                          {PathName::kTag, "x>y"}}));
  EXPECT_TRUE(names("").empty());
  EXPECT_EQ(names("a\\"), (Names{{PathName::kTag, "a"}}));
  EXPECT_EQ(names("a>"), (Names{{PathName::kTag, "a"}, {PathName::kTag, ""}}));
}

TEST(AnyName, EndsWhereItIsFound) {
  int calls = 0;
  EXPECT_TRUE(AnyName("html>body.a>p", [&calls](PathName kind, std::string_view) {
    ++calls;
    return kind == PathName::kClass;
  }));
  EXPECT_EQ(calls, 3);
}

TEST(JavaNumber, WritesAsJavaDoes) {
  EXPECT_EQ(JavaNumber(0.1F), "0.1");
  EXPECT_EQ(JavaNumber(2.0F), "2.0");
  EXPECT_EQ(JavaNumber(0.05F), "0.05");
  EXPECT_EQ(JavaNumber(1e6F), "1000000.0");
  EXPECT_EQ(JavaNumber(1e7F), "1.0E7");
  EXPECT_EQ(JavaNumber(1.5e-4), "1.5E-4");
  EXPECT_EQ(JavaNumber(0.0F), "0.0");
  EXPECT_EQ(JavaNumber(-2.5), "-2.5");
  EXPECT_EQ(JavaNumber(0.001), "0.001");
  EXPECT_EQ(JavaNumber(0.001F), "0.001");
  EXPECT_EQ(JavaNumber(0.005), "0.005");
  EXPECT_EQ(JavaNumber(0.00099), "9.9E-4");
  EXPECT_EQ(JavaNumber(-1.5e-4), "-1.5E-4");
  EXPECT_EQ(JavaNumber(9999999.5), "9999999.5");
  EXPECT_EQ(JavaNumber(1.7976931348623157e308), "1.7976931348623157E308");
  EXPECT_EQ(JavaNumber(3.4028235e38F), "3.4028235E38");
}

// The rule as it is told: windows of `count` around each, the ends bad.
std::vector<bool> Plain(const std::vector<bool>& bad, std::vector<bool> gone, size_t count) {
  const auto is_bad = [&bad](std::ptrdiff_t i) { return i < 0 || i >= std::ssize(bad) || bad[static_cast<size_t>(i)]; };
  const auto size = std::ssize(bad);
  const auto n = static_cast<std::ptrdiff_t>(count);
  for (std::ptrdiff_t i = 0; i < size; ++i) {
    if (gone[static_cast<size_t>(i)] || !is_bad(i)) continue;
    bool before = true;
    bool after = true;
    for (std::ptrdiff_t k = 0; k < n; ++k) {
      before &= is_bad(i - k);
      after &= is_bad(i + k);
    }
    if (!before && !after) continue;
    for (std::ptrdiff_t k = std::max<std::ptrdiff_t>(0, i - n); k <= i; ++k) {
      if (is_bad(k)) gone[static_cast<size_t>(k)] = true;
    }
  }
  return gone;
}

TEST(RemoveBadRuns, IsTheRule) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 5000; ++round) {
    const size_t size = random() % 15;
    const size_t count = 1 + random() % 5;
    std::vector<bool> bad;
    std::vector<FilterParagraph> paragraphs(size);
    std::vector<bool> gone;
    for (FilterParagraph& paragraph : paragraphs) {
      bad.push_back(random() % 3 != 0);
      gone.push_back(random() % 6 == 0);
      if (gone.back()) paragraph.removed_by = 0;
    }
    RemoveBadRuns(paragraphs, count, [&](size_t i) { return bad[i]; }, [&](size_t i) { paragraphs[i].removed_by = 1; });
    const std::vector<bool> expected = Plain(bad, gone, count);
    for (size_t i = 0; i < size; ++i) ASSERT_EQ(!paragraphs[i].alive(), expected[i]);
  }
}

}  // namespace
}  // namespace uzushio
