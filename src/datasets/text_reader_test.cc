#include "datasets/text_reader.h"

#include <arrow/filesystem/localfs.h>

#include <fstream>
#include <vector>

#include "base/test_support.h"

namespace uzushio {
namespace {

class LinesOfText : public FolderTest {
 protected:
  InputFile File(const std::string& name, const std::string& text) const {
    const std::string path = root_ / name;
    const std::string bytes = name.ends_with(".gz") ? Gzip(text) : text;
    std::ofstream(path, std::ios::binary) << bytes;
    return {name, path, static_cast<int64_t>(bytes.size()), std::make_shared<arrow::fs::LocalFileSystem>()};
  }

  // The paragraphs of a plain text, and how often one was cut.
  std::vector<std::string> Paragraphs(const std::string& name, const std::string& text, size_t most) {
    const InputFile file = File(name, text);
    TextReaderOptions options;
    options.max_text_bytes = most;
    std::vector<std::string> paragraphs;
    const Split split = {&file, nullptr, 0, file.size};
    cuts_ = 0;
    const arrow::Status status = ReadTexts(
        split, options,
        [&](std::string_view paragraph) {
          paragraphs.emplace_back(paragraph);
          return arrow::Status::OK();
        },
        [](const QuarantinedRecord&) { return arrow::Status::OK(); }, &cuts_);
    EXPECT_TRUE(status.ok()) << status;
    return paragraphs;
  }
  using List = std::vector<std::string>;
  int64_t cuts_ = 0;
};

TEST_F(LinesOfText, MakeParagraphs) {
  EXPECT_EQ(Paragraphs("a.txt", "a\nb\r\n\r\nc\n\n\n\nd", 100), (List{"a\nb", "c", "d"}));
  EXPECT_EQ(cuts_, 0);
}

TEST_F(LinesOfText, AreWhereParagraphsAreCut) {
  EXPECT_EQ(Paragraphs("a.txt", "aaa\nbbb\nccc\n\nddd\n", 8), (List{"aaa\nbbb", "ccc", "ddd"}));
  EXPECT_EQ(cuts_, 1);
  EXPECT_EQ(Paragraphs("a.txt", "aaa\nbbbb\n\nc", 8), (List{"aaa\nbbbb", "c"}));
  EXPECT_EQ(cuts_, 0);
}

TEST_F(LinesOfText, AreCutBetweenCharacters) {
  const std::string text = Repeat("あ", 10);  // three bytes each
  for (const size_t most : {size_t{6}, size_t{7}, size_t{8}}) {
    EXPECT_EQ(Paragraphs("a.txt", text + "\n", most), (List{"ああ", "ああ", "ああ", "ああ", "ああ"})) << most;
    EXPECT_EQ(cuts_, 4);
  }
  EXPECT_EQ(Paragraphs("a.txt", text + "\nx\n", 8), (List{"ああ", "ああ", "ああ", "ああ", "ああ\nx"}));
  EXPECT_EQ(Paragraphs("a.txt", "abc\n" + text, 9), (List{"abc", "あああ", "あああ", "あああ", "あ"}));
  EXPECT_EQ(cuts_, 4);
}

TEST_F(LinesOfText, ThatEndBehindACutAreNoEmptyLines) {
  EXPECT_EQ(Paragraphs("a.txt", "aaaa\r\nbb\n", 4), (List{"aaaa", "bb"}));
  EXPECT_EQ(Paragraphs("a.txt", "aaaaaa\n\nbb\n", 4), (List{"aaaa", "aa", "bb"}));
}

TEST_F(LinesOfText, OfBytesThatAreNoUtf8AreCutSomewhere) {
  const std::string bytes(20, '\x80');
  std::string all;
  for (const std::string& split : Paragraphs("a.txt", bytes, 7)) {
    EXPECT_LE(split.size(), 7U);
    all += split;
  }
  EXPECT_EQ(all, bytes);
}

// What is cut does not depend on the blocks in which a file is read, nor is it lost.
TEST_F(LinesOfText, ThatNeverEndAreCutWhateverTheBlocks) {
  const std::string text = Repeat("aあ", 900'000);  // 3.6 MB
  const List plain = Paragraphs("a.txt", text, 1'234'567);
  EXPECT_EQ(plain, Paragraphs("a.txt.gz", text, 1'234'567));
  EXPECT_EQ(plain.size(), 3U);
  std::string all;
  for (const std::string& split : plain) {
    EXPECT_TRUE(IsUtf8(split));
    all += split;
  }
  EXPECT_TRUE(all == text);
}

}  // namespace
}  // namespace uzushio
