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

// Some hundred bytes of which a text becomes gigabytes, or which take hours.
TEST_F(TokenCounterTest, WhatTakesFarTooMuchIsRefused) {
  const auto refusal = [&](const std::string& part, const std::string& other) {
    std::string text = kWords;
    text.replace(text.find(part), part.size(), other);
    return TokenCounter::Open(Write("much.json", text)).status().message();
  };
  const auto replaces = [&](const std::string& content, int times) {
    const std::string one = R"({"type": "Replace", "pattern": {"String": "a"}, "content": ")" + content + "\"}";
    std::string all = one;
    for (int i = 1; i < times; ++i) all += ", " + one;
    return refusal(R"("normalizer": null)", R"("normalizer": {"type": "Sequence", "normalizers": [)" + all + "]}");
  };
  EXPECT_EQ(replaces(Repeat("a", 128), 1), "");
  EXPECT_THAT(replaces(Repeat("a", 129), 1), testing::HasSubstr("may make 129 bytes of one; 128 at most"));
  EXPECT_EQ(replaces("▁", 4), "");
  EXPECT_THAT(replaces("aaaa", 40), testing::HasSubstr("bytes of one; 128 at most"));
  const auto words = [&](int characters) {
    return refusal(R"("type": "WordLevel")", R"("type": "WordPiece", "continuing_subword_prefix": "##",
                   "max_input_chars_per_word": )" +
                                                 std::to_string(characters));
  };
  EXPECT_EQ(words(1000), "");
  EXPECT_THAT(words(1001), testing::HasSubstr("max_input_chars_per_word is 1001; 1000 at most"));
}

}  // namespace
}  // namespace uzushio
