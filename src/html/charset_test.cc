#include "html/charset.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace uzushio {
namespace {

// 日本語の文章です。①
const std::string kUtf8 = "日本語の文章です。";
const std::string kSjis = "\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x95\xb6\x8f\xcd\x82\xc5\x82\xb7\x81\x42";
const std::string kEuc = "\xc6\xfc\xcb\xdc\xb8\xec\xa4\xce\xca\xb8\xbe\xcf\xa4\xc7\xa4\xb9\xa1\xa3";
const std::string kJis = "\x1b$BF|K\\8l$NJ8>O$G$9!#\x1b(B";

std::string Repeat(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

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

}  // namespace
}  // namespace uzushio
