#include "document/structure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace uzushio {
namespace {

using BlockKind = StructureBlock::Kind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Structure, IsReadAsItIsWritten) {
  const std::vector<StructureBlock> blocks = {
      {.kind = BlockKind::kQuote},
      {.kind = BlockKind::kUnorderedItem, .later = true, .number = 2},
      {.kind = BlockKind::kOrderedItem, .number = -3},
      {.kind = BlockKind::kOrderedItem, .later = true, .number = 12, .numerals = 'i'},
      {.kind = BlockKind::kTerm},
      {.kind = BlockKind::kDescription, .later = true},
      {.kind = BlockKind::kCode, .language = "c++"},
  };
  std::string structure;
  for (const StructureBlock& block : blocks) AppendBlock(block, &structure);
  EXPECT_EQ(structure, "quote>ul.2+>ol.-3>ol.12.i+>dt>dd+>code.c++");
  EXPECT_EQ(BlocksOf(structure), blocks);
}

TEST(Structure, HeadingsHaveTheirLevel) {
  std::string structure;
  AppendBlock({.kind = BlockKind::kHeading, .number = 4}, &structure);
  EXPECT_EQ(structure, "h4");
  EXPECT_THAT(BlocksOf("h4"), ElementsAre(StructureBlock{.kind = BlockKind::kHeading, .number = 4}));
}

TEST(Structure, LanguagesAreNames) {
  const auto written = [](std::string_view language) {
    std::string structure;
    AppendBlock({.kind = BlockKind::kCode, .language = language}, &structure);
    return structure;
  };
  EXPECT_EQ(written("objective-c"), "code.objective-c");
  EXPECT_EQ(written("a>b\x1c\n"), "code.ab");
  EXPECT_EQ(written("日本"), "code");
  EXPECT_EQ(written(std::string(100, 'x')), "code." + std::string(kMaxLanguageBytes, 'x'));
}

TEST(Structure, WhatIsNoBlockIsLeftOut) {
  EXPECT_THAT(BlocksOf(""), IsEmpty());
  EXPECT_THAT(BlocksOf("h>h7>ul>ul.x>ol.99999999999999999999>>code+>zzz"),
              ElementsAre(StructureBlock{.kind = BlockKind::kCode, .later = true}));
}

}  // namespace
}  // namespace uzushio
