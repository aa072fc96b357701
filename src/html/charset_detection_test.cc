#include "html/charset_detection.h"

#include <gtest/gtest.h>

#include <string>

#include "base/test_support.h"

namespace uzushio {
namespace {

// 日本語の文章です。
const std::string kEucLine = "\xc6\xfc\xcb\xdc\xb8\xec\xa4\xce\xca\xb8\xbe\xcf\xa4\xc7\xa4\xb9\xa1\xa3\n";

TEST(CharsetSample, BeginsWhereSomethingBegins) {
  EXPECT_EQ(CharsetSample("plain"), "");
  EXPECT_EQ(CharsetSample(""), "");
  EXPECT_EQ(CharsetSample("abcd\xe9z"), "\xe9z");
  EXPECT_EQ(CharsetSample("abc\xe9z"), "c\xe9z");  // characters of UTF-16 begin at even places
  EXPECT_EQ(CharsetSample("ab\x1b$B\xe9"), "\x1b$B\xe9");
  EXPECT_EQ(CharsetSample(std::string(100'000, 'x') + Repeat("あ", 10'000)).size(), kCharsetSample);
}

TEST(FullerSample, GathersWhatIsFarApart) {
  std::string buffer;
  EXPECT_EQ(FullerSample("abcd\xe9z", &buffer), CharsetSample("abcd\xe9z"));
  const std::string markup(20'000, 'x');
  const std::string apart = "..\xa4\xa2<p>" + markup + "y\x83\x41\x83\x42z" + markup + "\xa4\xa4";
  EXPECT_EQ(FullerSample(apart, &buffer), ".\xa4\xa2<\ny\x83\x41\x83\x42\nx\xa4\xa4\n");
  const std::string of_four = "\x81\x30\x8b\x38" + markup;  // a character of gb18030
  EXPECT_EQ(FullerSample(of_four, &buffer), "\x81\x30\x8b\x38\n");
  const std::string dense = Repeat("\xa4\xa2", 100) + markup;
  EXPECT_EQ(FullerSample(dense, &buffer), CharsetSample(dense));
  const std::string escaped = "\x1b$B$\"\x1b(B" + markup;
  EXPECT_EQ(FullerSample(escaped, &buffer), CharsetSample(escaped));
  const std::string of_utf16 =
      Repeat(std::string("x\0", 2), 10'000) + "\xDB\x30";  // U+30DB, cut into bytes, is no character
  EXPECT_EQ(FullerSample("\xFF\xFE" + of_utf16, &buffer), CharsetSample("\xFF\xFE" + of_utf16));
  const std::string much = Repeat("\xa4\xa2" + std::string(1000, 'x'), 10'000);
  EXPECT_LT(FullerSample(much, &buffer).size(), kCharsetSample + 16);
  const std::string in_one_piece = "\x83\x41" + markup + Repeat("\x83\x41", 1'000'000);
  EXPECT_LT(FullerSample(in_one_piece, &buffer).size(), kCharsetSample + 16);
  EXPECT_EQ(FullerSample("\x80" + markup + escaped, &buffer), escaped.substr(0, kCharsetSample));
}

TEST(DistinctPieces, EachOnce) {
  EXPECT_EQ(DistinctPieces("<b>\xa4\xa2</b> plain a\xa4\xa4"
                           "b, \xa4\xa2"),
            "\xa4\xa2\na\xa4\xa4"
            "b\n");
  EXPECT_EQ(DistinctPieces("plain"), "");
}

TEST(LooksLikeUtf8, WithSeveralCharactersAndLittleDamage) {
  EXPECT_TRUE(LooksLikeUtf8("あいう"));
  EXPECT_TRUE(LooksLikeUtf8("あいう\xe3\x81"));  // which the end cuts
  EXPECT_FALSE(LooksLikeUtf8("あい"));
  EXPECT_FALSE(LooksLikeUtf8("あいう\xff...."));
  EXPECT_TRUE(LooksLikeUtf8("あいうえお\xff かきく"));
  EXPECT_FALSE(LooksLikeUtf8(Repeat(kEucLine, 10)));
  EXPECT_FALSE(LooksLikeUtf8(""));
}

TEST(DetectUtf16, ByZeros) {
  const std::string little("<\0p\0>\0\x42\x30", 8);
  const std::string big("\0<\0p\0>\x30\x42", 8);
  EXPECT_EQ(DetectUtf16(little)->name(), "UTF-16LE");
  EXPECT_EQ(DetectUtf16(big)->name(), "UTF-16BE");
  EXPECT_FALSE(DetectUtf16("<p>"));
  EXPECT_FALSE(DetectUtf16(std::string(100, '\0')));
  EXPECT_FALSE(DetectUtf16(std::string(100, 'x') + '\0'));
  EXPECT_FALSE(DetectUtf16(std::string("<p>a\0bbb\0bbb\0hello world", 24)));
}

TEST(DetectUtf16, APageBeginsWithATag) {
  const std::string text = Repeat("\x22\x6f\x57\x5b", 4'000);  // 漢字
  EXPECT_EQ(DetectUtf16(std::string("<\0p\0>\0", 6) + text), Encoding::ForLabel("utf-16le"));
  EXPECT_EQ(DetectUtf16("..." + text), std::nullopt);
}

TEST(DetectUtf16, WideSpacesAndKanjiMayHaveAZero) {
  // <p>, and in either order characters whose other byte is zero: U+3000 and U+4E00.
  const std::string little("<\0p\0>\0", 6);
  const std::string big("\0<\0p\0>", 6);
  EXPECT_EQ(DetectUtf16(little + Repeat(std::string("\0\x30\0\x4e", 4), 20))->name(), "UTF-16LE");
  EXPECT_EQ(DetectUtf16(big + Repeat(std::string("\x30\0\x4e\0", 4), 20))->name(), "UTF-16BE");
}

TEST(DetectCharset, DamageReachesFewParts) {
  EXPECT_EQ(DetectCharset(Repeat(kEucLine, 30)).encoding.name(), "EUC-JP");
  EXPECT_TRUE(DetectCharset(Repeat(kEucLine, 30)).sure);
  const DetectedCharset damaged = DetectCharset(Repeat(kEucLine, 20) + kEucLine.substr(1) + Repeat(kEucLine, 20));
  EXPECT_EQ(damaged.encoding.name(), "EUC-JP");
  EXPECT_TRUE(damaged.sure);
}

TEST(DetectCharset, FewBytesMakeNothingSure) {
  EXPECT_FALSE(DetectCharset(kEucLine).sure);
  EXPECT_EQ(DetectCharset("na\xefve caf\xe9").encoding.name(), "windows-1252");
  EXPECT_FALSE(DetectCharset(Repeat("na\xefve caf\xe9 ", 50)).sure);
}

TEST(DetectCharset, LittleHiraganaIsJapanese) {
  const std::string hiragana = "\x82\xb1\x82\xea\x82\xcd\x82\xd0\x82\xe7\x82\xaa\x82\xc8";  // これはひらがな
  EXPECT_EQ(DetectCharset(hiragana).encoding.name(), "Shift_JIS");
}

TEST(DetectCharset, EscapesSpeakForThemselves) {
  const DetectedCharset escaped = DetectCharset("\x1b$BF|K\\8l$NJ8>O$G$9!#\x1b(B");
  EXPECT_EQ(escaped.encoding.name(), "ISO-2022-JP");
  EXPECT_TRUE(escaped.sure);
  EXPECT_EQ(DetectCharset("\x1b[31m red \x1b[0m").encoding, Encoding::Utf8());  // of a terminal
}

}  // namespace
}  // namespace uzushio
