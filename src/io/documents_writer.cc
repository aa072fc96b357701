#include "io/documents_writer.h"

#include <arrow/builder.h>
#include <arrow/table.h>
#include <parquet/arrow/writer.h>

#include <algorithm>
#include <utility>

#include "io/hashed_file.h"

namespace uzushio {
namespace {

// Bytes of documents held before a row group is written. Less would compress worse, more would cost memory.
constexpr size_t kMaxBuffered = size_t{12} << 20;
// Level 1 costs half of level 3 and gives files 5 % larger.
constexpr int kZstdLevel = 1;

std::shared_ptr<parquet::WriterProperties> FileProperties() {
  parquet::WriterProperties::Builder builder;
  builder.compression(parquet::Compression::ZSTD)->compression_level(kZstdLevel);
  builder.disable_dictionary()->enable_dictionary("charset")->enable_dictionary("warc");
  builder.disable_statistics("text")->disable_statistics("url");
  builder.created_by("uzushio");
  return builder.build();
}

}  // namespace

std::shared_ptr<arrow::Schema> DocumentsSchema() {
  const auto text = [](const char* name) { return arrow::field(name, arrow::utf8(), false); };
  return arrow::schema({text("docId"), text("url"), text("charset"), text("text"), text("date"), text("warc"),
                        arrow::field("offset", arrow::int64(), false), arrow::field("length", arrow::int64(), false)});
}

// The file of one language.
class DocumentsWriter::Partition {
 public:
  explicit Partition(std::string path) { written_.path = std::move(path); }

  size_t buffered() const { return buffered_; }

  arrow::Status Append(const Document& document) {
    const std::string* columns[] = {&document.doc_id, &document.url,  &document.charset,
                                    &document.text,   &document.date, &document.warc};
    for (size_t i = 0; i < std::size(columns); ++i) ARROW_RETURN_NOT_OK(strings_[i].Append(*columns[i]));
    ARROW_RETURN_NOT_OK(offsets_.Append(document.offset));
    ARROW_RETURN_NOT_OK(lengths_.Append(document.length));
    buffered_ += document.bytes();
    return arrow::Status::OK();
  }

  arrow::Status Flush(const std::filesystem::path& folder) {
    if (offsets_.length() == 0) return arrow::Status::OK();
    if (writer_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(file_, HashedFile::Create(folder / written_.path));
      ARROW_ASSIGN_OR_RAISE(writer_, parquet::arrow::FileWriter::Open(*DocumentsSchema(), arrow::default_memory_pool(),
                                                                      file_, FileProperties()));
    }
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (arrow::StringBuilder& builder : strings_) {
      ARROW_ASSIGN_OR_RAISE(auto column, builder.Finish());
      columns.push_back(std::move(column));
    }
    for (arrow::Int64Builder* builder : {&offsets_, &lengths_}) {
      ARROW_ASSIGN_OR_RAISE(auto column, builder->Finish());
      columns.push_back(std::move(column));
    }
    const int64_t rows = columns.back()->length();
    const auto table = arrow::Table::Make(DocumentsSchema(), std::move(columns), rows);
    ARROW_RETURN_NOT_OK(writer_->WriteTable(*table, rows));
    written_.rows += rows;
    buffered_ = 0;
    return arrow::Status::OK();
  }

  arrow::Result<WrittenFile> Finish(const std::filesystem::path& folder) {
    ARROW_RETURN_NOT_OK(Flush(folder));
    ARROW_RETURN_NOT_OK(writer_->Close());
    ARROW_RETURN_NOT_OK(file_->Close());
    written_.bytes = file_->bytes();
    written_.xxh64 = file_->xxh64();
    return written_;
  }

 private:
  WrittenFile written_;
  std::array<arrow::StringBuilder, 6> strings_;
  arrow::Int64Builder offsets_;
  arrow::Int64Builder lengths_;
  size_t buffered_ = 0;
  std::shared_ptr<HashedFile> file_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
};

DocumentsWriter::DocumentsWriter(std::filesystem::path folder, std::string name)
    : folder_(std::move(folder)), name_(std::move(name)) {}
DocumentsWriter::~DocumentsWriter() = default;

arrow::Status DocumentsWriter::Append(const Document& document) {
  if (buffered_ + document.bytes() > kMaxBuffered) ARROW_RETURN_NOT_OK(FlushLargest());
  auto& partition = partitions_[document.language];
  if (partition == nullptr) {
    partition = std::make_unique<Partition>("language=" + document.language + "/" + name_ + ".parquet");
  }
  buffered_ += document.bytes();
  return partition->Append(document);
}

arrow::Status DocumentsWriter::FlushLargest() {
  const auto largest = std::ranges::max_element(
      partitions_, {}, [](const auto& partition) { return partition.second->buffered(); });
  if (largest == partitions_.end()) return arrow::Status::OK();
  buffered_ -= largest->second->buffered();
  return largest->second->Flush(folder_);
}

arrow::Result<std::vector<WrittenFile>> DocumentsWriter::Finish() {
  std::vector<WrittenFile> files;
  for (auto& [language, partition] : partitions_) {
    ARROW_ASSIGN_OR_RAISE(files.emplace_back(), partition->Finish(folder_));
  }
  return files;
}

}  // namespace uzushio
