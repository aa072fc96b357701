#include "datasets/parquet_file.h"

#include <arrow/api.h>
#include <arrow/filesystem/localfs.h>
#include <arrow/io/file.h>
#include <arrow/util/byte_size.h>
#include <gmock/gmock.h>
#include <parquet/arrow/writer.h>
#include <parquet/metadata.h>

#include <fstream>

#include "base/stop.h"
#include "base/test_support.h"
#include "storage/output_names.h"

namespace uzushio {
namespace {

class ParquetFile : public FolderTest {
 protected:
  // One row group with the texts, and their numbers.
  InputFile File(const std::vector<std::string>& texts, bool dictionary) const {
    arrow::StringBuilder builder;
    arrow::Int64Builder numbers;
    for (size_t i = 0; i < texts.size(); ++i) {
      EXPECT_TRUE(builder.Append(texts[i]).ok() && numbers.Append(static_cast<int64_t>(i)).ok());
    }
    const auto table =
        arrow::Table::Make(arrow::schema({arrow::field("text", arrow::utf8()), arrow::field("number", arrow::int64())}),
                           {builder.Finish().ValueOrDie(), numbers.Finish().ValueOrDie()});
    const std::string path = root_ / "a.parquet";
    const auto out = arrow::io::FileOutputStream::Open(path).ValueOrDie();
    parquet::WriterProperties::Builder properties;
    properties.compression(parquet::Compression::ZSTD)->write_batch_size(1);
    if (!dictionary) properties.disable_dictionary();
    EXPECT_TRUE(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), out,
                                           std::max<int64_t>(1, table->num_rows()), properties.build())
                    .ok());
    EXPECT_TRUE(out->Close().ok());
    return {"a.parquet", path, 0, std::make_shared<arrow::fs::LocalFileSystem>()};
  }

  arrow::Status Read(const InputFile& file, const RowGroupOptions& options,
                     const std::function<arrow::Status(const arrow::RecordBatch&)>& use) const {
    ARROW_ASSIGN_OR_RAISE(const auto metadata, ReadParquetMetadata(file));
    EXPECT_EQ(metadata->num_row_groups(), 1);
    return ReadRowGroup(file, metadata, 0, options, use);
  }

  // Reads texts and compares them with those written; the batches are kept to the end.
  arrow::Status ReadAndCompare(const std::vector<std::string>& texts, bool dictionary, const ReaderMemory& memory) {
    const InputFile file = File(texts, dictionary);
    size_t row = 0;
    most_rows_ = 0;
    std::vector<std::shared_ptr<arrow::RecordBatch>> kept;
    ARROW_RETURN_NOT_OK(Read(file, {.memory = memory}, [&](const arrow::RecordBatch& batch) {
      kept.push_back(batch.Slice(0));
      const auto& read = static_cast<const arrow::StringArray&>(*batch.column(0));
      for (int64_t i = 0; i < batch.num_rows(); ++i) {
        EXPECT_LT(row, texts.size());
        if (row < texts.size()) EXPECT_TRUE(read.GetView(i) == texts[row]) << row;
        EXPECT_EQ(static_cast<const arrow::Int64Array&>(*batch.column(1)).Value(i), static_cast<int64_t>(row));
        ++row;
      }
      most_rows_ = std::max(most_rows_, batch.num_rows());
      return arrow::Status::OK();
    }));
    EXPECT_EQ(row, texts.size());
    return arrow::Status::OK();
  }
  int64_t most_rows_ = 0;
};

std::string Text(size_t number, size_t bytes) {
  std::string text = std::to_string(number) + " ";
  while (text.size() < bytes) text += static_cast<char>('a' + (text.size() * 7 + number) % 26);
  return text;
}

TEST_F(ParquetFile, IsReadInBatchesByBytes) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < 3000; ++i) texts.push_back(Text(i, 100));
  ASSERT_TRUE(ReadAndCompare(texts, false, {}).ok());
  EXPECT_EQ(most_rows_, 1024);
  for (std::string& text : texts) text = Text(text.size(), 20'000);
  ASSERT_TRUE(ReadAndCompare(texts, false, {}).ok());
  EXPECT_LE(most_rows_, 256);
}

// A row group of 60 MB by a thread that has 8.
TEST_F(ParquetFile, MayBeLargerThanTheMemory) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < 60; ++i) texts.push_back(Text(i, 1'000'000));
  const arrow::Status status = ReadAndCompare(texts, false, {8 * kMiB, 4 * kMiB, 100 * kMiB, 2});
  EXPECT_TRUE(status.ok()) << status;
}

// Small rows, then large ones: the batch that is too large is read again in smaller ones.
TEST_F(ParquetFile, MayHoldRowsOfAllSizes) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < 2000; ++i) texts.push_back(Text(i, 50));
  for (size_t i = 0; i < 30; ++i) texts.push_back(Text(i, 1'000'000));
  for (size_t i = 0; i < 2000; ++i) texts.push_back(Text(i, 50));
  const arrow::Status status = ReadAndCompare(texts, false, {8 * kMiB, 4 * kMiB, 100 * kMiB, 2});
  EXPECT_TRUE(status.ok()) << status;
}

// A page of some kilobytes may stand for gigabytes: one text of a dictionary, again and again.
TEST_F(ParquetFile, MayNameALongTextManyTimes) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < 2000; ++i) texts.push_back(Text(i, 50));
  texts.insert(texts.end(), 300, Text(1, 500'000));
  const arrow::Status status = ReadAndCompare(texts, true, {8 * kMiB, 4 * kMiB, 100 * kMiB, 2});
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(ParquetFile, IsRefusedWithTheMemoryThatWouldDo) {
  const std::vector<std::string> texts = {Text(0, 100), Text(1, 30 * kMiB)};
  const ReaderMemory little = {8 * kMiB, 4 * kMiB, 100 * kMiB, 2};
  const arrow::Status refused = ReadAndCompare(texts, false, little);
  ASSERT_TRUE(refused.IsInvalid()) << refused;
  EXPECT_NE(refused.message().find("row group 0: reading it takes at least "), std::string::npos) << refused;
  EXPECT_NE(refused.message().find("--memory "), std::string::npos) << refused;
  const arrow::Status record = ReadAndCompare(texts, false, {300 * kMiB, 20 * kMiB, 100 * kMiB, 2});
  ASSERT_TRUE(record.IsInvalid()) << record;
  EXPECT_NE(record.message().find("a record takes at least 31MiB"), std::string::npos) << record;
  EXPECT_TRUE(ReadAndCompare(texts, false, {300 * kMiB, 40 * kMiB, 100 * kMiB, 2}).ok());
}

TEST_F(ParquetFile, MayHaveNothingYetInAnOutputThatIsNotComplete) {
  const auto files = std::make_shared<arrow::fs::LocalFileSystem>();
  std::ofstream(root_ / "a.parquet") << "";
  const InputFile file{"a.parquet", (root_ / "a.parquet").string(), 0, files};
  EXPECT_TRUE(ReadParquetMetadata(file).status().IsIOError());
  std::ofstream(root_ / kIncompleteMark) << "{}";
  const arrow::Status status = ReadParquetMetadata(file).status();
  EXPECT_TRUE(status.IsInvalid());
  EXPECT_THAT(status.message(), testing::HasSubstr("not complete; run its stage again: a.parquet: no readable"));
  std::ofstream(root_ / "a.parquet") << "PAR1, cut off";
  EXPECT_THAT(ReadParquetMetadata(file).status().ToString(),
              testing::StartsWith("IOError: a.parquet: no readable Parquet file: "));
}

TEST_F(ParquetFile, IsLeftWhenAskedToStop) {
  const InputFile file = File(std::vector<std::string>(5000, "text"), true);
  arrow::StopSource stop;
  const StopScope scope(stop.token());
  int64_t rows = 0;
  const arrow::Status status = Read(file, {}, [&](const arrow::RecordBatch& batch) {
    rows += batch.num_rows();
    stop.RequestStop();
    return arrow::Status::OK();
  });
  EXPECT_TRUE(status.IsCancelled());
  EXPECT_LT(rows, 5000);
}

}  // namespace
}  // namespace uzushio
