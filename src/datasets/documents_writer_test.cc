#include "datasets/documents_writer.h"

#include <arrow/array.h>
#include <arrow/io/file.h>
#include <arrow/table.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "base/test_support.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

class DocumentsWriterTest : public FolderTest {
 protected:
  std::vector<WrittenFile> Write(const std::string& folder, const std::vector<Document>& documents) const {
    DocumentsWriter writer(root_ / folder, "part");
    for (const Document& document : documents) EXPECT_TRUE(writer.Append(document).ok());
    const auto files = writer.Finish();
    EXPECT_TRUE(files.ok()) << files.status();
    return files.ValueOr({});
  }
  static std::string Bytes(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::shared_ptr<arrow::Table> ReadTable(const std::string& path, int* row_groups = nullptr) const {
    auto file = *arrow::io::ReadableFile::Open((root_ / path).string());
    auto reader = *parquet::arrow::OpenFile(file, arrow::default_memory_pool());
    if (row_groups != nullptr) *row_groups = reader->num_row_groups();
    return *(*reader->ReadTable())->CombineChunks();
  }
  // The rows of a file as documents, without their language.
  std::vector<Document> Read(const std::string& path, int* row_groups = nullptr) const {
    const auto table = ReadTable(path, row_groups);
    const auto text = [&](int column, int64_t row) {
      return std::static_pointer_cast<arrow::StringArray>(table->column(column)->chunk(0))->GetString(row);
    };
    const auto number = [&](int column, int64_t row) {
      return std::static_pointer_cast<arrow::Int64Array>(table->column(column)->chunk(0))->Value(row);
    };
    std::vector<Document> documents;
    for (int64_t row = 0; row < table->num_rows(); ++row) {
      documents.push_back({.doc_id = text(0, row),
                           .url = text(1, row),
                           .charset = text(2, row),
                           .language = {},
                           .text = text(3, row),
                           .date = text(4, row),
                           .warc = text(5, row),
                           .offset = number(6, row),
                           .length = number(7, row),
                           .title = text(8, row),
                           .robots = text(9, row),
                           .license = text(10, row)});
    }
    return documents;
  }
};

Document Make(int number, const std::string& language, size_t text_bytes) {
  const std::string n = std::to_string(number);
  return {.doc_id = "id" + n,
          .url = "http://例.jp/" + n,
          .charset = number % 2 == 0 ? "UTF-8" : "Shift_JIS",
          .language = language,
          .text = "body>p\x1c" + n + std::string(text_bytes, static_cast<char>('a' + number % 26)),
          .date = number % 3 == 0 ? "" : "2020-01-02T03:04:05",
          .warc = "in/x.warc.gz",
          .offset = int64_t{1} << 40,
          .length = number,
          .title = number % 3 == 1 ? "" : "題" + n,
          .robots = number % 2 == 0 ? "" : "noai\nccbot: noindex",
          .license = number % 5 == 0 ? "rel https://creativecommons.org/licenses/by/4.0/" : ""};
}

void ExpectEqual(const Document& a, const Document& b) {
  EXPECT_EQ(a.doc_id, b.doc_id);
  EXPECT_EQ(a.url, b.url);
  EXPECT_EQ(a.charset, b.charset);
  EXPECT_TRUE(a.text == b.text) << a.doc_id;
  EXPECT_EQ(a.date, b.date);
  EXPECT_EQ(a.warc, b.warc);
  EXPECT_EQ(a.offset, b.offset);
  EXPECT_EQ(a.length, b.length);
  EXPECT_EQ(a.title, b.title);
  EXPECT_EQ(a.robots, b.robots);
  EXPECT_EQ(a.license, b.license);
}

TEST_F(DocumentsWriterTest, RowsComeBackByLanguage) {
  const std::vector<Document> documents = {Make(1, "ja", 10), Make(2, "en", 0), Make(3, "ja", 1000)};
  const auto files = Write("a", documents);
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].path, "language=en/part.parquet");
  EXPECT_EQ(files[0].rows, 1);
  EXPECT_EQ(files[1].path, "language=ja/part.parquet");
  EXPECT_EQ(files[1].rows, 2);
  const auto english = Read("a/language=en/part.parquet");
  ASSERT_EQ(english.size(), 1U);
  ExpectEqual(english[0], documents[1]);
  const auto japanese = Read("a/language=ja/part.parquet");
  ASSERT_EQ(japanese.size(), 2U);
  ExpectEqual(japanese[0], documents[0]);
  ExpectEqual(japanese[1], documents[2]);
}

TEST_F(DocumentsWriterTest, TheSchemaIsTheOneThatIsTold) {
  Write("a", {Make(1, "ja", 10)});
  const auto schema = ReadTable("a/language=ja/part.parquet")->schema();
  EXPECT_TRUE(schema->Equals(*DocumentsSchema(), /*check_metadata=*/false)) << schema->ToString();
  for (const auto& field : schema->fields()) EXPECT_FALSE(field->nullable()) << field->name();
}

TEST_F(DocumentsWriterTest, WrittenFilesHaveTheirSizeAndChecksum) {
  for (const WrittenFile& file : Write("a", {Make(1, "ja", 100'000), Make(2, "en", 5)})) {
    const std::string bytes = Bytes(root_ / "a" / file.path);
    EXPECT_EQ(file.bytes, static_cast<int64_t>(bytes.size()));
    std::array<char, 17> hash{};
    std::snprintf(hash.data(), hash.size(), "%016llx",
                  static_cast<unsigned long long>(XXH64(bytes.data(), bytes.size(), 0)));
    EXPECT_EQ(file.xxh64, hash.data());
  }
}

// More than is held in memory, in languages that take turns and of sizes apart.
TEST_F(DocumentsWriterTest, ManyRowGroupsAreTheSameBytesEachTime) {
  std::vector<Document> documents;
  const std::vector<std::string> languages = {"ja", "en", "de", "und"};
  for (int i = 0; i < 60; ++i) {
    const auto size = static_cast<size_t>(i % 7) * 300'000;
    documents.push_back(Make(i, languages[static_cast<size_t>(i % 3 == 0 ? 0 : i % 4)], size));
  }
  const auto first = Write("a", documents);
  const auto second = Write("b", documents);
  ASSERT_EQ(first.size(), 4U);
  ASSERT_EQ(second.size(), 4U);
  int most_row_groups = 0;
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].xxh64, second[i].xxh64);
    EXPECT_TRUE(Bytes(root_ / "a" / first[i].path) == Bytes(root_ / "b" / second[i].path)) << first[i].path;
    int row_groups = 0;
    const auto rows = Read("a/" + first[i].path, &row_groups);
    most_row_groups = std::max(most_row_groups, row_groups);
    EXPECT_EQ(first[i].rows, static_cast<int64_t>(rows.size()));
    size_t row = 0;
    for (const Document& document : documents) {
      if (first[i].path != "language=" + document.language + "/part.parquet") continue;
      ASSERT_LT(row, rows.size());
      ExpectEqual(rows[row++], document);
    }
    EXPECT_EQ(row, rows.size());
  }
  EXPECT_GT(most_row_groups, 1);
}

TEST_F(DocumentsWriterTest, NoDocumentsAreNoFiles) {
  EXPECT_TRUE(Write("a", {}).empty());
  EXPECT_FALSE(fs::exists(root_ / "a"));
}

TEST_F(DocumentsWriterTest, FilesOfAStoppedRunAreWrittenAgain) {
  fs::create_directories(root_ / "a/language=ja");
  std::ofstream(root_ / "a/language=ja/part.parquet") << std::string(100'000, 'x');
  Write("a", {Make(1, "ja", 10)});
  EXPECT_EQ(Read("a/language=ja/part.parquet").size(), 1U);
}

TEST_F(DocumentsWriterTest, AFolderThatCannotBeWrittenIsAnError) {
  std::ofstream(root_ / "file") << "x";
  DocumentsWriter writer(root_ / "file", "part");
  const bool appended = writer.Append(Make(1, "ja", 10)).ok();
  EXPECT_FALSE(appended && writer.Finish().ok());
}

}  // namespace
}  // namespace uzushio
