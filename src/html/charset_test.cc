#include "html/charset.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "base/test_support.h"

namespace uzushio {
namespace {

// 日本語の文章です。①
const std::string kUtf8 = "日本語の文章です。";
const std::string kSjis = "\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x95\xb6\x8f\xcd\x82\xc5\x82\xb7\x81\x42";
const std::string kEuc = "\xc6\xfc\xcb\xdc\xb8\xec\xa4\xce\xca\xb8\xbe\xcf\xa4\xc7\xa4\xb9\xa1\xa3";
const std::string kJis = "\x1b$BF|K\\8l$NJ8>O$G$9!#\x1b(B";

struct Result {
  std::string encoding;
  std::string text;
  bool operator==(const Result&) const = default;
};

Result Decode(const std::string& page, const std::string& http = "", bool html = true) {
  std::string buffer;
  const auto decoded = DecodePage(page, http, html, false, &buffer);
  return decoded ? Result{std::string(decoded->encoding.name()), std::string(decoded->utf8)} : Result{"none", ""};
}

TEST(Encoding, KnowsLabels) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"UTF8", "UTF-8"},      {" x-sjis ;", "Shift_JIS"}, {"Shift-JIS", "Shift_JIS"}, {"windows-31j", "Shift_JIS"},
      {"cp932", "Shift_JIS"}, {"eucJP", "EUC-JP"},        {"latin1", "windows-1252"}, {"\"gb2312\"", "GBK"}};
  for (const auto& [label, name] : cases) EXPECT_EQ(Encoding::ForLabel(label)->name(), name) << label;
  for (const char* label : {"", " ", "none", "utf", "日本"}) EXPECT_FALSE(Encoding::ForLabel(label)) << label;
}

TEST(SniffMetaCharset, FindsTheFirstThatNamesOne) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"<meta charset=a>", "a"},
      {"<META\nCHARSET = 'b' >", "b"},
      {"<meta http-equiv=\"Content-Type\" content=\"text/html; charset=c\">", "c"},
      {"<META CONTENT='TEXT/HTML;CHARSET=d' HTTP-EQUIV=content-type>", "d"},
      {"<!-- <meta charset=no> --><meta name=x content='y'><meta charset=e>", "e"},
      {"<metadata charset=no><meta/charset=f>", "f"},
      {"<?xml version='1.0' encoding='g'?><html>", "g"},
      {"<?xml version='1.0' encoding='no'?><meta charset=h>", "h"},
      {"<meta charset", ""},
      {"<meta charset='i", "i"},
      {"<!-- <meta charset=no>", ""},
      {"<!--><meta charset=j>--><meta charset=no>", "j"},
      {"<meta content='charset'>", ""}};
  for (const auto& [page, charset] : cases) EXPECT_EQ(SniffMetaCharset(page), charset) << page;
  EXPECT_EQ(SniffMetaCharset(std::string(20'000, ' ') + "<meta charset=late>"), "");
}

TEST(DecodePage, ByMetaThenHeaderThenBytes) {
  const std::string text = Repeat(kUtf8, 20);
  EXPECT_EQ(Decode("<meta charset=shift_jis>" + kSjis, "euc-jp").encoding, "Shift_JIS");
  EXPECT_EQ(Decode("<meta charset=utf-8>" + Repeat(kSjis, 20), "x-sjis"),
            (Result{"Shift_JIS", "<meta charset=utf-8>" + text}));
  EXPECT_EQ(Decode("<meta charset=nonsense>" + Repeat(kEuc, 20), "EUC-JP").encoding, "EUC-JP");
  EXPECT_EQ(Decode(Repeat(kSjis, 20)), (Result{"Shift_JIS", text}));
  EXPECT_EQ(Decode(Repeat(kEuc, 20)), (Result{"EUC-JP", text}));
  EXPECT_EQ(Decode(Repeat(kJis + "\n", 20)), (Result{"ISO-2022-JP", Repeat(kUtf8 + "\n", 20)}));
  EXPECT_EQ(Decode(text, "shift_jis"), (Result{"UTF-8", text}));
  EXPECT_EQ(Decode("<meta charset=euc-jp>" + text, "", false).encoding, "UTF-8");
}

TEST(DecodePage, DoesNotTakeShiftJisForWindows1252) {
  EXPECT_EQ(Decode(Repeat(kSjis, 20), "ISO-8859-1").encoding, "Shift_JIS");
  EXPECT_EQ(Decode(kUtf8, "ISO-8859-1").encoding, "UTF-8");
  EXPECT_EQ(Decode("caf\xe9", "ISO-8859-1"), (Result{"windows-1252", "café"}));
}

TEST(DecodePage, FollowsTheWhatwgTables) {
  EXPECT_EQ(Decode("<meta charset=shift_jis>\x87\x40").text, "<meta charset=shift_jis>①");
  EXPECT_EQ(Decode("<meta charset=euc-jp>\xad\xa1").text, "<meta charset=euc-jp>①");
}

TEST(DecodePage, ACharacterMayLieAcrossTheEndOfTheSample) {
  for (size_t lead = 0; lead < 4; ++lead) {
    std::string page(kCharsetSample - 8 + lead, 'x');
    page += Repeat("あ", 10);
    EXPECT_EQ(Decode(page), (Result{"UTF-8", page})) << lead;
    EXPECT_EQ(Decode(page, "utf-8"), (Result{"UTF-8", page})) << lead;
  }
}

TEST(DecodePage, FaultsBehindTheSampleAreReplaced) {
  const std::string start = Repeat(kUtf8, 1000);
  EXPECT_EQ(Decode(start + "\xff", "utf-8"), (Result{"UTF-8", start + "\uFFFD"}));
}

TEST(DecodePage, ByteOrderMarksDecideAndGo) {
  EXPECT_EQ(Decode("\xEF\xBB\xBF" + kUtf8, "euc-jp"), (Result{"UTF-8", kUtf8}));
  EXPECT_EQ(Decode(std::string("\xFF\xFE\x42\x30", 4), "utf-8"), (Result{"UTF-16LE", "あ"}));
}

TEST(DecodePage, WhatDecodesInNothingIsNothing) {
  EXPECT_EQ(Decode("\x80\xff\x81\xff\x8f\x20\x9d\xff\x80\x80\xff", "utf-8").encoding, "none");
}

TEST(DecodePage, OnlyKanaSparesSingleByteEncodings) {
  std::string buffer;
  const std::string page = "caf\xe9";
  const auto decoded = DecodePage(page, "latin1", true, true, &buffer);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->utf8.data(), page.data());
}

TEST(SniffMetaCharset, OddMarkup) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"<meta http-equiv=content-type content='text/html; charset = \"a\"'>", "a"},
      {"<meta content=\"charset; charset=b\">", "b"},
      {"<meta charset=\"\"><meta charset=c>", "c"},
      {"<meta name='a>b' charset=d>", "d"},
      {"<meta charset=e/>", "e/"},
      {"<meta charset=no charset=f charset=g>", "no"},
      {"<meta =x charset=h>", "h"},
      {"<meta \"x\" charset=i>", "i"},
      {"\n <?xml version=\"1.0\" encoding=\"j\" ?><html>", "j"},
      {"<?xml version=\"1.0\"?><html encoding='no'>", ""},
      {"<?xml encoding='unclosed", "unclosed"},
      {"<meta", ""},
      {"<meta ", ""},
      {"<", ""},
      {"", ""}};
  for (const auto& [page, charset] : cases) EXPECT_EQ(SniffMetaCharset(page), charset) << page;
}

TEST(SniffMetaCharset, EndsOnAnyText) {
  EXPECT_TRUE(rc::check([] {
    const auto parts = *rc::gen::container<std::vector<std::string>>(
        rc::gen::elementOf(std::vector<std::string>{"<meta", " ", "=", "\"", "'", ">", "/", "charset", "content",
                                                    "<!--", "-->", "<?xml", "encoding", "a", "\xff"}));
    std::string page;
    for (const std::string& part : parts) page += part;
    const std::string_view charset = SniffMetaCharset(page);
    RC_ASSERT(charset.empty() || page.find(charset) != std::string::npos);
  }));
}

TEST(DecodePage, AMetaTagCannotSayUtf16) {
  EXPECT_EQ(Decode("<meta charset=utf-16>" + kUtf8), (Result{"UTF-8", "<meta charset=utf-16>" + kUtf8}));
}

TEST(DecodePage, ReplacementEncodingsAreNotBelieved) {
  for (const char* label : {"iso-2022-kr", "hz-gb-2312", "iso-2022-cn"}) {
    const std::string page = "<meta charset=" + std::string(label) + ">" + kUtf8;
    EXPECT_EQ(Decode(page), (Result{"UTF-8", page})) << label;
    EXPECT_EQ(Decode(kUtf8, label), (Result{"UTF-8", kUtf8})) << label;
  }
}

TEST(DecodePage, AsciiAndEmptyPagesAreUtf8) {
  EXPECT_EQ(Decode(""), (Result{"UTF-8", ""}));
  EXPECT_EQ(Decode("plain"), (Result{"UTF-8", "plain"}));
  EXPECT_EQ(Decode("plain", "nonsense"), (Result{"UTF-8", "plain"}));
}

TEST(DecodePage, AFalseByteOrderMarkDoesNotDecide) {
  EXPECT_EQ(Decode("\xEF\xBB\xBF caf\xe9 x", "iso-8859-1").encoding, "windows-1252");
}

TEST(DecodePage, XmlDeclarationsCount) {
  const std::string page = "<?xml version='1.0' encoding='EUC-JP'?>";
  EXPECT_EQ(Decode(page + kEuc), (Result{"EUC-JP", page + kUtf8}));
}

TEST(DecodePage, MultiByteCharactersMayLieAcrossTheEndOfTheSample) {
  for (size_t lead = 0; lead < 4; ++lead) {
    const std::string start = "<meta charset=shift_jis>";
    const std::string page = start + std::string(kCharsetSample - start.size() - 8 + lead, 'x') + Repeat(kSjis, 5);
    EXPECT_EQ(Decode(page).encoding, "Shift_JIS") << lead;
    const std::string euc = std::string(kCharsetSample - 8 + lead, 'x') + Repeat(kEuc, 5);
    EXPECT_EQ(Decode(euc, "euc-jp").encoding, "EUC-JP") << lead;
  }
}

TEST(DecodePage, KanaBehindMuchMarkupAreDetected) {
  const std::string markup(20'000, ' ');
  EXPECT_EQ(Decode(markup + Repeat(kSjis, 20)), (Result{"Shift_JIS", markup + Repeat(kUtf8, 20)}));
  EXPECT_EQ(Decode(markup + Repeat(kEuc, 20)), (Result{"EUC-JP", markup + Repeat(kUtf8, 20)}));
}

TEST(DecodePage, LongPagesDecodeInPieces) {
  // 64 KiB pieces that end inside characters, by one byte or the other.
  for (const char* lead : {"", "x"}) {
    const std::string start = "<meta charset=shift_jis>" + std::string(lead);
    EXPECT_TRUE(Decode(start + Repeat(kSjis, 20'000)) == (Result{"Shift_JIS", start + Repeat(kUtf8, 20'000)}));
  }
  std::string buffer(10, 'y');
  const std::string page = "<meta charset=iso-2022-jp>" + Repeat(kJis + " ", 10'000);
  const auto decoded = DecodePage(page, "", true, false, &buffer);
  ASSERT_TRUE(decoded);
  EXPECT_TRUE(decoded->utf8 == "<meta charset=iso-2022-jp>" + Repeat(kUtf8 + " ", 10'000));
}

TEST(DecodePage, HalfWidthKatakana) {
  EXPECT_EQ(Decode("\xb1\xb2\xb3", "shift_jis"), (Result{"Shift_JIS", "ｱｲｳ"}));
  EXPECT_EQ(Decode("\x8e\xb1\x8e\xb2", "euc-jp"), (Result{"EUC-JP", "ｱｲ"}));
}

bool IsUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const size_t length = byte < 0x80 ? 1 : byte < 0xC2 ? 0 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : byte < 0xF5 ? 4 : 0;
    if (length == 0 || i + length > text.size()) return false;
    for (size_t k = 1; k < length; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return false;
    }
    i += length;
  }
  return true;
}

TEST(DecodePage, WhateverDecodesIsUtf8) {
  EXPECT_TRUE(rc::check([] {
    const auto labels = std::vector<std::string>{"",           "utf-8",  "shift_jis",     "euc-jp",   "iso-2022-jp",
                                                 "gb18030",    "big5",   "euc-kr",        "utf-16le", "windows-1252",
                                                 "iso-8859-8", "koi8-r", "x-user-defined"};
    const std::string page = "<meta charset=" + *rc::gen::elementOf(labels) + ">" + *rc::gen::arbitrary<std::string>();
    std::string buffer;
    const auto decoded = DecodePage(page, *rc::gen::elementOf(labels), true, false, &buffer);
    if (decoded) RC_ASSERT(IsUtf8(decoded->utf8));
  }));
}

}  // namespace
}  // namespace uzushio
