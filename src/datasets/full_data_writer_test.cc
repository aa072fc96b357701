#include "datasets/full_data_writer.h"

#include <arrow/array.h>
#include <arrow/io/file.h>
#include <arrow/table.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/test_support.h"
#include "datasets/json_text.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

struct Page {
  Document document;
  FullData full;
};

Page MakePage(int number, const std::string& language, size_t body_bytes) {
  Page page;
  page.document.doc_id = "id" + std::to_string(number);
  page.document.url = "http://example.jp/" + std::to_string(number);
  page.document.charset = "UTF-8";
  page.document.language = language;
  page.document.text =
      "body>p\x1cあ\x02い😀\x03う\n\nbody>p\x1d"
      "07\x1c\x02え\x03";
  page.document.paragraphs = 2;
  page.full.is_html = number % 2 == 0;
  page.full.body = std::string(body_bytes, static_cast<char>('a' + number % 26));
  page.full.http_headers = {{"A", "1", "", true}, {"A", "", "", true}, {"B", "", "B: \xFF", false}};
  page.full.metadata = {{"author", "私", "", true}};
  return page;
}

class FullDataWriterTest : public FolderTest {
 protected:
  std::vector<WrittenFile> Write(const std::string& folder, const std::vector<Page>& pages, ShardFormat format) const {
    FullDataWriter writer(root_ / folder, "part", format);
    for (const Page& page : pages) EXPECT_TRUE(writer.Append(page.document, page.full).ok());
    const auto files = writer.Finish();
    EXPECT_TRUE(files.ok()) << files.status();
    return files.ValueOr({});
  }
  std::shared_ptr<arrow::Table> ReadTable(const std::string& path, int* row_groups = nullptr) const {
    auto file = *arrow::io::ReadableFile::Open((root_ / path).string());
    auto reader = *parquet::arrow::OpenFile(file, arrow::default_memory_pool());
    if (row_groups != nullptr) *row_groups = reader->num_row_groups();
    return *(*reader->ReadTable())->CombineChunks();
  }
};

TEST_F(FullDataWriterTest, ARowHasAllOfAPage) {
  Write("a", {MakePage(0, "ja", 3)}, ShardFormat::kParquet);
  const auto table = ReadTable("a/.uzushio/full-data/language=ja/part.pq");
  EXPECT_TRUE(table->schema()->Equals(*FullDataSchema(), false)) << table->schema()->ToString();
  const auto batch = *table->CombineChunksToBatch();
  std::string text;
  ASSERT_TRUE(AppendJson(*batch, 0, &text).ok());
  const auto line = nlohmann::json::parse(text);
  const auto expected = nlohmann::json::parse(R"({
    "docId": "id0", "url": "http://example.jp/0", "charset": "UTF-8", "mediaType": "html", "title": "",
    "metadata": [{"name": "author", "value": "私"}], "warcHeaders": [],
    "httpHeaders": [{"name": "A", "value": "1", "bytes": null}, {"name": "A", "value": "", "bytes": null},
                    {"name": "B", "value": null, "bytes": "Qjog/w=="}],
    "body": "YWFh",
    "paragraphs": [{"path": "body>p", "text": "あい😀う", "score": null, "links": [{"begin": 1, "end": 3}]},
                   {"path": "body>p", "text": "え", "score": 7, "links": [{"begin": 0, "end": 1}]}]})");
  EXPECT_EQ(line, expected) << line.dump();
}

// More than is held in memory, in languages that take turns.
TEST_F(FullDataWriterTest, ManyRowGroupsAreTheSameBytesEachTime) {
  std::vector<Page> pages;
  for (int i = 0; i < 30; ++i) pages.push_back(MakePage(i, i % 3 == 0 ? "ja" : "en", static_cast<size_t>(i) * 100'000));
  for (const ShardFormat format : {ShardFormat::kParquet, ShardFormat::kJsonGzip, ShardFormat::kJsonZstd}) {
    const std::string name = EndingOf(format);
    const auto first = Write("a" + name, pages, format);
    const auto second = Write("b" + name, pages, format);
    ASSERT_EQ(first.size(), 2U);
    for (size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(first[i].path,
                ".uzushio/full-data/language=" + std::string(i == 0 ? "en" : "ja") + "/part" + OwnEndingOf(format));
      EXPECT_EQ(first[i].xxh64, second[i].xxh64);
      EXPECT_EQ(first[i].rows, i == 0 ? 20 : 10);
      EXPECT_EQ(static_cast<uintmax_t>(first[i].bytes), fs::file_size(root_ / ("a" + name) / first[i].path));
    }
  }
  int row_groups = 0;
  const auto table = ReadTable("a.parquet/.uzushio/full-data/language=en/part.pq", &row_groups);
  EXPECT_GT(row_groups, 1);
  const auto& bodies = static_cast<const arrow::BinaryArray&>(*table->GetColumnByName("body")->chunk(0));
  int64_t row = 0;
  for (const Page& page : pages) {
    if (page.document.language == "en") EXPECT_TRUE(bodies.GetView(row++) == page.full.body);
  }
  EXPECT_EQ(row, table->num_rows());
}

TEST_F(FullDataWriterTest, NoPagesAreNoFiles) {
  EXPECT_TRUE(Write("a", {}, ShardFormat::kJsonGzip).empty());
  EXPECT_FALSE(fs::exists(root_ / "a"));
}

TEST_F(FullDataWriterTest, AFolderThatCannotBeWrittenIsAnError) {
  std::ofstream(root_ / "file") << "x";
  FullDataWriter writer(root_ / "file", "part", ShardFormat::kParquet);
  const Page page = MakePage(1, "ja", 10);
  const bool appended = writer.Append(page.document, page.full).ok();
  EXPECT_FALSE(appended && writer.Finish().ok());
}

}  // namespace
}  // namespace uzushio
