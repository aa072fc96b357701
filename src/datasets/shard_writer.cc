#include "datasets/shard_writer.h"

#include <arrow/array.h>
#include <arrow/io/buffered.h>
#include <arrow/io/compressed.h>
#include <arrow/table.h>
#include <arrow/util/compression.h>
#include <fmt/format.h>
#include <parquet/arrow/schema.h>
#include <parquet/arrow/writer.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "datasets/columns.h"
#include "datasets/file_properties.h"
#include "datasets/json_text.h"
#include "storage/hashed_file.h"
#include "storage/output_names.h"

namespace uzushio {
namespace {

// Bytes of plain text that are written at once.
constexpr int64_t kTextBuffer = int64_t{1} << 20;
// Bytes of rows held before a row group is written.
constexpr int64_t kMaxHeldBytes = int64_t{12} << 20;

std::shared_ptr<parquet::WriterProperties> ShardProperties() {
  parquet::WriterProperties::Builder builder = FileProperties();
  builder.enable_dictionary("charset")->enable_dictionary("warc")->enable_dictionary("language");
  builder.disable_statistics("text")->disable_statistics("url");
  return builder.build();
}

// Types that Parquet lacks, as durations, and time zones are kept where Arrow's schema lies in the file.
std::shared_ptr<parquet::ArrowWriterProperties> SchemaProperties(const arrow::Schema& schema) {
  std::shared_ptr<parquet::SchemaDescriptor> columns;
  std::shared_ptr<arrow::Schema> back;
  parquet::ArrowWriterProperties::Builder builder;
  const bool is_kept = parquet::arrow::ToParquetSchema(&schema, *parquet::default_writer_properties(), &columns).ok() &&
                       parquet::arrow::FromParquetSchema(columns.get(), parquet::ArrowReaderProperties(), &back).ok() &&
                       back->Equals(schema, false);
  if (!is_kept) builder.store_schema();
  return builder.build();
}

}  // namespace

const std::vector<std::pair<std::string, ShardFormat>> kShardFormats = {{"parquet", ShardFormat::kParquet},
                                                                        {"jsonl", ShardFormat::kJsonGzip},
                                                                        {"jsonl.gz", ShardFormat::kJsonGzip},
                                                                        {"jsonl.zst", ShardFormat::kJsonZstd}};

const char* EndingOf(ShardFormat format) {
  if (format == ShardFormat::kParquet) return ".parquet";
  if (format == ShardFormat::kText) return ".txt";
  return format == ShardFormat::kJsonGzip ? ".jsonl.gz" : ".jsonl.zst";
}

const char* OwnEndingOf(ShardFormat format) {
  return format == ShardFormat::kParquet ? kOwnParquetEnding : EndingOf(format);
}

// The files of one folder.
class ShardWriter::Folder {
 public:
  Folder(std::filesystem::path root, std::string name, std::shared_ptr<arrow::Schema> schema, ShardFormat format,
         const TextShards& text)
      : root_(std::move(root)), name_(std::move(name)), schema_(std::move(schema)), format_(format), text_(text) {}

  int64_t buffered() const { return buffered_; }
  bool used() const { return shard_ > 0 || file_ != nullptr || !slices_.empty(); }

  // Rows are kept until Flush.
  void Keep(const arrow::RecordBatch& batch, int64_t row, int64_t bytes) {
    buffered_ += bytes;
    if (last_ == &batch && slice_begin_ + slice_rows_ == row) {
      ++slice_rows_;
      return;
    }
    EndSlice();
    last_ = &batch;
    slice_begin_ = row;
    slice_rows_ = 1;
  }
  // Before the batch of the last Keep goes.
  void EndSlice() {
    if (last_ != nullptr) slices_.push_back(last_->Slice(slice_begin_, slice_rows_));
    last_ = nullptr;
  }

  arrow::Status Flush() {
    EndSlice();
    if (slices_.empty()) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(Open());
    ARROW_ASSIGN_OR_RAISE(auto table, arrow::Table::FromRecordBatches(schema_, slices_));
    ARROW_ASSIGN_OR_RAISE(table, table->CombineChunks());
    ARROW_RETURN_NOT_OK(parquet_->WriteTable(*table, std::max<int64_t>(1, table->num_rows())));
    written_.rows += table->num_rows();
    slices_.clear();
    buffered_ = 0;
    return arrow::Status::OK();
  }

  arrow::Status WriteRow(const arrow::RecordBatch& batch, int64_t row) {
    ARROW_RETURN_NOT_OK(Open());
    if (format_ == ShardFormat::kText) return WriteText(batch, row);
    line_.clear();
    ARROW_RETURN_NOT_OK(AppendJson(batch, row, &line_));
    line_ += '\n';
    ++written_.rows;
    return stream_->Write(line_.data(), static_cast<int64_t>(line_.size()));
  }

  arrow::Status WriteText(const arrow::RecordBatch& batch, int64_t row) {
    const auto& texts = static_cast<const arrow::StringArray&>(*batch.GetColumnByName(text_.column));
    const std::string_view text = texts.GetView(row);
    ++written_.rows;
    ARROW_RETURN_NOT_OK(stream_->Write(text.data(), static_cast<int64_t>(text.size())));
    return stream_->Write(text_.delimiter.data(), static_cast<int64_t>(text_.delimiter.size()));
  }

  bool full(int64_t shard_bytes) const { return file_ != nullptr && file_->bytes() >= shard_bytes; }

  // Begins a file, when none is open.
  arrow::Status Open() {
    if (file_ != nullptr) return arrow::Status::OK();
    std::array<char, 32> number{};
    std::snprintf(number.data(), number.size(), "part-%05d", shard_++);
    written_ = {name_ + (name_.empty() ? "" : "/") + number.data() +
                    (name_.starts_with(kOwnFolder) ? OwnEndingOf(format_) : EndingOf(format_)),
                0, 0, ""};
    ARROW_ASSIGN_OR_RAISE(file_, HashedFile::Create(root_ / written_.path));
    if (format_ == ShardFormat::kParquet) {
      ARROW_ASSIGN_OR_RAISE(parquet_, parquet::arrow::FileWriter::Open(*schema_, arrow::default_memory_pool(), file_,
                                                                       ShardProperties(), SchemaProperties(*schema_)));
      return arrow::Status::OK();
    }
    if (format_ == ShardFormat::kText) {
      ARROW_ASSIGN_OR_RAISE(stream_,
                            arrow::io::BufferedOutputStream::Create(kTextBuffer, arrow::default_memory_pool(), file_));
      return arrow::Status::OK();
    }
    const bool gzip = format_ == ShardFormat::kJsonGzip;
    ARROW_ASSIGN_OR_RAISE(codec_,
                          arrow::util::Codec::Create(gzip ? arrow::Compression::GZIP : arrow::Compression::ZSTD));
    ARROW_ASSIGN_OR_RAISE(stream_, arrow::io::CompressedOutputStream::Make(codec_.get(), file_));
    return arrow::Status::OK();
  }

  // Ends the file, when one is open.
  arrow::Status Close(std::vector<WrittenFile>* written) {
    if (format_ == ShardFormat::kParquet) ARROW_RETURN_NOT_OK(Flush());
    if (file_ == nullptr) return arrow::Status::OK();
    if (parquet_ != nullptr) ARROW_RETURN_NOT_OK(parquet_->Close());
    if (stream_ != nullptr) ARROW_RETURN_NOT_OK(stream_->Close());
    if (!file_->closed()) ARROW_RETURN_NOT_OK(file_->Close());
    written->push_back(file_->Written(written_.path, written_.rows));
    parquet_.reset();
    stream_.reset();
    file_.reset();
    return arrow::Status::OK();
  }

 private:
  std::filesystem::path root_;
  std::string name_;
  std::shared_ptr<arrow::Schema> schema_;
  ShardFormat format_;
  const TextShards& text_;
  int shard_ = 0;
  WrittenFile written_;
  std::shared_ptr<HashedFile> file_;
  std::unique_ptr<parquet::arrow::FileWriter> parquet_;
  std::unique_ptr<arrow::util::Codec> codec_;
  std::shared_ptr<arrow::io::OutputStream> stream_;

  arrow::RecordBatchVector slices_;
  std::string line_;
  const arrow::RecordBatch* last_ = nullptr;
  int64_t slice_begin_ = 0;
  int64_t slice_rows_ = 0;
  int64_t buffered_ = 0;
};

ShardWriter::ShardWriter(std::filesystem::path root, std::vector<std::string> folders,
                         std::shared_ptr<arrow::Schema> schema, ShardFormat format, int64_t shard_bytes,
                         TextShards text)
    : root_(std::move(root)),
      schema_(std::move(schema)),
      format_(format),
      text_(std::move(text)),
      shard_bytes_(shard_bytes) {
  for (std::string& folder : folders) {
    folders_.push_back(std::make_unique<Folder>(root_, std::move(folder), schema_, format_, text_));
  }
}
ShardWriter::~ShardWriter() = default;

arrow::Status ShardWriter::Append(size_t folder, const arrow::RecordBatch& batch) {
  Folder& to = *folders_[folder];
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    if (format_ != ShardFormat::kParquet) {
      ARROW_RETURN_NOT_OK(to.WriteRow(batch, row));
      if (to.full(shard_bytes_)) ARROW_RETURN_NOT_OK(to.Close(&written_));
      continue;
    }
    const int64_t bytes = RowBytes(batch, row);
    to.Keep(batch, row, bytes);
    buffered_ += bytes;
    if (buffered_ >= kMaxHeldBytes) ARROW_RETURN_NOT_OK(FlushLargest());
  }
  to.EndSlice();
  return arrow::Status::OK();
}

arrow::Status ShardWriter::FlushLargest() {
  const auto largest = std::ranges::max_element(folders_, {}, [](const auto& folder) { return folder->buffered(); });
  buffered_ -= (*largest)->buffered();
  ARROW_RETURN_NOT_OK((*largest)->Flush());
  return (*largest)->full(shard_bytes_) ? (*largest)->Close(&written_) : arrow::Status::OK();
}

arrow::Result<std::vector<WrittenFile>> ShardWriter::Finish() {
  if (std::ranges::none_of(folders_, [](const auto& folder) { return folder->used(); })) {
    ARROW_RETURN_NOT_OK(folders_[0]->Open());
  }
  for (const auto& folder : folders_) ARROW_RETURN_NOT_OK(folder->Close(&written_));
  std::ranges::sort(written_, {}, &WrittenFile::path);
  return std::move(written_);
}

std::string PartitionName(const std::string& value) {
  std::string name;
  for (const char c : value) {
    const bool escaped = static_cast<unsigned char>(c) < 0x20 ||
                         std::string_view("\"#%'*/:=?\\\x7F{[]^").find(c) != std::string_view::npos;
    name += escaped ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return name;
}

}  // namespace uzushio
