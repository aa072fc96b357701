#include "datasets/full_data_writer.h"

#include <arrow/builder.h>
#include <arrow/table.h>
#include <arrow/table_builder.h>
#include <arrow/util/compression.h>
#include <parquet/arrow/writer.h>

#include <algorithm>
#include <utility>

#include "datasets/file_properties.h"
#include "datasets/json_text.h"
#include "document/markup.h"

namespace uzushio {
namespace {

// Bytes of rows held before a row group is written; one row may be larger.
constexpr size_t kMaxHeldRows = size_t{12} << 20;
// Of lines that are compressed at once.
constexpr size_t kLinesBlock = size_t{1} << 20;

std::shared_ptr<arrow::Field> Present(const char* name, std::shared_ptr<arrow::DataType> type) {
  return arrow::field(name, std::move(type), false);
}

std::shared_ptr<arrow::DataType> ListOf(const arrow::FieldVector& fields) {
  return arrow::list(Present("element", arrow::struct_(fields)));
}

std::shared_ptr<parquet::WriterProperties> FullDataProperties() {
  parquet::WriterProperties::Builder builder = FileProperties();
  builder.enable_dictionary("charset")->enable_dictionary("mediaType");
  builder.disable_statistics();
  return builder.build();
}

// What a row takes, about: its values, and what says where they begin.
size_t RowBytes(const Document& document, const FullData& full) {
  constexpr size_t kParagraph = 24;
  constexpr size_t kLink = 8;
  const auto links = static_cast<size_t>(std::ranges::count(document.text, kLinkStart));
  return document.bytes() + full.size() + static_cast<size_t>(document.paragraphs) * kParagraph + links * kLink;
}

// --- columns ---

// The builder of a struct's field.
template <typename Builder>
Builder& Child(arrow::StructBuilder* rows, int index) {
  return *static_cast<Builder*>(rows->field_builder(index));
}

arrow::StructBuilder* Begin(arrow::ListBuilder* list, arrow::Status* status) {
  *status &= list->Append();
  return static_cast<arrow::StructBuilder*>(list->value_builder());
}

// `bytes` is a field of headers, and not of metadata.
arrow::Status AppendFields(const std::vector<NamedValue>& fields, bool with_bytes, arrow::ListBuilder* list) {
  arrow::Status status;
  arrow::StructBuilder* const rows = Begin(list, &status);
  for (const NamedValue& field : fields) {
    status &= rows->Append();
    status &= Child<arrow::StringBuilder>(rows, 0).Append(field.name);
    auto& value = Child<arrow::StringBuilder>(rows, 1);
    status &= field.is_text ? value.Append(field.value) : value.AppendNull();
    if (!with_bytes) continue;
    auto& bytes = Child<arrow::BinaryBuilder>(rows, 2);
    status &= field.is_text ? bytes.AppendNull() : bytes.Append(field.bytes);
  }
  return status;
}

// Where links lie in a paragraph, in code points of its text without the marks.
arrow::Status AppendLinks(std::string_view marked, arrow::ListBuilder* list) {
  arrow::Status status;
  arrow::StructBuilder* const rows = Begin(list, &status);
  int32_t points = 0;
  for (const char c : marked) {
    if (c == kLinkStart) {
      status &= rows->Append();
      status &= Child<arrow::Int32Builder>(rows, 0).Append(points);
    } else if (c == kLinkEnd) {
      status &= Child<arrow::Int32Builder>(rows, 1).Append(points);
    } else if (!IsMark(c)) {
      points += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
    }
  }
  return status;
}

arrow::Status AppendParagraphs(std::string_view text, arrow::ListBuilder* list) {
  arrow::Status status;
  arrow::StructBuilder* const rows = Begin(list, &status);
  ParagraphReader reader(text);
  while (const auto paragraph = reader.Next()) {
    status &= rows->Append();
    status &= Child<arrow::StringBuilder>(rows, 0).Append(paragraph->path);
    status &= Child<arrow::StringBuilder>(rows, 1).Append(StripMarks(paragraph->text));
    auto& score = Child<arrow::Int32Builder>(rows, 2);
    status &= paragraph->score <= kMaxScore ? score.Append(paragraph->score) : score.AppendNull();
    status &= AppendLinks(paragraph->text, &Child<arrow::ListBuilder>(rows, 3));
  }
  return status;
}

}  // namespace

std::shared_ptr<arrow::Schema> FullDataSchema() {
  const auto name = Present("name", arrow::utf8());
  const auto headers = ListOf({name, arrow::field("value", arrow::utf8()), arrow::field("bytes", arrow::binary())});
  const auto links = ListOf({Present("begin", arrow::int32()), Present("end", arrow::int32())});
  const auto paragraphs = ListOf({Present("path", arrow::utf8()), Present("text", arrow::utf8()),
                                  arrow::field("score", arrow::int32()), Present("links", links)});
  return arrow::schema(
      {Present("docId", arrow::utf8()), Present("url", arrow::utf8()), Present("charset", arrow::utf8()),
       Present("mediaType", arrow::utf8()), Present("title", arrow::utf8()),
       Present("metadata", ListOf({name, Present("value", arrow::utf8())})), Present("warcHeaders", headers),
       Present("httpHeaders", headers), Present("body", arrow::binary()), Present("paragraphs", paragraphs)});
}

// The file of one language.
class FullDataWriter::Partition {
 public:
  Partition(std::string path, ShardFormat format) : format_(format) { written_.path = std::move(path); }

  size_t buffered() const { return buffered_; }

  arrow::Status Append(const Document& document, const FullData& full, size_t bytes) {
    if (rows_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(rows_, arrow::RecordBatchBuilder::Make(FullDataSchema(), arrow::default_memory_pool()));
    }
    auto& body = *rows_->GetFieldAs<arrow::BinaryBuilder>(kBody);
    if (buffered_ == 0) {  // all that the row group may take, so that it does not grow by copying
      ARROW_RETURN_NOT_OK(body.ReserveData(static_cast<int64_t>(std::max(kMaxHeldRows, full.body.size()))));
    }
    buffered_ += bytes;
    const std::string media = full.is_html ? "html" : "text";
    const std::string* const texts[] = {&document.doc_id, &document.url, &document.charset, &media, &document.title};
    for (int i = 0; i < static_cast<int>(std::size(texts)); ++i) {
      ARROW_RETURN_NOT_OK(rows_->GetFieldAs<arrow::StringBuilder>(i)->Append(*texts[i]));
    }
    const auto list = [this](int column) { return rows_->GetFieldAs<arrow::ListBuilder>(column); };
    ARROW_RETURN_NOT_OK(AppendFields(full.metadata, false, list(kBody - 3)));
    ARROW_RETURN_NOT_OK(AppendFields(full.warc_headers, true, list(kBody - 2)));
    ARROW_RETURN_NOT_OK(AppendFields(full.http_headers, true, list(kBody - 1)));
    ARROW_RETURN_NOT_OK(body.Append(full.body));
    return AppendParagraphs(document.text, list(kBody + 1));
  }

  arrow::Status Flush(const std::filesystem::path& folder) {
    if (buffered_ == 0) return arrow::Status::OK();
    if (file_ == nullptr) ARROW_RETURN_NOT_OK(Open(folder));
    ARROW_ASSIGN_OR_RAISE(const auto batch, rows_->Flush());
    rows_.reset();  // its memory is the batch's
    written_.rows += batch->num_rows();
    buffered_ = 0;
    if (codec_ != nullptr) return WriteLines(*batch);
    ARROW_ASSIGN_OR_RAISE(const auto table, arrow::Table::FromRecordBatches({batch}));
    return parquet_->WriteTable(*table, batch->num_rows());
  }

  arrow::Result<WrittenFile> Finish(const std::filesystem::path& folder) {
    ARROW_RETURN_NOT_OK(Flush(folder));
    if (parquet_ != nullptr) ARROW_RETURN_NOT_OK(parquet_->Close());
    ARROW_RETURN_NOT_OK(file_->Close());
    return file_->Written(written_.path, written_.rows);
  }

 private:
  static constexpr int kBody = 8;

  arrow::Status Open(const std::filesystem::path& folder) {
    ARROW_ASSIGN_OR_RAISE(file_, HashedFile::Create(folder / written_.path));
    if (format_ == ShardFormat::kParquet) {
      return parquet::arrow::FileWriter::Open(*FullDataSchema(), arrow::default_memory_pool(), file_,
                                              FullDataProperties())
          .Value(&parquet_);
    }
    const bool gzip = format_ == ShardFormat::kJsonGzip;
    return arrow::util::Codec::Create(gzip ? arrow::Compression::GZIP : arrow::Compression::ZSTD).Value(&codec_);
  }

  // Blocks of lines, each a gzip member or zstd frame: no partition has a compressor of its own.
  arrow::Status WriteLines(const arrow::RecordBatch& batch) {
    std::string block;
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      ARROW_RETURN_NOT_OK(AppendJson(batch, row, &block));
      block += '\n';
      if (block.size() < kLinesBlock && row + 1 < batch.num_rows()) continue;
      ARROW_RETURN_NOT_OK(WriteBlock(block));
      block.clear();
    }
    return arrow::Status::OK();
  }

  arrow::Status WriteBlock(const std::string& block) {
    const auto* const bytes = reinterpret_cast<const uint8_t*>(block.data());
    const auto size = static_cast<int64_t>(block.size());
    ARROW_ASSIGN_OR_RAISE(const auto out, arrow::AllocateResizableBuffer(codec_->MaxCompressedLen(size, bytes)));
    ARROW_ASSIGN_OR_RAISE(const int64_t written, codec_->Compress(size, bytes, out->size(), out->mutable_data()));
    return file_->Write(out->data(), written);
  }

  ShardFormat format_;
  WrittenFile written_;
  std::unique_ptr<arrow::RecordBatchBuilder> rows_;
  size_t buffered_ = 0;
  std::shared_ptr<HashedFile> file_;
  std::unique_ptr<parquet::arrow::FileWriter> parquet_;  // or
  std::unique_ptr<arrow::util::Codec> codec_;            // of lines
};

FullDataWriter::FullDataWriter(std::filesystem::path folder, std::string name, ShardFormat format)
    : folder_(std::move(folder)), name_(std::move(name)), format_(format) {}
FullDataWriter::~FullDataWriter() = default;

arrow::Status FullDataWriter::Append(const Document& document, const FullData& full) {
  const size_t bytes = RowBytes(document, full);
  if (buffered_ + bytes > kMaxHeldRows) ARROW_RETURN_NOT_OK(FlushLargest());
  auto& partition = partitions_[document.language];
  if (partition == nullptr) {
    partition = std::make_unique<Partition>(
        std::string(kFullDataFolder) + "language=" + document.language + "/" + name_ + OwnEndingOf(format_), format_);
  }
  buffered_ += bytes;
  return partition->Append(document, full, bytes);
}

arrow::Status FullDataWriter::FlushLargest() {
  const auto largest =
      std::ranges::max_element(partitions_, {}, [](const auto& partition) { return partition.second->buffered(); });
  if (largest == partitions_.end()) return arrow::Status::OK();
  buffered_ -= largest->second->buffered();
  return largest->second->Flush(folder_);
}

arrow::Result<std::vector<WrittenFile>> FullDataWriter::Finish() {
  std::vector<WrittenFile> files;
  for (auto& [language, partition] : partitions_) {
    ARROW_ASSIGN_OR_RAISE(files.emplace_back(), partition->Finish(folder_));
  }
  return files;
}

}  // namespace uzushio
