#include "storage/line_reader.h"

#include <arrow/filesystem/localfs.h>

#include <fstream>
#include <vector>

#include "base/stop.h"
#include "base/test_support.h"
#include "datasets/text_reader.h"

namespace uzushio {
namespace {

constexpr size_t kMega = size_t{1} << 20;

class Lines : public FolderTest {
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
    const Piece piece = {&file, nullptr, 0, file.size};
    cuts_ = 0;
    const arrow::Status status = ReadTexts(
        piece, options,
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

TEST_F(Lines, OfPlainTextAreParagraphs) {
  EXPECT_EQ(Paragraphs("a.txt", "a\nb\r\n\r\nc\n\n\n\nd", 100), (List{"a\nb", "c", "d"}));
  EXPECT_EQ(cuts_, 0);
}

TEST_F(Lines, AreWhereParagraphsAreCut) {
  EXPECT_EQ(Paragraphs("a.txt", "aaa\nbbb\nccc\n\nddd\n", 8), (List{"aaa\nbbb", "ccc", "ddd"}));
  EXPECT_EQ(cuts_, 1);
  EXPECT_EQ(Paragraphs("a.txt", "aaa\nbbbb\n\nc", 8), (List{"aaa\nbbbb", "c"}));
  EXPECT_EQ(cuts_, 0);
}

TEST_F(Lines, AreCutBetweenCharacters) {
  const std::string text = Repeat("あ", 10);  // three bytes each
  for (const size_t most : {size_t{6}, size_t{7}, size_t{8}}) {
    EXPECT_EQ(Paragraphs("a.txt", text + "\n", most), (List{"ああ", "ああ", "ああ", "ああ", "ああ"})) << most;
    EXPECT_EQ(cuts_, 4);
  }
  EXPECT_EQ(Paragraphs("a.txt", text + "\nx\n", 8), (List{"ああ", "ああ", "ああ", "ああ", "ああ\nx"}));
  EXPECT_EQ(Paragraphs("a.txt", "abc\n" + text, 9), (List{"abc", "あああ", "あああ", "あああ", "あ"}));
  EXPECT_EQ(cuts_, 4);
}

TEST_F(Lines, ThatEndBehindACutAreNoEmptyLines) {
  EXPECT_EQ(Paragraphs("a.txt", "aaaa\r\nbb\n", 4), (List{"aaaa", "bb"}));
  EXPECT_EQ(Paragraphs("a.txt", "aaaaaa\n\nbb\n", 4), (List{"aaaa", "aa", "bb"}));
}

TEST_F(Lines, OfBytesThatAreNoUtf8AreCutSomewhere) {
  const std::string bytes(20, '\x80');
  std::string all;
  for (const std::string& piece : Paragraphs("a.txt", bytes, 7)) {
    EXPECT_LE(piece.size(), 7U);
    all += piece;
  }
  EXPECT_EQ(all, bytes);
}

// What is cut does not depend on the blocks in which a file is read, nor is it lost.
TEST_F(Lines, ThatNeverEndAreCutWhateverTheBlocks) {
  const std::string text = Repeat("aあ", 900'000);  // 3.6 MB
  const List plain = Paragraphs("a.txt", text, 1'234'567);
  EXPECT_EQ(plain, Paragraphs("a.txt.gz", text, 1'234'567));
  EXPECT_EQ(plain.size(), 3U);
  std::string all;
  for (const std::string& piece : plain) {
    EXPECT_TRUE(IsUtf8(piece));
    all += piece;
  }
  EXPECT_TRUE(all == text);
}

// A bound of the memory never makes another result of a line: it is refused, or the same comes out.
TEST_F(Lines, ThatPassTheMemoryAreRefusedUnlessTheyAreTooLongAnyway) {
  const ReaderMemory memory = {4 * kMiB, kMiB, 100 * kMiB, 4};
  ASSERT_EQ(memory.line(), kMiB);
  const InputFile file = File("a.jsonl.gz", std::string(5 * kMega, 'x') + "\nshort\n");
  bool cut = false;
  LineReader bounded(file, 8 * kMega, memory);
  const auto refused = bounded.Next(&cut);
  ASSERT_TRUE(refused.status().IsInvalid());
  EXPECT_NE(refused.status().message().find("--memory 181MiB"), std::string::npos) << refused.status();

  for (const ReaderMemory& any : {memory, ReaderMemory{}}) {
    LineReader lines(file, 2 * kMega, any);
    auto line = lines.Next(&cut);
    ASSERT_TRUE(line.ok() && *line) << line.status();
    EXPECT_TRUE(cut);
    EXPECT_EQ((*line)->size(), kMega);
    EXPECT_EQ(lines.length(), static_cast<int64_t>(5 * kMega + 1));
    line = lines.Next(&cut);
    ASSERT_TRUE(line.ok() && *line);
    EXPECT_FALSE(cut);
    EXPECT_EQ(**line, "short");
    EXPECT_EQ(lines.offset(), static_cast<int64_t>(5 * kMega + 1));
    EXPECT_FALSE((*lines.Next(&cut)).has_value());
  }
}

TEST_F(Lines, EndWhenAskedTo) {
  const InputFile file = File("a.txt.gz", std::string(20 * kMega, 'x'));
  arrow::StopSource stop;
  const StopScope scope(stop.token());
  stop.RequestStop();
  LineReader lines(file, kMega);
  bool cut = false;
  EXPECT_TRUE(lines.Next(&cut).status().IsCancelled());
}

}  // namespace
}  // namespace uzushio
