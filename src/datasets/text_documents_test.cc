#include "datasets/text_documents.h"

#include <arrow/filesystem/localfs.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <fstream>
#include <vector>

#include "base/test_support.h"

namespace uzushio {
namespace {

using testing::ElementsAre;
using Texts = std::vector<std::string>;

class DocumentsOfText : public FolderTest {
 protected:
  InputFile Write(const std::string& name, const std::string& text) const {
    const std::string path = root_ / name;
    const std::string bytes = name.ends_with(".gz") ? Gzip(text) : text;
    std::ofstream(path, std::ios::binary) << bytes;
    return {name, path, static_cast<int64_t>(bytes.size()), std::make_shared<arrow::fs::LocalFileSystem>()};
  }

  // The documents of the part of a file.
  static Texts Read(const InputFile& file, const std::string& delimiter, int64_t begin = 0,
                    int64_t end = int64_t{1} << 40) {
    TextDocumentReader reader(file, delimiter, begin, end, {});
    Texts texts;
    while (true) {
      bool too_long = false;
      const auto text = reader.Next(&too_long);
      EXPECT_TRUE(text.ok()) << text.status();
      if (!text.ok() || !*text) return texts;
      EXPECT_FALSE(too_long);
      texts.emplace_back(**text);
    }
  }
  Texts ReadText(const std::string& text, const std::string& delimiter, const std::string& name = "a.txt") const {
    return Read(Write(name, text), delimiter);
  }
};

TEST_F(DocumentsOfText, ArePartedByEmptyLines) {
  EXPECT_THAT(ReadText("a\nb\n\nc\n\n\n\n\nd\n", "\n\n"), ElementsAre("a\nb", "c", "d"));
  EXPECT_THAT(ReadText("\n\na\r\n\r\nb", "\n\n"), ElementsAre("a", "b"));
  EXPECT_THAT(ReadText("", "\n\n"), ElementsAre());
  EXPECT_THAT(ReadText("\n\n\n", "\n\n"), ElementsAre());
  EXPECT_THAT(ReadText("a\n\nb", "\n\n", "a.txt.gz"), ElementsAre("a", "b"));
}

TEST_F(DocumentsOfText, AreLines) { EXPECT_THAT(ReadText("a\n\nb\r\nc", "\n"), ElementsAre("a", "b", "c")); }

TEST_F(DocumentsOfText, ArePartedByAnything) {
  EXPECT_THAT(ReadText("a\nb<>c<><>\nd<", "<>"), ElementsAre("a\nb", "c", "d<"));
  EXPECT_THAT(ReadText("a\n--\nb\n--\n", "\n--\n"), ElementsAre("a", "b"));
  EXPECT_THAT(ReadText("a\n\n\n\nb\n\nc", "\n\n\n"), ElementsAre("a", "b\n\nc"));
  EXPECT_THAT(ReadText("a\n<", "<"), ElementsAre("a"));
}

// Lines are read in pieces of a MiB.
TEST_F(DocumentsOfText, MayBeLong) {
  const std::string line = Repeat("あ", 1 << 20);
  EXPECT_THAT(ReadText(line + "\n" + line + "\n\nb", "\n\n"), ElementsAre(line + "\n" + line, "b"));
  EXPECT_THAT(ReadText(line + "|" + line + "|b", "|"), ElementsAre(line, line, "b"));
  EXPECT_EQ(ReadText(Repeat("a|", 1 << 20), "|").size(), size_t{1} << 20);  // in linear time
}

TEST_F(DocumentsOfText, SayWhatMemoryWouldDo) {
  const InputFile file = Write("a.txt", "a\n\n" + Repeat("b\n", 1 << 20));
  TextDocumentReader reader(file, "\n\n", 0, file.size, {int64_t{1} << 20, int64_t{1} << 20, int64_t{1} << 30, 4});
  bool too_long = false;
  EXPECT_EQ(**reader.Next(&too_long), "a");
  const auto second = reader.Next(&too_long);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.status().message(), testing::HasSubstr("the document at byte 3 "));
  EXPECT_THAT(second.status().message(), testing::HasSubstr("--memory "));
}

// However a file is cut, its parts have its documents, each once and in order.
TEST_F(DocumentsOfText, OfPartsAreThoseOfTheFile) {
  rc::check([this] {
    const auto letters = *rc::gen::container<std::string>(rc::gen::element('a', '\n', '\n', '\r'));
    const auto step = *rc::gen::inRange<int64_t>(1, 9);
    const InputFile file = Write("a.txt", letters);
    for (const char* delimiter : {"\n", "\n\n"}) {
      Texts of_parts;
      for (int64_t begin = 0; begin == 0 || begin < file.size; begin += step) {
        for (std::string& text : Read(file, delimiter, begin, begin + step)) of_parts.push_back(std::move(text));
      }
      RC_ASSERT(of_parts == Read(file, delimiter));
    }
  });
}

}  // namespace
}  // namespace uzushio
