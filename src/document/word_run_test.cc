#include "document/word_run.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

namespace uzushio {
namespace {

struct Found {
  size_t bytes;
  size_t spaces;

  bool operator==(const Found&) const = default;
};

template <uint8_t kStop = 0>
Found RunOf(std::string_view text) {
  const WordRun run = ReadWords<kStop>(text.data(), text.data() + text.size());
  return {static_cast<size_t>(run.end - text.data()), run.spaces};
}

// A byte at a time.
Found SlowRunOf(std::string_view text, unsigned char stop) {
  Found run{0, 0};
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool after_space = run.bytes == 0 || text[run.bytes - 1] == ' ';
    if (byte < ' ' || (stop != 0 && byte == stop) || (byte == ' ' && after_space)) break;
    ++run.bytes;
    run.spaces += byte == ' ' ? 1 : 0;
  }
  return run;
}

TEST(ReadWords, EndsAtWhiteSpaceThatIsNoSingleSpace) {
  EXPECT_EQ(RunOf(""), (Found{0, 0}));
  EXPECT_EQ(RunOf(" a"), (Found{0, 0}));
  EXPECT_EQ(RunOf("one two three four"), (Found{18, 3}));
  EXPECT_EQ(RunOf("one two  three"), (Found{8, 2}));
  EXPECT_EQ(RunOf("one two\nthree"), (Found{7, 1}));
  EXPECT_EQ(RunOf("日本 語"), (Found{10, 1}));
  EXPECT_EQ(RunOf("日本\xC2\xA0語"), (Found{11, 0}));
  EXPECT_EQ(RunOf<0xC2>("日本\xC2\xA0語"), (Found{6, 0}));
}

TEST(ReadWords, FindsWhatALoopOverBytesFinds) {
  std::mt19937 random(5);
  constexpr std::string_view kBytes = "  abcde\n\t\xC2\xA0\xE3\x81";
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (size_t size = random() % 40; text.size() < size;)
      text += random() % 3 ? 'x' : kBytes[random() % kBytes.size()];
    ASSERT_EQ(RunOf(text), SlowRunOf(text, 0)) << text;
    ASSERT_EQ(RunOf<0xC2>(text), SlowRunOf(text, 0xC2)) << text;
  }
}

}  // namespace
}  // namespace uzushio
