#include "document/paragraph_writer.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "document/markup.h"

namespace uzushio {
namespace {

TEST(CleanParagraph, CollapsesAndStripsWhiteSpace) {
  EXPECT_EQ(CleanParagraph(" a \t\xC2\xA0 b "), "a b");
  EXPECT_EQ(CleanParagraph("　段落　の　はじめ　\n\n　　\n 次 "), "段落　の　はじめ\n次");
  EXPECT_EQ(CleanParagraph(" \n　\t\n"), "");
}

TEST(CleanParagraph, KeepsLinksWithoutWhiteSpaceAtTheirEdges) {
  EXPECT_EQ(CleanParagraph("a \x02 b \x03 c"),
            "a \x02"
            "b\x03 c");
  EXPECT_EQ(CleanParagraph("a\x02 b\x03"
                           "c"),
            "a \x02"
            "b\x03"
            "c");
  EXPECT_EQ(CleanParagraph("\x02　b　\x03　\nc"),
            "\x02"
            "b\x03\nc");
}

TEST(CleanParagraph, DropsEmptyLinksWithTheirWhiteSpace) {
  EXPECT_EQ(CleanParagraph("a\x02 \n \x03"
                           "b"),
            "ab");
  EXPECT_EQ(CleanParagraph("a \x02\x03 b"), "a b");
  EXPECT_EQ(CleanParagraph("a \x02　\x03"), "a");
  EXPECT_EQ(CleanParagraph("ab\x02　\x03"), "ab");
  EXPECT_EQ(CleanParagraph("\x02　\x03"), "");
  EXPECT_EQ(CleanParagraph("a \x02\x03"
                           "b"),
            "a b");
  EXPECT_EQ(CleanParagraph("a\x02 \x02\x03\x03"
                           "b"),
            "ab");
}

TEST(CleanParagraph, NestedLinksAreOne) {
  EXPECT_EQ(CleanParagraph("\x02"
                           "a \x02"
                           "b\x03 c\x03 d"),
            "\x02"
            "a b c\x03 d");
  // An end without a beginning is none.
  EXPECT_EQ(CleanParagraph("a\x03"
                           "b\x02"
                           "c\x03"),
            "ab\x02"
            "c\x03");
}

TEST(CleanParagraph, JoinsLinesInsideLinks) {
  EXPECT_EQ(CleanParagraph("\x02"
                           "a\nb\x03\nc"),
            "\x02"
            "a b\x03\nc");
}

TEST(ParagraphWriter, PageTextCannotForgeMarks) {
  std::string out;
  ParagraphWriter writer(&out);
  writer.Text(
      "a\x02"
      "b\x03"
      "c\x1c"
      "d");
  writer.EndParagraph();
  EXPECT_EQ(out,
            "\x1c"
            "a b c d");
}

TEST(ParagraphWriter, ALinkOverParagraphsIsMarkedInEach) {
  std::string out;
  ParagraphWriter writer(&out);
  writer.Text("x");
  writer.LinkStart();
  writer.Text("a ");
  writer.EndParagraph();
  writer.Text(" b");
  writer.LinkEnd();
  writer.EndParagraph();
  EXPECT_EQ(out,
            "\x1cx\x02"
            "a\x03\n\n\x1c\x02"
            "b\x03");
}

// --- against the rules written down plainly, on text without links ---

std::vector<std::string> Characters(const std::string& text) {
  std::vector<std::string> characters;
  for (size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const size_t length = byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    characters.push_back(text.substr(i, length));
    i += length;
  }
  return characters;
}

bool IsWide(const std::string& c) { return c == "　" || c == "\u2003"; }

std::string OracleLine(const std::vector<std::string>& line) {
  std::vector<std::string> collapsed;
  for (const std::string& c : line) {
    const bool space = (c.size() == 1 && static_cast<unsigned char>(c[0]) <= 0x20) || c == "\xC2\xA0";
    if (!space) collapsed.push_back(c);
    if (space && (collapsed.empty() || collapsed.back() != " ")) collapsed.emplace_back(" ");
  }
  const auto strips = [](const std::string& c) { return c == " " || IsWide(c); };
  while (!collapsed.empty() && strips(collapsed.back())) collapsed.pop_back();
  size_t begin = 0;
  while (begin < collapsed.size() && strips(collapsed[begin])) ++begin;
  std::string result;
  for (size_t i = begin; i < collapsed.size(); ++i) result += collapsed[i];
  return result;
}

std::string OracleParagraph(const std::string& text) {
  std::string result;
  std::vector<std::string> line;
  std::vector<std::string> characters = Characters(text);
  characters.emplace_back("\n");
  for (const std::string& c : characters) {
    if (c != "\n") {
      line.push_back(c);
      continue;
    }
    const std::string clean = OracleLine(line);
    if (!clean.empty()) result += (result.empty() ? "" : "\n") + clean;
    line.clear();
  }
  return result;
}

rc::Gen<std::string> RawText(bool links) {
  std::vector<std::string> alphabet = {"a", "b", "あ", "　", " ", "\t", "\n", "\xC2\xA0", "\u2003", "é", "\x01"};
  if (links) alphabet.insert(alphabet.end(), {"\x02", "\x03"});
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(alphabet)),
                      [](const std::vector<std::string>& parts) {
                        std::string text;
                        for (const std::string& part : parts) text += part;
                        return text;
                      });
}

TEST(CleanParagraph, FollowsTheRulesOnAnyText) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = *RawText(false);
    RC_ASSERT(CleanParagraph(text) == OracleParagraph(text));
  }));
}

TEST(CleanParagraph, WithLinksIsIdempotentAndBalanced) {
  EXPECT_TRUE(rc::check([] {
    const std::string clean = CleanParagraph(*RawText(true));
    RC_ASSERT(CleanParagraph(clean) == clean);
    RC_ASSERT(OracleParagraph(StripMarks(clean)) == StripMarks(clean));
    bool inside = false;
    for (size_t i = 0; i < clean.size(); ++i) {
      if (clean[i] != kLinkStart && clean[i] != kLinkEnd) continue;
      RC_ASSERT((clean[i] == kLinkStart) == !inside);
      inside = !inside;
      RC_ASSERT(clean.substr(i, 2) != "\x02\x03");
    }
    RC_ASSERT(!inside);
  }));
}

// Each byte of ASCII, characters like U+00A0 and spaces beside others, at each place of texts that are and are not read
// by eight bytes; what lies behind is not looked at.
TEST(ParagraphWriter, TakesEachByteAtEachPlace) {
  std::vector<std::string> characters = {"\xC2\xA0",  "\xC2\x80",   "\xC2\xA1", "\xC3\xA0", "\xE2\x82\xA0", "　",
                                         "  ",        " 　",        "　 ",      " \n",      "\n ",          " \xC2\xA0",
                                         "\xC2\xA1 ", "\xC2\xA1  ", " x ",      "  x  "};
  for (char c = 0; c >= 0 && c < 0x7F; ++c) characters.emplace_back(1, c);
  for (size_t length = 0; length < 20; ++length) {
    for (size_t at = 0; at <= length; ++at) {
      for (const std::string& c : characters) {
        const std::string text = std::string(at, 'a') + c + std::string(length - at, 'b');
        const std::string expected = OracleParagraph(text);
        for (const char* behind : {"behind it", "\xC2\xA1", "  x"}) {
          const std::string longer = text + behind;
          std::string document;
          ParagraphWriter writer(&document);
          writer.Text(std::string_view(longer).substr(0, text.size()));
          writer.EndParagraph();
          ASSERT_EQ(document, expected.empty() ? "" : "\x1c" + expected) << static_cast<int>(c[0]) << " in " << text;
          if (IsMark(c[0])) continue;
          std::string buffer;
          ASSERT_EQ(PlainParagraph(std::string_view(longer).substr(0, text.size()), &buffer), expected)
              << static_cast<int>(c[0]) << " in " << text;
        }
      }
    }
  }
}

// In its own words: as CleanParagraph without marks, and the text itself where nothing is to be done.
TEST(PlainParagraph, IsTheCleanTextOrTheTextItself) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = *RawText(true);
    std::string buffer = "before";
    const std::string_view plain = PlainParagraph(text, &buffer);
    RC_ASSERT(plain == CleanParagraph(StripMarks(text)));
    RC_ASSERT((plain == text) == (plain.data() == text.data()));
  }));
  // All short texts of few characters: long ones hardly ever need nothing done.
  const std::vector<std::string> alphabet = {"a", "!", " ", "\n", "　", "\xC2\xA0", "\xC2\xA1", "\x02"};
  std::vector<std::string> texts = {""};
  for (size_t at = 0; at < texts.size() && texts.size() < 10'000; ++at) {
    for (const std::string& c : alphabet) texts.push_back(texts[at] + c);
  }
  for (const std::string& text : texts) {
    std::string buffer;
    const std::string_view plain = PlainParagraph(text, &buffer);
    const std::string clean = CleanParagraph(StripMarks(text));
    ASSERT_EQ(plain, clean) << text;
    EXPECT_EQ(PlainParagraph(clean, &buffer).data(), clean.data()) << text;
  }
}

TEST(PlainParagraph, ShownTextIsTakenAsItIs) {
  std::string buffer;
  const ParagraphView code = {"body>pre", "\x02  a\x03\n\x1f\n\tb ", kNoScore, "code", true};
  EXPECT_EQ(PlainParagraph(code, &buffer), "  a\n\n\tb ");
  const ParagraphView original = {"body>pre", "\x02  a\x03\n\tb ", kNoScore, "", false};
  EXPECT_EQ(PlainParagraph(original, &buffer), "a\nb");
}

}  // namespace
}  // namespace uzushio
