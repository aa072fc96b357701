#include "document/markup.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "base/test_support.h"
#include "document/paragraph_writer.h"

namespace uzushio {
namespace {

std::string Segment(std::string_view tag, std::string_view classes, std::string_view id) {
  std::string path;
  AppendPathSegment(tag, classes, id, &path);
  return path;
}

TEST(AppendPathSegment, WritesASelector) {
  EXPECT_EQ(Segment("p", "", ""), "p");
  EXPECT_EQ(Segment("div", " a  b\tc\n", "d"), "div.a.b.c#d");
  EXPECT_EQ(Segment("x-y", "", "日本"), "x-y#日本");
}

TEST(AppendPathSegment, EscapesWhatWouldBreakTheGrammar) {
  EXPECT_EQ(Segment("p", "a>b c.d e#f g\\h", "i.j"), "p.a\\>b.c\\.d.e\\#f.g\\\\h#i\\.j");
  EXPECT_EQ(Segment("p",
                    "a\x02\x03\x1c"
                    "b",
                    "c d\n\ne"),
            "p.ab#cde");
}

TEST(AppendPathSegment, CutsBetweenCharactersEscapesAndNames) {
  EXPECT_TRUE(rc::check([] {
    const auto parts = *rc::gen::container<std::vector<std::string>>(
        rc::gen::elementOf(std::vector<std::string>{"あ", "x", ".", " ", "\\", "#"}));
    std::string classes;
    for (int i = 0; i < 40; ++i) {
      for (const std::string& part : parts) classes += part;
    }
    const std::string path = Segment("div", classes, classes);
    RC_ASSERT(path.size() <= kMaxSegmentBytes);
    RC_ASSERT(path.back() != '\0' && (path.size() < 2 || path.back() != '.' || path[path.size() - 2] == '\\'));
    size_t continuation = 0;
    for (size_t i = 0; i < path.size(); ++i) {
      const auto byte = static_cast<unsigned char>(path[i]);
      if (continuation > 0) RC_ASSERT((byte & 0xC0) == 0x80);
      continuation = continuation > 0 ? continuation - 1 : byte == 0xE3 ? 2 : 0;
      if (path[i] == '\\') {
        ++i;
        RC_ASSERT(i < path.size());
      }
    }
    RC_ASSERT(continuation == 0U);
  }));
}

// Paths and texts as extraction writes them come back as they were.
TEST(Paragraphs, RoundTrip) {
  EXPECT_TRUE(rc::check([] {
    const auto piece =
        rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::vector<std::string>{
                         "a", "あ", " ", "\n", "　", ">", ".", "#", "\\", "\x02", "\x03", "\x1c"})),
                     [](const std::vector<std::string>& parts) {
                       std::string text;
                       for (const std::string& part : parts) text += part;
                       return text;
                     });
    const auto raw = *rc::gen::container<std::vector<std::pair<std::string, std::string>>>(rc::gen::pair(piece, piece));
    std::vector<std::pair<std::string, std::string>> clean;
    for (const auto& [path, text] : raw) {
      const std::string cleaned = CleanParagraph(text);
      if (!cleaned.empty()) clean.emplace_back(Segment("p", path, path), cleaned);
    }
    std::vector<ParagraphView> paragraphs;
    for (const auto& [path, text] : clean) {
      paragraphs.push_back({path, text, *rc::gen::inRange<uint8_t>(0, kNoScore + 1)});
    }
    const std::string document = EncodeParagraphs(paragraphs);
    RC_ASSERT(DecodeParagraphs(document) == paragraphs);
  }));
}

TEST(Paragraphs, AnyStringDecodes) {
  EXPECT_TRUE(rc::check([](const std::string& document) {
    for (const ParagraphView& paragraph : DecodeParagraphs(document)) RC_ASSERT(!paragraph.text.empty());
    RC_ASSERT(DecodeParagraphs(document).size() <= MostParagraphs(document));
  }));
  EXPECT_EQ(DecodeParagraphs("no path\n\n\n\np\x1c\n\np\x1c"
                             "text"),
            (std::vector<ParagraphView>{{"", "no path"}, {"p", "text"}}));
}

TEST(Paragraphs, AreAtMostOneMoreThanSeparators) {
  for (const char* document : {"", "a", "a\nb", "a\n\nb", "a\n\nb\n\n", "\n\n\na\n\n\n\nb"}) {
    EXPECT_LE(DecodeParagraphs(document).size(), MostParagraphs(document)) << document;
  }
  EXPECT_EQ(MostParagraphs("a\n\nb\nc\n\nd"), 3U);
  EXPECT_EQ(MostParagraphs("\n\n\n"), 2U);
}

TEST(Paragraphs, ScoresStandBehindThePath) {
  EXPECT_EQ(DecodeParagraphs("p\x1d"
                             "07\x1c"
                             "a\n\n\x1d"
                             "99\x1c"
                             "b\n\np\x1c"
                             "c"),
            (std::vector<ParagraphView>{{"p", "a", 7}, {"", "b", 99}, {"p", "c", kNoScore}}));
  EXPECT_EQ(EncodeParagraphs({{"p", "a", 7}, {"", "b", 99}, {"p", "c"}}),
            "p\x1d"
            "07\x1c"
            "a\n\n\x1d"
            "99\x1c"
            "b\n\np\x1c"
            "c");
  // What is no score is of the path.
  for (const std::string path : {"p\x1d",
                                 "p\x1d"
                                 "7",
                                 "p\x1d"
                                 "123",
                                 "p\x1d"
                                 "1x",
                                 "p\x1d"
                                 "x1",
                                 "p07", "7"}) {
    EXPECT_EQ(DecodeParagraphs(path + "\x1c"
                                      "a"),
              (std::vector<ParagraphView>{{path, "a"}}));
  }
}

// Names of which much is left out, so that the segment is short though the names are long.
TEST(AppendPathSegment, IsUtf8WhateverIsLeftOut) {
  for (size_t filler = 200; filler < 1100; ++filler) {
    for (const char left_out : {' ', '\x01', '\x7f'}) {
      const std::string name = std::string(filler, left_out) + "あいう";
      for (const std::string& segment : {Segment("p", "", name), Segment("p", name, ""), Segment(name, "", "")}) {
        ASSERT_TRUE(IsUtf8(segment)) << filler << " " << static_cast<int>(left_out);
        ASSERT_LE(segment.size(), kMaxSegmentBytes);
      }
    }
  }
}

// Of 256 bytes, what is whole; none is a mark without a name, or half of an escape.
TEST(AppendPathSegment, IsCutAtItsMost) {
  for (size_t length = 240; length < 270; ++length) {
    const std::string tag(length, 'x');
    const std::string name = tag.substr(2);
    EXPECT_EQ(Segment(tag, "", ""), tag.substr(0, 256));
    EXPECT_EQ(Segment(tag, "a", ""), length < 255 ? tag + ".a" : tag.substr(0, 256));
    EXPECT_EQ(Segment(tag, "", "a"), length < 255 ? tag + "#a" : tag.substr(0, 256));
    EXPECT_EQ(Segment(tag, "..", ""), length < 252   ? tag + ".\\.\\."
                                      : length < 254 ? tag + ".\\."
                                                     : tag.substr(0, 256));
    EXPECT_EQ(Segment(tag + "..", "", ""), length < 253   ? tag + "\\.\\."
                                           : length < 255 ? tag + "\\."
                                                          : tag.substr(0, 256));
    EXPECT_EQ(Segment("p", name, "a"), length < 255 ? "p." + name + "#a" : ("p." + name).substr(0, 256));
    EXPECT_EQ(Segment("p", name + " a b", ""), length < 253   ? "p." + name + ".a.b"
                                               : length < 255 ? "p." + name + ".a"
                                                              : ("p." + name).substr(0, 256));
  }
  EXPECT_EQ(Segment(std::string(300, '\\'), "", ""), std::string(256, '\\'));
  EXPECT_EQ(Segment("p", std::string(1000, ' ') + "a", ""), "p.a");
}

TEST(AppendPathSegment, MarksHaveNames) {
  EXPECT_EQ(Segment("p", " \t ", " "), "p");
  EXPECT_EQ(Segment("p", "\x01 a \x02", "\n"), "p.a");
}

TEST(AppendPathSegment, AppendsBehindWhatIsThere) {
  std::string path = "body>";
  AppendPathSegment("p", std::string(1000, 'x'), "", &path);
  EXPECT_EQ(path, "body>p." + std::string(254, 'x'));
  path = std::string(1000, 'x') + ">";
  const std::string before = path;
  AppendPathSegment("p", "a b", "c", &path);
  EXPECT_EQ(path, before + "p.a.b#c");
}

TEST(StripMarks, TakesTheMarksOnly) {
  EXPECT_EQ(StripMarks("a \x02"
                       "b\x03\n\x1c"
                       "c"),
            "a b\n\x1c"
            "c");
  EXPECT_EQ(StripMarks(""), "");
}

TEST(Paragraphs, StructuresStandBehindThePath) {
  const std::vector<ParagraphView> paragraphs = {
      {"body>li", "a", kNoScore, "ul.1", true}, {"", "  b\n\x1f\nc", 7, "", true}, {"body>p", "d", 99, "", false}};
  const std::string document = EncodeParagraphs(paragraphs);
  EXPECT_EQ(document,
            "body>li\x1eul.1\x1c"
            "a\n\n\x1e\x1d"
            "07\x1c  b\n\x1f\nc\n\nbody>p\x1d"
            "99\x1c"
            "d");
  EXPECT_EQ(DecodeParagraphs(document), paragraphs);
}

TEST(StripMarks, BlankLinesBecomeBlank) {
  EXPECT_EQ(StripMarks("a\n\x1f\n  \x0e"
                       "b\x0f\t\x16"
                       "c"),
            "a\n\n  b\tc");
}

TEST(ParagraphReader, ViewsLieInTheDocument) {
  const std::string document =
      "p\x1c"
      "a\n\nq\x1c"
      "b";
  ParagraphReader reader(document);
  while (const auto paragraph = reader.Next()) {
    EXPECT_GE(paragraph->text.data(), document.data());
    EXPECT_LE(paragraph->text.data() + paragraph->text.size(), document.data() + document.size());
  }
  EXPECT_FALSE(reader.Next());
}

}  // namespace
}  // namespace uzushio
