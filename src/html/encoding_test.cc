#include "html/encoding.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace uzushio {
namespace {

// Each U+FFFD that is written instead of bytes is a fault, for UTF-8, whose faults are counted without decoding, too.
TEST(Encoding, CountsFaultsOfUtf8AsItsDecoderDoes) {
  constexpr std::string_view kBytes = "aあ\xC2\xC3\xE3\x81\xE0\xED\xA0\xF0\x9F\x98\x80\xF4\x90\xFF\xEF\xBB\xBF";
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes;
    for (size_t size = random() % 12; size > 0; --size) bytes += kBytes[random() % kBytes.size()];
    std::string buffer;
    const std::string_view text = Encoding::Utf8().Decode(bytes, &buffer);
    size_t characters = 0;
    size_t replaced = 0;
    for (size_t at = 0; at < text.size(); ++at) {
      characters += static_cast<unsigned char>(text[at]) >= 0xC0 ? 1 : 0;
      replaced += text.substr(at).starts_with("\uFFFD") ? 1 : 0;
    }
    EXPECT_EQ(Encoding::Utf8().FaultsOf(bytes, true), (Faults{characters, replaced})) << testing::PrintToString(bytes);
  }
}

TEST(Encoding, KnowsLabels) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"UTF8", "UTF-8"},      {" x-sjis ;", "Shift_JIS"}, {"Shift-JIS", "Shift_JIS"}, {"windows-31j", "Shift_JIS"},
      {"cp932", "Shift_JIS"}, {"eucJP", "EUC-JP"},        {"latin1", "windows-1252"}, {"\"gb2312\"", "GBK"}};
  for (const auto& [label, name] : cases) EXPECT_EQ(Encoding::ForLabel(label)->name(), name) << label;
  for (const char* label : {"", " ", "none", "utf", "日本"}) EXPECT_FALSE(Encoding::ForLabel(label)) << label;
}

TEST(Encoding, CountsWhatCannotBeMapped) {
  const Encoding utf8 = Encoding::Utf8();
  EXPECT_EQ(utf8.FaultsOf("aあ\xff"
                          "\xe3\x81い"),
            (Faults{4, 2}));
  EXPECT_EQ(utf8.FaultsOf("あ\xe3\x81"), (Faults{1, 0}));  // the end cuts it
  EXPECT_EQ(utf8.FaultsOf("あ\xe3\x81", true), (Faults{2, 1}));
  EXPECT_EQ(Encoding::ForLabel("shift_jis")->FaultsOf("\x82\xa0\xa0"), (Faults{2, 1}));
  EXPECT_EQ(Encoding::ForLabel("windows-1252")->FaultsOf("\x81\xe9"), (Faults{2, 1}));
  std::string many;
  for (int i = 0; i < 10'000; ++i) many += "あ\xff";
  EXPECT_EQ(utf8.FaultsOf(many), (Faults{20'000, 10'000}));
  EXPECT_EQ(utf8.FaultsOf(many, false, 10'000), (Faults{20'000, 10'000}));
  EXPECT_EQ(utf8.FaultsOf(many, false, 99).faults, 100U);
}

TEST(Encoding, CountsWhatItReplaces) {
  std::string buffer;
  int64_t replaced = 0;
  EXPECT_EQ(Encoding::Utf8().Decode("\xEF\xBB\xBF"
                                    "a\xff\xe3\x81",
                                    &buffer, &replaced),
            "a\uFFFD\uFFFD");
  EXPECT_EQ(replaced, 2);
  const std::string marks = "\xEF\xBB\xBF\xEF\xBB\xBF";  // the second is text
  EXPECT_EQ(Encoding::Utf8().Decode(marks + "a", &buffer), "\uFEFFa");
  EXPECT_EQ(Encoding::Utf8().Decode(marks + "a\xff", &buffer), "\uFEFFa\uFFFD");
  EXPECT_EQ(Encoding::Utf8().Decode("あ", &buffer, &replaced), "あ");
  EXPECT_EQ(replaced, 0);
}

}  // namespace
}  // namespace uzushio
