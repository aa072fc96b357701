#include "lm/token_counter.h"

#include <gmock/gmock.h>

#include <fstream>
#include <thread>
#include <vector>

#include "base/test_support.h"

namespace uzushio {
namespace {

// Words of letters and what else stands between spaces, each a token.
constexpr const char* kWords = R"({"version": "1.0", "truncation": {"direction": "Right", "max_length": 2,
  "strategy": "LongestFirst", "stride": 0}, "padding": null, "added_tokens": [], "normalizer": null,
  "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
  "model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "a": 1}, "unk_token": "[UNK]"}})";

class TokenCounterTest : public FolderTest {
 protected:
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / name) << text;
    return (root_ / name).string();
  }
  static std::string Without(std::string text, const std::string& part) {
    return text.erase(text.find(part), part.size());
  }
};

TEST(CountedPart, EndsBehindALineBreakOfItsSecondHalf) {
  EXPECT_EQ(CountedPart(""), 0);
  const std::string whole(kMaxCountedBytes, 'a');
  EXPECT_EQ(CountedPart(whole), whole.size());
  std::string text(kMaxCountedBytes + 1, 'a');
  EXPECT_EQ(CountedPart(text), kMaxCountedBytes);
  text[kMaxCountedBytes / 2 - 1] = '\n';
  EXPECT_EQ(CountedPart(text), kMaxCountedBytes);
  text[kMaxCountedBytes / 2] = '\n';
  EXPECT_EQ(CountedPart(text), kMaxCountedBytes / 2 + 1);
  text[kMaxCountedBytes] = '\n';
  EXPECT_EQ(CountedPart(text), kMaxCountedBytes / 2 + 1);
  text[kMaxCountedBytes - 1] = '\n';
  EXPECT_EQ(CountedPart(text), kMaxCountedBytes);
}

TEST(CountedPart, HasWholeCharacters) {
  std::string text;
  while (text.size() <= kMaxCountedBytes) text += "あ";
  EXPECT_EQ(CountedPart(text), kMaxCountedBytes / 3 * 3);
}

TEST_F(TokenCounterTest, CountsAllOfATextOnAnyThread) {
  const auto counter = TokenCounter::Open(Write("words.json", kWords)).ValueOrDie();
  EXPECT_EQ(counter->Count("").ValueOrDie(), 0);
  EXPECT_EQ(counter->Count("a b, c").ValueOrDie(), 4);  // not cut short
  std::string text;
  for (int i = 0; i < 40000; ++i) text += i % 100 == 99 ? "a b\n" : "a b ";
  std::vector<int64_t> counts(4);
  std::vector<std::thread> threads;
  for (int64_t& count : counts) threads.emplace_back([&] { count = counter->Count(text).ValueOrDie(); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counts, std::vector<int64_t>(4, 80000));
}

TEST_F(TokenCounterTest, FilesAreOpenedOnceAndToldApart) {
  const std::string path = Write("words.json", kWords);
  const auto counter = TokenCounter::Open(path).ValueOrDie();
  const auto again = TokenCounter::Open(path).ValueOrDie();
  EXPECT_EQ(counter, again);
  std::string spaced = kWords;
  spaced += '\n';
  const auto other = TokenCounter::Open(Write("other.json", spaced)).ValueOrDie();
  EXPECT_NE(counter->contents(), other->contents());
}

TEST_F(TokenCounterTest, SaysWhatIsWrong) {
  const auto error = [](const std::string& path) { return TokenCounter::Open(path).status().message(); };
  EXPECT_THAT(error((root_ / "none").string()), testing::HasSubstr("there is no tokenizer"));
  EXPECT_THAT(error(root_.string()), testing::HasSubstr("there is no tokenizer"));
  for (const std::string& text : {std::string(), std::string("{}"), std::string("\xff"), std::string(1 << 20, '['),
                                  Without(kWords, "\"a\": 1}"), Without(kWords, "WordLevel")}) {
    EXPECT_THAT(error(Write("bad.json", text)), testing::HasSubstr("bad.json' can not be opened as a tokenizer ("))
        << text.substr(0, 99);
  }
  std::filesystem::resize_file(root_ / "bad.json", (int64_t{128} << 20) + 1);
  EXPECT_THAT(error((root_ / "bad.json").string()), testing::HasSubstr("larger than 128 MiB"));
}

TEST_F(TokenCounterTest, WhatItHasNoTokenForIsAnError) {
  const auto counter = TokenCounter::Open(Write("words.json", Without(kWords, "\"[UNK]\": 0, "))).ValueOrDie();
  EXPECT_EQ(counter->Count("a a").ValueOrDie(), 2);
  EXPECT_THAT(counter->Count("a b").status().message(), testing::HasSubstr("words.json' can not cut it into tokens: "));
}

}  // namespace
}  // namespace uzushio
