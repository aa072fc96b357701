#include "datasets/shard_writer.h"

#include <arrow/array.h>
#include <arrow/io/buffered.h>
#include <arrow/io/compressed.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/util/base64.h>
#include <arrow/util/compression.h>
#include <fmt/format.h>
#include <parquet/arrow/writer.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

#include "datasets/columns.h"
#include "datasets/file_properties.h"
#include "datasets/json_object.h"
#include "storage/hashed_file.h"

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

// Bytes that values of a column take, about.
int64_t BytesOf(const arrow::Array& column, int64_t begin, int64_t rows) {
  switch (column.type_id()) {
    case arrow::Type::STRING: {
      const auto& texts = static_cast<const arrow::StringArray&>(column);
      return texts.value_offset(begin + rows) - texts.value_offset(begin) + 4 * rows;
    }
    case arrow::Type::LIST:
    case arrow::Type::MAP: {
      const auto& lists = static_cast<const arrow::ListArray&>(column);
      const int64_t first = lists.value_offset(begin);
      return BytesOf(*lists.values(), first, lists.value_offset(begin + rows) - first) + 4 * rows;
    }
    case arrow::Type::LARGE_LIST: {
      const auto& lists = static_cast<const arrow::LargeListArray&>(column);
      const int64_t first = lists.value_offset(begin);
      return BytesOf(*lists.values(), first, lists.value_offset(begin + rows) - first) + 8 * rows;
    }
    case arrow::Type::FIXED_SIZE_LIST: {
      const auto& lists = static_cast<const arrow::FixedSizeListArray&>(column);
      return BytesOf(*lists.values(), lists.value_offset(begin), rows * lists.list_type()->list_size());
    }
    case arrow::Type::STRUCT: {
      int64_t bytes = rows;
      for (const auto& field : static_cast<const arrow::StructArray&>(column).fields()) {
        bytes += BytesOf(*field, begin, rows);
      }
      return bytes;
    }
    default:
      return 8 * rows;
  }
}

int64_t RowBytes(const arrow::RecordBatch& batch, int64_t row) {
  int64_t bytes = 0;
  for (const auto& column : batch.columns()) bytes += BytesOf(*column, row, 1);
  return bytes;
}

std::string Quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Whether it can stand in a line of JSON as it is.
bool IsValueOfLine(std::string_view text) {
  if (text.find('\n') != std::string_view::npos) return false;
  const JsonObject::Line parsed = JsonObject().Parse(text);
  return parsed == JsonObject::Line::kObject || parsed == JsonObject::Line::kOtherValue;
}

// A number that is no integer is written as such, so that it is read as such.
std::string Fraction(const std::string& text) {
  if (text.find_first_of("nN") != std::string::npos) return "null";  // JSON has no NaN and no infinity
  return text.find_first_of(".eE") == std::string::npos ? text + ".0" : text;
}

arrow::Result<std::string> JsonValue(const arrow::Field& field, const arrow::Array& column, int64_t row);

arrow::Result<std::string> JsonArray(const arrow::Array& values) {
  const arrow::Field item("item", values.type());
  std::string text = "[";
  for (int64_t i = 0; i < values.length(); ++i) {
    ARROW_ASSIGN_OR_RAISE(const std::string value, JsonValue(item, values, i));
    (text += i > 0 ? "," : "") += value;
  }
  return text += ']';
}

arrow::Result<std::string> JsonStruct(const arrow::StructArray& values, int64_t row) {
  std::string text = "{";
  for (int i = 0; i < values.num_fields(); ++i) {
    const arrow::Field& field = *values.struct_type()->field(i);
    ARROW_ASSIGN_OR_RAISE(const std::string value, JsonValue(field, *values.field(i), row));
    (((text += i > 0 ? "," : "") += Quoted(field.name())) += ':') += value;
  }
  return text += '}';
}

arrow::Result<std::string> JsonValue(const arrow::Field& field, const arrow::Array& column, int64_t row) {
  if (column.IsNull(row)) return "null";
  switch (column.type_id()) {
    case arrow::Type::STRING: {
      const std::string_view text = static_cast<const arrow::StringArray&>(column).GetView(row);
      return IsJson(field) && IsValueOfLine(text) ? std::string(text) : Quoted(text);
    }
    case arrow::Type::BINARY:
      return '"' + arrow::util::base64_encode(static_cast<const arrow::BinaryArray&>(column).GetView(row)) + '"';
    case arrow::Type::LIST:
    case arrow::Type::MAP:  // of pairs
      return JsonArray(*static_cast<const arrow::ListArray&>(column).value_slice(row));
    case arrow::Type::LARGE_LIST:
      return JsonArray(*static_cast<const arrow::LargeListArray&>(column).value_slice(row));
    case arrow::Type::FIXED_SIZE_LIST:
      return JsonArray(*static_cast<const arrow::FixedSizeListArray&>(column).value_slice(row));
    case arrow::Type::STRUCT:
      return JsonStruct(static_cast<const arrow::StructArray&>(column), row);
    default:
      break;
  }
  ARROW_ASSIGN_OR_RAISE(const auto scalar, column.GetScalar(row));
  const arrow::Type::type type = column.type_id();
  std::string text = scalar->ToString();
  if (arrow::is_integer(type) || type == arrow::Type::BOOL) return text;
  return arrow::is_floating(type) ? Fraction(text) : Quoted(text);
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

arrow::Result<std::string> JsonLine(const arrow::RecordBatch& batch, int64_t row) {
  std::string line = "{";
  for (int i = 0; i < batch.num_columns(); ++i) {
    ARROW_ASSIGN_OR_RAISE(const std::string value, JsonValue(*batch.schema()->field(i), *batch.column(i), row));
    if (i > 0) line += ',';
    ((line += Quoted(batch.column_name(i))) += ':') += value;
  }
  return line += '}';
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
    ARROW_ASSIGN_OR_RAISE(std::string line, JsonLine(batch, row));
    line += '\n';
    ++written_.rows;
    return stream_->Write(line.data(), static_cast<int64_t>(line.size()));
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
    const bool is_prefix = name_.empty() || name_.ends_with("/_");
    written_ = {name_ + (is_prefix ? "" : "/") + number.data() + EndingOf(format_), 0, 0, ""};
    ARROW_ASSIGN_OR_RAISE(file_, HashedFile::Create(root_ / written_.path));
    if (format_ == ShardFormat::kParquet) {
      ARROW_ASSIGN_OR_RAISE(
          parquet_, parquet::arrow::FileWriter::Open(*schema_, arrow::default_memory_pool(), file_, ShardProperties()));
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
    written_.bytes = file_->bytes();
    written_.xxh64 = file_->xxh64();
    written->push_back(written_);
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
