#include "html/main_content/content_text.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "document/markup.h"

namespace uzushio {
namespace {

constexpr ContentMark kYes = {1, true};
constexpr ContentMark kNo = {0, false};

// A page of paragraphs, without its tree.
struct Page {
  explicit Page(const std::vector<ParagraphView>& paragraphs) {
    for (const ParagraphView& paragraph : paragraphs) {
      AppendParagraph(paragraph, &text);
      const size_t body = text.size() - paragraph.text.size();
      const size_t path_end = body - 1;
      outline.paragraphs.push_back({.element = 0,
                                    .begin = path_end - paragraph.path.size(),
                                    .path_end = path_end,
                                    .text = body,
                                    .end = text.size()});
    }
  }
  std::vector<ParagraphView> Written(const std::vector<ContentMark>& marks, const std::string& title,
                                     ContentForm form = ContentForm::kContent) {
    const int64_t count = WriteContent({nullptr, "", text, &outline}, marks, title, form, &out);
    std::vector<ParagraphView> paragraphs = DecodeParagraphs(out);
    EXPECT_EQ(count, static_cast<int64_t>(paragraphs.size()));
    return paragraphs;
  }

  std::string text;
  std::string out = "what was there before";
  PageOutline outline;
};

using Paragraphs = std::vector<ParagraphView>;

TEST(WriteContent, KeepsContent) {
  Page page({{"body>nav", "a"}, {"", "b\nc"}, {"body>p", "\x02x\x03"}});
  EXPECT_EQ(page.Written({kNo, kYes, kYes}, ""), (Paragraphs{{"", "b\nc"}, {"body>p", "\x02x\x03"}}));
  EXPECT_EQ(page.Written({kNo, kNo, kNo}, "題"), Paragraphs{});
  EXPECT_EQ(page.out, "");
}

TEST(WriteContent, TheTitleGoesFirst) {
  Page page({{"body>h2", "他"}, {"body>p", "文"}, {"body>h3", "題 名"}});
  EXPECT_EQ(page.Written({kNo, kYes, kNo}, "題名"), (Paragraphs{{"head>h1", "題名"}, {"body>p", "文"}}));
  EXPECT_EQ(page.Written({kNo, kYes, kYes}, "題名"), (Paragraphs{{"body>p", "文"}, {"body>h3", "題 名"}}));
  EXPECT_EQ(page.Written({kYes, kYes, kYes}, "題名").size(), 4U);
}

TEST(WriteContent, TheTitleIsNotSaidTwice) {
  Page late({{"body>h4", "注"}, {"body>p", "文"}, {"body>h1", "題名"}});
  EXPECT_EQ(late.Written({kYes, kYes, kYes}, "題名").size(), 3U);
  EXPECT_EQ(late.Written({kYes, kYes, kNo}, "題名").size(), 3U);
  const std::string title = "ﾅﾙﾄの渦潮 | 塩と海";
  Page page({{"body>p", "菜単"}, {"body>p", "ナルトの渦潮"}, {"body>h2", "見ごろ"}, {"body>p", "ナルトの渦潮"}});
  EXPECT_EQ(page.Written({kNo, kYes, kYes, kYes}, title).front().path, "body>p");
  EXPECT_EQ(page.Written({kNo, kNo, kYes, kYes}, title).front().path, "body>h2");
  EXPECT_EQ(page.Written({kYes, kNo, kYes, kYes}, title).front(), (ParagraphView{"head>h1", title}));
}

TEST(WriteContent, ScoresStandBesideThePaths) {
  Page page({{"body>p", "a"}, {"", "b"}});
  EXPECT_EQ(page.Written({{.25F, false}, {.5F, true}}, "題", ContentForm::kScores),
            (Paragraphs{{"head>h1", "題", 99}, {"body>p", "a", 25}, {"", "b", 50}}));
  EXPECT_EQ(page.Written({kNo, kNo}, "題", ContentForm::kScores), (Paragraphs{{"body>p", "a", 0}, {"", "b", 0}}));
}

TEST(WriteContent, ScoresOfAHalfOrMoreAreTheContent) {
  EXPECT_TRUE(rc::check([](const std::vector<std::pair<uint8_t, bool>>& all, bool titled) {
    std::vector<ParagraphView> paragraphs;
    std::vector<ContentMark> marks;
    for (const auto& [part, heading] : all) {
      paragraphs.push_back({heading ? "body>h2" : "body>p", part % 3 == 0 ? "題" : "文"});
      const float score = static_cast<float>(part) / 255;
      marks.push_back({score, score >= 0.5F});
    }
    const std::string title = titled ? "題" : "";
    Page page(paragraphs);
    Page scored = page;
    std::vector<ParagraphView> left;
    for (const ParagraphView& paragraph : scored.Written(marks, title, ContentForm::kScores)) {
      if (paragraph.score >= 50) left.push_back({paragraph.path, paragraph.text});
    }
    RC_ASSERT(page.Written(marks, title) == left);
  }));
}

TEST(ScoreInHundredths, KeepsToItsSide) {
  EXPECT_EQ(ScoreInHundredths({.4999F, false}), 49);
  EXPECT_EQ(ScoreInHundredths({.5F, true}), 50);
  EXPECT_EQ(ScoreInHundredths({.3F, true}), 50);
  EXPECT_EQ(ScoreInHundredths({.9F, false}), 49);
  EXPECT_EQ(ScoreInHundredths({.7F, true}), 70);
  EXPECT_EQ(ScoreInHundredths({1, true}), 99);
  EXPECT_EQ(ScoreInHundredths({0, false}), 0);
}

}  // namespace
}  // namespace uzushio
