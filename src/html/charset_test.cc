#include "html/charset.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "base/test_support.h"
#include "html/charset_detection.h"

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

Result Decode(const std::string& page, const std::string& http = "", bool html = true,
              CharsetRule rule = CharsetRule::kTolerant) {
  std::string buffer;
  const auto decoded = DecodePage(page, http, html, rule, false, &buffer);
  return decoded ? Result{std::string(decoded->encoding.name()), std::string(decoded->utf8)} : Result{"none", ""};
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
      {"<meta content='charset'>", ""},
      {"<meta name=x <meta charset=k>", "k"}};
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

TEST(DecodePage, APageThatGoesOnInAnotherEncodingIsDecodedInWhatSuitsItAll) {
  // A template in one encoding around a text in another.
  const std::string head = "<meta charset=utf-8>" + Repeat("<p>" + kUtf8, 1000);
  ASSERT_GT(head.size(), kCharsetSample);
  const auto little = Decode(head + Repeat("<p>" + kSjis, 40));
  EXPECT_EQ(little.encoding, "UTF-8");  // a little of it is replaced
  const std::string much = head + Repeat("<p>" + kSjis, 20'000);
  EXPECT_EQ(Decode(much).encoding, "Shift_JIS");
  EXPECT_EQ(Decode(head + Repeat("<p>" + kSjis, 1000)).encoding, "none");
  EXPECT_EQ(Decode(Repeat("<p>" + kEuc, 1000) + Repeat("<p>" + kSjis, 1000), "euc-jp").encoding, "none");
  EXPECT_EQ(Decode(much, "", true, CharsetRule::kStrict).encoding, "UTF-8");
}

TEST(DecodePage, ShortRunsOfIso2022Jp) {
  // 日 and 本 in runs of their own, with empty ones between.
  const std::string runs = "<p>\x1b$BF|\x1b(B\x1b$BK\\\x1b(B";
  EXPECT_EQ(Decode(runs), (Result{"ISO-2022-JP", "<p>日本"}));
  EXPECT_EQ(Decode(Repeat(runs, 20), "iso-2022-jp"), (Result{"ISO-2022-JP", Repeat("<p>日本", 20)}));
  EXPECT_EQ(Decode(Repeat(runs, 9000), "iso-2022-jp"), (Result{"ISO-2022-JP", Repeat("<p>日本", 9000)}));
  EXPECT_EQ(Decode("\x1b(B\x1b$B\x1b(B\x1b$BF|\x1b(B"), (Result{"ISO-2022-JP", "日"}));
}

TEST(DecodePage, CommentsMayBeInAnotherEncoding) {
  const std::string old = "<!-- " + Repeat(kSjis, 200) + " -->";
  const std::string text = Repeat("<p>" + kUtf8, 20);
  for (const std::string& page : {old + text, text + old, Repeat(old + text, 2)}) {
    EXPECT_EQ(Decode(page).encoding, "UTF-8");
    EXPECT_EQ(Decode(page, "utf-8").encoding, "UTF-8");
  }
  EXPECT_EQ(Decode(text + "<!-- " + Repeat(kSjis, 4000) + " -->" + text).encoding, "UTF-8");
  EXPECT_EQ(Decode("<!-- " + text + " -->" + Repeat("<p>" + kSjis, 20)).encoding, "Shift_JIS");
  EXPECT_EQ(Decode(old + Repeat("<p>" + kSjis, 20)).encoding, "Shift_JIS");
  EXPECT_EQ(Decode(old + "<p>plain").encoding, "Shift_JIS");
}

TEST(DecodePage, WhereMuchIsLostThereIsNothing) {
  const auto page = [](int characters, int one_of) {
    std::string bytes;
    for (int i = 0; i < characters; ++i) bytes += i % one_of == 0 ? "\xff" : "日 ";
    return bytes;
  };
  EXPECT_EQ(Decode(page(400, 6), "utf-8").encoding, "UTF-8");
  EXPECT_EQ(Decode(page(400, 4), "utf-8").encoding, "none");
  EXPECT_EQ(Decode(page(20, 4), "utf-8").encoding, "UTF-8");  // of a short page, less is lost
}

// As `substr` of PHP leaves descriptions.
TEST(DecodePage, CharactersThatAreCutAreReplaced) {
  const std::string head = "<meta charset=utf-8><meta name=description content='";
  const std::string page = head + kUtf8.substr(0, 25) + "'>" + kUtf8;
  std::string buffer;
  const auto decoded = DecodePage(page, "utf-8", true, CharsetRule::kTolerant, false, &buffer);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->encoding, Encoding::Utf8());
  EXPECT_EQ(decoded->utf8, head + "日本語の文章です\uFFFD'>" + kUtf8);
  EXPECT_EQ(decoded->replaced, 1);
  EXPECT_TRUE(decoded->believed);
  EXPECT_NE(Decode(page, "utf-8", true, CharsetRule::kStrict).encoding, "UTF-8");
}

TEST(DecodePage, DamageInAnyEncodingLeavesTheRest) {
  const std::vector<std::pair<const char*, std::string>> encodings = {
      {"UTF-8", kUtf8}, {"Shift_JIS", kSjis}, {"EUC-JP", kEuc}};
  for (const auto& [name, text] : encodings) {
    for (const char* declared : {"", "utf-8", "shift_jis", "euc-jp", "iso-8859-1"}) {
      for (size_t lost = 0; lost < text.size(); ++lost) {
        const std::string page =
            Repeat(text + "\n", 50) + text.substr(0, lost) + text.substr(lost + 1) + "\n" + Repeat(text + "\n", 50);
        EXPECT_EQ(Decode(page, declared).encoding, name) << declared << lost;
      }
    }
  }
}

TEST(DecodePage, WhatTheBytesSayGoesBeforeAWrongDeclaration) {
  EXPECT_EQ(Decode("<meta charset=iso-8859-1><p>" + Repeat("é", 3) + "naïve").encoding, "UTF-8");
  EXPECT_EQ(Decode("<meta charset=iso-8859-1>\xc3\xa9").encoding, "windows-1252");
  EXPECT_EQ(Decode("<meta charset=shift_jis>" + kUtf8).encoding, "UTF-8");
  EXPECT_EQ(Decode("<meta charset=shift_jis>" + Repeat("<p>" + kEuc, 20)).encoding, "EUC-JP");
  EXPECT_EQ(Decode("<meta charset=iso-8859-1>" + Repeat("<p>" + kEuc, 20)).encoding, "EUC-JP");
  EXPECT_EQ(Decode("<meta charset=big5>" + Repeat("<p>" + kEuc, 20)).encoding, "EUC-JP");
  EXPECT_EQ(Decode("<meta charset=windows-1251>" + Repeat("<p>" + kEuc, 20)).encoding, "EUC-JP");
  EXPECT_EQ(Decode("<meta charset=windows-1251>" + Repeat("<p>" + kEuc, 20), "", true, CharsetRule::kStrict).encoding,
            "windows-1251");
}

TEST(DecodePage, DeclarationsWithoutFaultsAreBelieved) {
  const std::string half_width = "\xba\xda\xca\xca\xdd\xb6\xb8\xb6\xc5\xc9\xcd\xdf\xb0\xbc\xde\xc3\xde\xbd";
  EXPECT_EQ(Decode("<meta charset=shift_jis>" + Repeat("<p>" + half_width, 5)).encoding, "Shift_JIS");
  // Hiragana are in the same places of EUC-JP, EUC-KR and GBK.
  const std::string hiragana = "<p>\xa4\xb3\xa4\xec\xa4\xcf\xc6\xfc\xb1\xbe\xa4\xce";
  EXPECT_EQ(Decode("<meta charset=gbk>" + Repeat(hiragana, 20)).encoding, "GBK");
  EXPECT_EQ(Decode("<meta charset=hz-gb-2312><p>plain"), (Result{"UTF-8", "<meta charset=hz-gb-2312><p>plain"}));
}

// What each is in, without three characters of hiragana, under any declaration.
TEST(DecodePage, ShortTextsOverruleWrongDeclarations) {
  const std::vector<std::pair<const char*, std::string>> pages = {
      // ヘルプ モジュール 目次 索引 検索
      {"EUC-JP",
       "<p>\xa5\xd8\xa5\xeb\xa5\xd7 \xa5\xe2\xa5\xb8\xa5\xe5\xa1\xbc\xa5\xeb \xcc\xdc\xbc\xa1 \xba\xf7\xb0\xfa "
       "\xb8\xa1\xba\xf7"},
      {"Shift_JIS",
       "<p>\x83\x77\x83\x8b\x83\x76 \x83\x82\x83\x57\x83\x85\x81\x5b\x83\x8b \x96\xda\x8e\x9f \x8d\xf5\x88\xf8 "
       "\x8c\x9f\x8d\xf5"},
      // 帮助 目录 索引 搜索 显示 选择 文件
      {"GBK",
       "<p>\xb0\xef\xd6\xfa \xc4\xbf\xc2\xbc \xcb\xf7\xd2\xfd \xcb\xd1\xcb\xf7 \xcf\xd4\xca\xbe \xd1\xa1\xd4\xf1 "
       "\xce\xc4\xbc\xfe"},
      // 그림 편집 목록 검색 선택 설정 파일 이미지
      {"EUC-KR",
       "<p>\xb1\xd7\xb8\xb2 \xc6\xed\xc1\xfd \xb8\xf1\xb7\xcf \xb0\xcb\xbb\xf6 \xbc\xb1\xc5\xc3 \xbc\xb3\xc1\xa4 "
       "\xc6\xc4\xc0\xcf \xc0\xcc\xb9\xcc\xc1\xf6"},
      {"windows-1252",
       "<p>Gr\xf6\xdf"
       "e f\xfcr M\xfcnchen, sch\xf6n, \xfc"
       "ber, \xc4nderung, K\xe4se"}};
  for (const auto& [name, page] : pages) {
    for (const char* declared : {"", "utf-8", "shift_jis", "euc-jp", "gbk", "iso-8859-1"}) {
      EXPECT_EQ(Decode(page, declared).encoding, name) << declared;
    }
  }
}

TEST(DecodePage, LatinTextIsNotTakenForMoreThanAByteForACharacter) {
  const std::string spaces = Repeat(
      "<b>\xa0Section\xa0"
      "A</b> caf\xe9",
      20);
  EXPECT_EQ(Decode("<meta charset=iso-8859-1>" + spaces).encoding, "windows-1252");
  EXPECT_EQ(Decode(spaces).encoding, "windows-1252");
  EXPECT_EQ(Decode("don\x92t \xb6 don\x92t").encoding, "windows-1252");
}

TEST(DecodePage, WordsOfCapitals) {
  const auto lines = [](const std::vector<std::string>& words) {
    std::string body;
    for (const std::string& word : words) body += "<p>" + word + "</p>";
    return body;
  };
  const std::string portuguese =
      lines({"INFORMA\xc7\xd5"
             "ES",
             "SITUA\xc7\xc3O", "EDUCA\xc7\xc3O", "NAVEGA\xc7\xc3O"});
  EXPECT_EQ(Decode("<meta charset=iso-8859-1>" + portuguese, "iso-8859-1").encoding, "windows-1252");
  EXPECT_EQ(Decode("<meta charset=iso-8859-1>" + lines({"S\xc4\xc4", "T\xd6\xd6", "PEL\xc4\xc4"})).encoding,
            "windows-1252");
  // ГЛАВНАЯ СТРАНИЦА, РОССИЯ
  const std::string russian =
      lines({"\xc3\xcb\xc0\xc2\xcd\xc0\xdf \xd1\xd2\xd0\xc0\xcd\xc8\xd6\xc0", "\xd0\xce\xd1\xd1\xc8\xdf"});
  EXPECT_EQ(Decode(russian).encoding, "windows-1251");
  EXPECT_EQ(Decode(russian, "utf-8").encoding, "windows-1251");
}

TEST(DecodePage, WhatWouldBeRefusedIsNotLikelier) {
  const std::string czech = "<p>\x8e\x6clu\x9dou\xe8k\xfd k\xf9\xf2 \xfap\xecl</p>";  // Žluťoučký kůň úpěl
  EXPECT_NE(Decode(czech, "iso-8859-1").encoding, "none");
}

TEST(DecodePage, DeclaredHiraganaWithDamage) {
  EXPECT_EQ(Decode("<meta charset=euc-jp>" + kEuc + "\xc6 " + Repeat("\xa4\xb3\xa4\xec\xa4\xcf ", 20)).encoding,
            "EUC-JP");
}

TEST(DecodePage, EscapesGoBeforeAnyDeclaration) {
  const std::string page = Repeat("<p>\x1b$B8!:w\x1b(B", 3);  // 検索
  for (const char* declared : {"utf-8", "shift_jis", "euc-jp", "iso-8859-1"}) {
    EXPECT_EQ(Decode(page, declared), (Result{"ISO-2022-JP", Repeat("<p>検索", 3)})) << declared;
  }
}

// The first of them is damaged, and the rest is far away.
TEST(DecodePage, FewCharactersFarApart) {
  const std::string far(20'000, ' ');
  const std::string page = "\xe3\x81<p>" + far + Repeat("<p>日本語 ", 20);
  EXPECT_EQ(Decode(page, "utf-8").encoding, "UTF-8");
  EXPECT_EQ(Decode(page, "euc-jp").encoding, "UTF-8");
}

// Signs repeated on each line say no more than one.
TEST(DecodePage, RepeatedSignsAreEvidenceOnce) {
  const std::string page = Repeat("\xa2\xe0 \xa2\xf9 ", 40) + "\xc6\xfc\xcb\xdc\xb8\xec";  // ∇ ¶ 日本語
  EXPECT_EQ(Decode(page).encoding, "EUC-JP");
}

TEST(DecodePage, Utf16WithoutAMark) {
  std::string little;
  std::string big;
  for (const char c : std::string("<p>text</p>")) {
    little += {c, '\0'};
    big += {'\0', c};
  }
  EXPECT_EQ(Decode(little + "\x42\x30", "utf-8"), (Result{"UTF-16LE", "<p>text</p>あ"}));
  EXPECT_EQ(Decode(big + "\x30\x42"), (Result{"UTF-16BE", "<p>text</p>あ"}));
  EXPECT_EQ(Decode("<p>text", "utf-16").encoding, "UTF-8");  // a header that cannot be true
  std::string far;  // behind a long script, in bytes that look like halves of characters when they stand alone
  for (int i = 0; i < 5'000; ++i) far += std::string("<\0 \0", 4);
  EXPECT_EQ(Decode("\xFF\xFE" + far + "\xDB\x30\xDA\x30").encoding, "UTF-16LE");
  EXPECT_EQ(Decode(far + "\xDB\x30\xDA\x30").encoding, "UTF-16LE");
}

TEST(DecodePage, Utf16ByItsHeader) {
  std::string page("<\0p\0>\0", 6);
  page += Repeat("\x22\x6f\x57\x5b\x1a\x4f\x3e\x79", 2'000);  // 漢字会社
  EXPECT_EQ(Decode("\n" + page.substr(1), "utf-16le").encoding, "UTF-16LE");
  EXPECT_EQ(Decode(page).encoding, "UTF-16LE");
}

TEST(DecodePage, WhereNothingIsBelievedTheLeastWrongIs) {
  std::string buffer;
  const std::string page = "<meta charset=iso-2022-jp>" + kJis + "\xff\xfe\xff";
  const auto decoded = DecodePage(page, "iso-2022-jp", true, CharsetRule::kTolerant, false, &buffer);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->encoding.name(), "ISO-2022-JP");
  EXPECT_EQ(decoded->replaced, 3);
  EXPECT_FALSE(decoded->believed);
}

TEST(DecodePage, WhatDecodesInNothingIsNothing) {
  EXPECT_EQ(Decode("\x80\xff\x81\xff\x8f\x20\x9d\xff\x80\x80\xff", "utf-8").encoding, "none");
}

TEST(DecodePage, OnlyKanaSparesSingleByteEncodings) {
  std::string buffer;
  const std::string page = "caf\xe9";
  const auto decoded = DecodePage(page, "latin1", true, CharsetRule::kTolerant, true, &buffer);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->utf8.data(), page.data());
}

// As browsers do it. What stands in the value of an attribute, in other markup or in a description is no declaration
// where there is one.
TEST(SniffMetaCharset, FindsWhatBrowsersFind) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"<base href=\"<!--../\"><meta charset=utf-8>", "utf-8"},
      {"<base href=\"<meta charset=euc-jp>\"><meta charset=utf-8>", "utf-8"},
      {"<!DOCTYPE \"<!-- <meta charset=euc-jp>\"><meta charset=utf-8>", "utf-8"},
      {"</a b='<meta charset=euc-jp>'><? <meta charset=sjis ?><meta charset=utf-8>", "utf-8"},
      {"<meta name=description content='how to write charset=euc-jp'><meta charset=utf-8>", "utf-8"},
      {"<meta charset=unknown><meta charset=utf-8>", "utf-8"},
      {"<meta charset=unknown content='text/html; charset=sjis'><meta charset=utf-8>", "utf-8"},
      {"<meta http-equiv=content-type content='charset=sjis'><meta charset=utf-8>", "sjis"},
      {"< meta charset=sjis><metas charset=sjis><meta charset=utf-8>", "utf-8"},
      {"<meta name=content-type content='text/html; charset=sjis'>", "sjis"},
      {"<meta http-equiv=\"content-type\"= content='text/html; charset=sjis'>", "sjis"},
      {"<base href=\"../><meta charset=sjis>", "sjis"}};
  for (const auto& [page, charset] : cases) EXPECT_EQ(SniffMetaCharset(page), charset) << page;
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
  const auto decoded = DecodePage(page, "", true, CharsetRule::kTolerant, false, &buffer);
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
    const auto rule = *rc::gen::element(CharsetRule::kTolerant, CharsetRule::kStrict);
    const auto decoded = DecodePage(page, *rc::gen::elementOf(labels), true, rule, false, &buffer);
    if (decoded) RC_ASSERT(IsUtf8(decoded->utf8));
  }));
}

}  // namespace
}  // namespace uzushio
