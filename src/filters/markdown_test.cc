#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "filters/chain.h"
#include "filters/filter_scratch.h"
#include "filters/list.h"
#include "filters/markdown_paragraphs.h"

namespace uzushio {
namespace {

using nlohmann::json;

class MarkdownTest : public ::testing::Test {
 protected:
  // Applies filters to a document's text.
  void Apply(const std::vector<json>& filters, std::string_view text) {
    const auto chain = FilterChain::Make(json(filters)).ValueOrDie();
    document_.Parse("id", text);
    for (size_t i = 0; i < document_.paragraphs().size(); ++i) {
      document_.paragraphs()[i].near_freq = 10 - static_cast<int32_t>(i);
    }
    metrics_.assign(chain->columns().size(), 0);
    FilterDocument copy;
    copy.Parse("id", text);
    chain->Measure(&copy, &scratch_, metrics_.data());
    chain->Apply(&document_, &scratch_);
  }
  std::vector<std::string> Texts() const {
    std::vector<std::string> texts;
    document_.ForEachAlive([&](const FilterParagraph& p) { texts.emplace_back(p.plain); });
    return texts;
  }

  FilterDocument document_;
  FilterScratch scratch_;
  std::vector<double> metrics_;
};

const json kMarkdown = json::object({{"class", "Markdown"}});

TEST_F(MarkdownTest, MergesItemsOfShownText) {
  Apply({kMarkdown},
        "ul>li\x1eul.1\x1d"
        "07\x1cい\n\nul\x1eul.2\x1d"
        "09\x1c\x02ろ\x03\n\np\x1e\x1cは");
  EXPECT_THAT(Texts(), testing::ElementsAre("- い\n- ろ", "は"));
  const FilterParagraph& list = document_.paragraphs()[0];
  EXPECT_EQ(list.marked, "- い\n- \x02ろ\x03");
  EXPECT_EQ(list.path, "ul>li");
  EXPECT_EQ(list.structure, "markdown");
  EXPECT_EQ(list.score, 9);
  EXPECT_EQ(list.near_freq, 9);
  EXPECT_EQ(metrics_, std::vector<double>{2});
}

// As the two filters do that the original has.
TEST_F(MarkdownTest, WritesOriginalTextByPaths) {
  const std::string text = "h1\x1c題\n\nul>li\x1cい\n\nul>li\x1cろ\nは\n\np\x1c# *に*\n\nli>h2\x1cほ\n\nli>h2\x1cへ";
  Apply({kMarkdown}, text);
  const std::vector<std::string> texts = Texts();
  EXPECT_THAT(texts, testing::ElementsAre("# 題", "- い\n- ろ\nは", "# *に*", "## - ほ\n- へ"));
  EXPECT_EQ(metrics_, std::vector<double>{5});
  Apply({json::object({{"class", "MergeListTag"}}), json::object({{"class", "MarkdownizeHeading"}})}, text);
  EXPECT_EQ(Texts(), texts);
  EXPECT_FALSE(document_.paragraphs()[0].shown);
}

TEST_F(MarkdownTest, TwiceIsOnce) {
  const std::string code = std::string("p\x1e") + "code\x1cx\n\x1f\ny";
  for (const std::string& text :
       std::vector<std::string>{"p\x1e\x1c# い *ろ*", "h1\x1eh1\x1cい", "h1\x1cい", "li\x1cい\n\nli\x1cろ", code}) {
    Apply({kMarkdown}, text);
    const std::vector<std::string> once = Texts();
    Apply({kMarkdown, kMarkdown}, text);
    EXPECT_EQ(Texts(), once);
    EXPECT_EQ(metrics_.back(), 0);
  }
}

TEST_F(MarkdownTest, DoesNothingWithAllOff) {
  json off = kMarkdown;
  for (const char* part : {"headings", "lists", "tables", "code", "quotes"}) off[part] = false;
  Apply({off}, "p\x1eh1\x1c# い");
  EXPECT_THAT(Texts(), testing::ElementsAre("# い"));
  EXPECT_EQ(document_.paragraphs()[0].structure, "h1");
  EXPECT_EQ(metrics_, std::vector<double>{0});
}

TEST_F(MarkdownTest, BlankLinesOfCodeAreBlank) {
  Apply({kMarkdown},
        "pre\x1e"
        "code.c\x1cint x;\n\x1f\nint y;");
  EXPECT_THAT(Texts(), testing::ElementsAre("```c\nint x;\n\nint y;\n```"));
  EXPECT_EQ(document_.paragraphs()[0].marked, "```c\nint x;\n\x1f\nint y;\n```");
}

TEST_F(MarkdownTest, OlderFiltersWorkOnShownText) {
  const std::string text =
      "h1\x1eh2\x1c題\n名\n\nul\x1eul.1\x1c*い*\n\nul\x1eul.1+>ol.1\x1cろ\n\nul\x1eul.2\x1cは\n\nul\x1eul.1\x1cに";
  Apply({json::object({{"class", "MergeListTag"}}), json::object({{"class", "MarkdownizeHeading"}})}, text);
  EXPECT_THAT(Texts(), testing::ElementsAre("## 題 名", "- *い*\n  1. ろ\n- は", "に"));
  EXPECT_EQ(metrics_, (std::vector<double>{3, 1}));
  EXPECT_EQ(document_.paragraphs()[2].structure, "ul.1");
}

// Removed paragraphs stay as they are.
TEST_F(MarkdownTest, LeavesWhatIsRemoved) {
  Apply({json::object({{"class", "DuplicateParagraphs"}, {"limit", 9}}), kMarkdown},
        "a\x1eul.1\x1cい\n\nb\x1eul.2\x1cろ\n\nc\x1eul.3\x1cは");
  EXPECT_THAT(Texts(), testing::ElementsAre("- は"));
  EXPECT_EQ(document_.paragraphs()[0].plain, "い");
}

TEST(MarkdownOfText, JoinsParagraphs) {
  EXPECT_EQ(MarkdownOf("h1\x1eh1\x1c題\n\nul\x1eul.1\x1cい\n\nul\x1eul.2\x1cろ"), "# 題\n\n- い\n- ろ");
  EXPECT_EQ(MarkdownOf(""), "");
}

}  // namespace
}  // namespace uzushio
