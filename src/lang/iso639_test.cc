#include "lang/iso639.h"

#include <gtest/gtest.h>

#include <string>

#include "lang/identify.h"

namespace uzushio {
namespace {

TEST(Iso639, NamesLanguagesAsCommonCrawlDoes) {
  EXPECT_EQ(Iso639Part3("ja"), "jpn");
  EXPECT_EQ(Iso639Part3("zh-Hant"), "zho");
  EXPECT_EQ(Iso639Part3("aa"), "aar");
  EXPECT_EQ(Iso639Part3("zu"), "zul");
  EXPECT_EQ(Iso639Part3("und"), "");
  EXPECT_EQ(Iso639Part3("qq"), "");
}

TEST(Iso639, KnowsTheLanguagesOfTwoLetters) {
  for (const std::string& code : LanguageCodes()) {
    if (code.size() != 2 || code.starts_with('x')) continue;
    EXPECT_EQ(Iso639Part3(code).size(), 3) << code;
  }
}

}  // namespace
}  // namespace uzushio
