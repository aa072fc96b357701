#include "quality/ngram_repetition.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>

namespace uzushio {
namespace {

// By the definition.
NgramRepetition Counted(const std::u32string& text) {
  NgramRepetition result;
  for (size_t n = 2; n <= 10 && n <= text.size(); ++n) {
    std::map<std::u32string, int> counts;
    for (size_t i = 0; i + n <= text.size(); ++i) ++counts[text.substr(i, n)];
    int most = 0;
    int duplicates = 0;
    for (const auto& [ngram, count] : counts) {
      most = std::max(most, count);
      duplicates += count > 1 ? 1 : 0;
    }
    if (n < 5) {
      result.top[n - 2] = most / static_cast<double>(text.size() - n + 1);
    } else {
      result.duplicate[n - 5] = duplicates / static_cast<double>(counts.size());
    }
  }
  return result;
}

void ExpectCounted(NgramCounter* counter, const std::u32string& text) {
  const NgramRepetition expected = Counted(text);
  const NgramRepetition found = counter->Count(text);
  EXPECT_EQ(found.top, expected.top) << "a text of " << text.size();
  EXPECT_EQ(found.duplicate, expected.duplicate) << "a text of " << text.size();
}

TEST(NgramRepetition, OfTextsByHand) {
  NgramCounter counter;
  const NgramRepetition none = counter.Count(U"");
  EXPECT_EQ(none.top, (std::array<double, 3>{0, 0, 0}));
  EXPECT_EQ(counter.Count(U"あ").top, (std::array<double, 3>{0, 0, 0}));
  EXPECT_EQ(counter.Count(U"ああ").top, (std::array<double, 3>{1, 0, 0}));
  const NgramRepetition found = counter.Count(U"あいうえおあいうえおか");  // of 5-grams, the first occurs twice
  EXPECT_EQ(found.top, (std::array<double, 3>{2 / 10.0, 2 / 9.0, 2 / 8.0}));
  EXPECT_EQ(found.duplicate, (std::array<double, 6>{1 / 6.0, 0, 0, 0, 0, 0}));
}

// One letter, all code points, a text and itself; small ones after large ones.
TEST(NgramRepetition, OfExtremeTexts) {
  NgramCounter counter;
  ExpectCounted(&counter, std::u32string(5000, U'あ'));
  std::u32string all;
  for (char32_t c = 1; c < 6000; ++c) all += static_cast<char32_t>(c * 37);
  ExpectCounted(&counter, all);
  ExpectCounted(&counter, all + all);
  ExpectCounted(&counter, U"\U0010FFFF\U0010FFFF\U0010FFFF");
}

// So long that it is counted in parts: what repeats is 1000 letters of 600,000.
TEST(NgramRepetition, OfALongText) {
  std::u32string text;
  for (uint32_t i = 0; i < 300'000; ++i) {
    text += static_cast<char32_t>(0x3400 + i % 5000);
    text += static_cast<char32_t>(0x9000 + i / 5000);
  }
  const size_t length = text.size();
  text += text.substr(0, 1000);
  NgramCounter counter;
  const NgramRepetition found = counter.Count(text);
  for (size_t n = 5; n <= 10; ++n) {
    const double duplicates = 1000 - static_cast<double>(n) + 1;
    EXPECT_EQ(found.duplicate[n - 5], duplicates / static_cast<double>(length)) << n;
  }
}

RC_GTEST_PROP(NgramRepetition, IsThatOfTheDefinition, ()) {
  const auto letters = *rc::gen::inRange<uint32_t>(1, 30);
  const auto numbers = *rc::gen::container<std::vector<uint32_t>>(rc::gen::inRange<uint32_t>(0, letters));
  std::u32string text;
  for (const uint32_t number : numbers) text += static_cast<char32_t>(0x3041 + number);
  NgramCounter counter;
  ExpectCounted(&counter, text + text);
  ExpectCounted(&counter, text);
}

}  // namespace
}  // namespace uzushio
