#include "filters/marked_text.h"

#include <gtest/gtest.h>

namespace uzushio {
namespace {

TEST(MarkedText, RewrittenTextsKeepTheirLinks) {
  EXPECT_EQ(WithMarksOf("a\x02"
                        "b\x03"
                        "c",
                        "abc", "xyz"),
            "x\x02"
            "y\x03"
            "z");
  EXPECT_EQ(WithMarksOf("\x02"
                        "ab\x03",
                        "ab", "xy"),
            "\x02"
            "xy\x03");
  EXPECT_EQ(WithMarksOf("ab", "ab", "xy"), "xy");
  EXPECT_EQ(WithMarksOf(" \x02"
                        "ab\x03",
                        "ab", "xy"),
            "xy");  // a text that was cleaned
}

TEST(MarkedText, ALinkThatIsCutGoesOn) {
  const auto cut = [](std::string_view marked, std::string_view plain, size_t end) {
    const CutText parts = CutMarked(marked, plain, end);
    return parts.before + "|" + parts.after;
  };
  EXPECT_EQ(cut("abcd", "abcd", 2), "ab|cd");
  EXPECT_EQ(cut("a\x02"
                "bc\x03"
                "d",
                "abcd", 2),
            "a\x02"
            "b\x03|\x02"
            "c\x03"
            "d");
  EXPECT_EQ(cut("\x02"
                "ab\x03"
                "cd",
                "abcd", 2),
            "\x02"
            "ab\x03|cd");
  EXPECT_EQ(cut("ab\x02"
                "cd\x03",
                "abcd", 2),
            "ab|\x02"
            "cd\x03");
  EXPECT_EQ(cut(" a\x02"
                "bc\x03"
                "d",
                "abcd", 2),
            "ab|cd");
  EXPECT_EQ(cut("\x02"
                "ab\x03",
                "ab", 0),
            "|\x02"
            "ab\x03");
}

}  // namespace
}  // namespace uzushio
