#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/test_support.h"
#include "filters/chain.h"
#include "filters/cleaners/printable.h"
#include "filters/filter_scratch.h"

namespace uzushio {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Elements = std::vector<std::string>;

// What is left of a text when it went through `filters` as one element.
Elements Clean(const nlohmann::json& filters, const std::string& text) {
  const auto chain = FilterChain::Make(filters);
  EXPECT_TRUE(chain.ok()) << chain.status().message();
  FilterDocument document;
  document.Take("id", text);
  FilterScratch scratch;
  const ChainOutcome outcome = (*chain)->Apply(&document, &scratch);
  Elements left;
  if (outcome.removed_by != kAlive) return left;
  document.ForEachAlive([&left](const FilterParagraph& element) { left.emplace_back(element.plain); });
  return left;
}

Elements CleanLines(nlohmann::json filter, const std::string& text) {
  return Clean({{{"class", "SplitIntoSentence"}}, std::move(filter)}, text);
}

TEST(SplitElement, DropsWhatIsEmpty) {
  EXPECT_THAT(Clean({{{"class", "SplitIntoSentence"}}}, "\n一\n\n二\n"), ElementsAre("一", "二"));
  EXPECT_THAT(Clean({{{"class", "SplitIntoParagraph"}}}, "一\n二\n\n三\n\n\n四"), ElementsAre("一\n二", "三", "\n四"));
  EXPECT_THAT(Clean({{{"class", "SplitElement"}, {"delim", "--"}}}, "--a-b--c"), ElementsAre("a-b", "c"));
  EXPECT_THAT(Clean({{{"class", "SplitElement"}, {"delim", "."}}}, "..."), IsEmpty());
  EXPECT_THAT(Clean({{{"class", "SplitIntoSentence"}, {"by", "punctuation"}}}, "「一。二。」三。四\n五"),
              ElementsAre("「一。二。」三。", "四", "五"));
}

TEST(RemoveWikipediaCitation, FindsAllKinds) {
  const nlohmann::json filter = {{{"class", "RemoveWikipediaCitation"}}};
  EXPECT_THAT(Clean(filter, "水[1]は[23]H2O[要出典]である[要検証 – ノート][リンク切れ][誰?]。{{Lang|ja}}"),
              ElementsAre("水はH2Oである。"));
  EXPECT_THAT(Clean(filter, "[a] {b} [12 {{}} {{a} [要"), ElementsAre("[a] {b} [12 {{}} {{a} [要"));
  EXPECT_THAT(Clean(filter, "[?]"), ElementsAre("[?]"));
  EXPECT_THAT(Clean(filter, "左[a] と [誰?]右"), ElementsAre("左右"));  // as the original does
  EXPECT_THAT(Clean(filter, "[1][2]"), IsEmpty());
  EXPECT_THAT(Clean(filter, "[a\nb?]"), ElementsAre("[a\nb?]"));
}

TEST(RemoveWikipediaCitation, IsLinear) {
  const nlohmann::json filter = {{{"class", "RemoveWikipediaCitation"}}};
  for (const char* part : {"[", "[要", "{", "{{", "{{a", "[1", "[a?", "[]"}) {
    const std::string text = Repeat(part, 1 << 20);
    EXPECT_THAT(Clean(filter, text), ElementsAre(text)) << part;
  }
}

TEST(NormalizeCharacter, DropsWhatCanNotBePrinted) {
  const std::string text = "a\u00A0b\u3000c\td\u200Be\u0001f\u2028g\uE000h あ";
  EXPECT_THAT(Clean({{{"class", "NormalizeCharacter"}}}, text), ElementsAre("abcdefgh あ"));
  EXPECT_THAT(Clean({{{"class", "NormalizeCharacter"}, {"keepWS", true}}}, text), ElementsAre("ab\u3000c\tdefgh あ"));
  EXPECT_TRUE(IsPrintable(U' '));
  EXPECT_TRUE(IsPrintable(U'漢'));
  EXPECT_FALSE(IsPrintable(U'\u3000'));
  EXPECT_FALSE(IsPrintable(0x3097));  // not assigned
  EXPECT_FALSE(IsPrintable(0x10FFFF));
}

TEST(NormalizeWhitespace, MakesRunsOneSpace) {
  EXPECT_THAT(Clean({{{"class", "NormalizeWhitespace"}}}, "a  b\u3000\u3000c \td\ne f"), ElementsAre("a b c d e f"));
}

TEST(ConcatShortSentence, AppendsAllButTheFirst) {
  EXPECT_THAT(CleanLines({{"class", "ConcatShortSentence"}}, "ああ\nいい\n長い文\nう\nえ\n次の文"),
              ElementsAre("ああいい", "長い文うえ", "次の文"));
  EXPECT_THAT(CleanLines({{"class", "ConcatShortSentence"}, {"concatThr", 0}}, "あ\nい"), ElementsAre("あ", "い"));
}

TEST(RemoveEmail, FindsAddresses) {
  EXPECT_THAT(CleanLines({{"class", "RemoveEmail"}}, "連絡はa-b@x.jpまで\na@b\n@x.jp\na@.jp\na@b..\n＠"),
              ElementsAre("a@b", "@x.jp", "a@.jp", "＠"));
}

TEST(RemoveURL, FindsUrls) {
  EXPECT_THAT(CleanLines({{"class", "RemoveURL"}},
                         "見よhttps://x.jp/\nhttp://あ\nftp://x\nsftp://x\nsft://x\nhttp:// x\nHTTP://x"),
              ElementsAre("http://あ", "ftp://x", "http:// x", "HTTP://x"));
}

TEST(FilterBySentenceLength, CountsCharacters) {
  EXPECT_THAT(CleanLines({{"class", "FilterBySentenceLength"}, {"min", 2}, {"max", 3}}, "あ\nああ\n🌊🌊🌊\nああああ"),
              ElementsAre("ああ", "🌊🌊🌊"));
  EXPECT_FALSE(FilterChain::Make({{{"class", "FilterBySentenceLength"}, {"min", 3}, {"max", 2}}}).ok());
}

TEST(RemoveShortDocument, CountsLines) {
  EXPECT_THAT(CleanLines({{"class", "RemoveShortDocument"}, {"min", 2}}, "一\n二"), ElementsAre("一", "二"));
  EXPECT_THAT(CleanLines({{"class", "RemoveShortDocument"}, {"min", 3}}, "一\n二"), IsEmpty());
  EXPECT_THAT(Clean({{{"class", "RemoveShortDocument"}, {"min", 2}}}, "一\n二\n\n"), ElementsAre("一\n二\n\n"));
}

TEST(RemoveScriptDocument, LooksForBrackets) {
  EXPECT_THAT(CleanLines({{"class", "RemoveScriptDocument"}}, "一\nif(a){"), IsEmpty());
  EXPECT_THAT(CleanLines({{"class", "RemoveScriptDocument"}}, "一|二"), IsEmpty());
  EXPECT_THAT(CleanLines({{"class", "RemoveScriptDocument"}}, "一（二）"), ElementsAre("一（二）"));
}

TEST(DeduplicateRepeatingSentence, KeepsTheFirstOfARun) {
  EXPECT_THAT(CleanLines({{"class", "DeduplicateRepeatingSentence"}}, "a\na\nb\na\na\na"), ElementsAre("a", "b", "a"));
  EXPECT_THAT(CleanLines({{"class", "DeduplicateRepeatingSentence"}, {"minRepeat", 3}}, "a\na\nb\na\na\na"),
              ElementsAre("a", "a", "b", "a"));
}

TEST(FilterJapaneseBasedOnCharacter, CountsBlocks) {
  EXPECT_THAT(
      CleanLines({{"class", "FilterJapaneseBasedOnCharacter"}}, "日本語の文です\nEnglish です\n漢字漢字\n・ー漢字"),
      ElementsAre("日本語の文です", "・ー漢字"));
}

TEST(Identity, DoesNothing) { EXPECT_THAT(Clean({{{"class", "Identity"}}}, "a\nb"), ElementsAre("a\nb")); }

class RemoveSubstringFile : public FolderTest {
 protected:
  nlohmann::json Filter(const std::string& texts, bool whole) {
    const auto path = (root_ / "texts.txt").string();
    std::ofstream(path, std::ios::binary) << texts;
    return {{"class", "RemoveSubstring"}, {"path", path}, {"matchSentence", whole}};
  }
};

TEST_F(RemoveSubstringFile, TakesWholeLines) {
  const nlohmann::json filter = Filter("広告\n消せます\n\n(.*)\n\n広告", true);
  EXPECT_THAT(CleanLines(filter, "広告\n消せます\n本文\n(.*)\n広告だ"), ElementsAre("本文", "広告だ"));
  EXPECT_THAT(CleanLines(filter, "広告\n広告\n消せます\n終"), ElementsAre("終"));
  EXPECT_THAT(Clean(nlohmann::json::array({filter}), "一\n広告\n二"), ElementsAre("一\n二"));
  EXPECT_THAT(Clean(nlohmann::json::array({filter}), "広告\n消せます"), IsEmpty());
}

TEST_F(RemoveSubstringFile, TakesTextsAnywhere) {
  const nlohmann::json filter = Filter("広告\n\n甲\n乙", false);
  EXPECT_THAT(CleanLines(filter, "この広告は広告だ\n広告"), ElementsAre("このはだ"));
  EXPECT_THAT(CleanLines(filter, "左甲\n乙右\n甲\n乙"), ElementsAre("左", "右"));
  EXPECT_THAT(Clean(nlohmann::json::array({filter}), "一\n広告\n二"), ElementsAre("一\n二"));
}

TEST_F(RemoveSubstringFile, MustHaveTexts) {
  EXPECT_FALSE(FilterChain::Make(nlohmann::json::array({Filter("\n\n \n\n", true)})).ok());
  EXPECT_FALSE(FilterChain::Make({{{"class", "RemoveSubstring"}, {"path", (root_ / "none").string()}}}).ok());
}

TEST(Flags, AreYesOrNo) {
  EXPECT_TRUE(FilterChain::Make({{{"class", "NormalizeCharacter"}, {"keepWS", "true"}}}).ok());
  const auto wrong = FilterChain::Make({{{"class", "NormalizeCharacter"}, {"keepWS", 1}}});
  EXPECT_THAT(wrong.status().message(), testing::HasSubstr("filters[0].keepWS"));
}

}  // namespace
}  // namespace uzushio
