#include "datasets/documents_writer.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/table.h>
#include <parquet/arrow/writer.h>

#include <algorithm>
#include <array>
#include <utility>

#include "datasets/file_properties.h"
#include "storage/hashed_file.h"

namespace uzushio {
namespace {

// Bytes of documents held before a row group is written. Less would compress worse, more would cost memory.
constexpr size_t kMaxBuffered = size_t{12} << 20;

std::shared_ptr<parquet::WriterProperties> DocumentsProperties() {
  parquet::WriterProperties::Builder builder = FileProperties();
  for (const char* column : {"charset", "warc", "robots", "license"}) builder.enable_dictionary(column);
  builder.disable_statistics("text")->disable_statistics("url")->disable_statistics("title");
  return builder.build();
}

}  // namespace

std::shared_ptr<arrow::Schema> DocumentsSchema() {
  const auto text = [](const char* name) { return arrow::field(name, arrow::utf8(), false); };
  return arrow::schema({text("docId"), text("url"), text("charset"), text("text"), text("date"), text("warc"),
                        arrow::field("offset", arrow::int64(), false), arrow::field("length", arrow::int64(), false),
                        text("title"), text("robots"), text("license")});
}

namespace {

// A column of strings whose memory is used for row group after row group.
struct StringColumn {
  std::string data;
  std::vector<int32_t> offsets = {0};

  void Append(const std::string& value) {
    data += value;
    offsets.push_back(static_cast<int32_t>(data.size()));
  }
  // A view; it lives until the next change.
  std::shared_ptr<arrow::Array> View() const {
    return std::make_shared<arrow::StringArray>(static_cast<int64_t>(offsets.size()) - 1, arrow::Buffer::Wrap(offsets),
                                                std::make_shared<arrow::Buffer>(std::string_view(data)));
  }
  void Clear() {
    data.clear();
    offsets.resize(1);
  }
};

std::shared_ptr<arrow::Array> View(const std::vector<int64_t>& values) {
  return std::make_shared<arrow::Int64Array>(static_cast<int64_t>(values.size()), arrow::Buffer::Wrap(values));
}

}  // namespace

// The file of one language.
class DocumentsWriter::Partition {
 public:
  explicit Partition(std::string path) { written_.path = std::move(path); }

  size_t buffered() const { return buffered_; }

  void Append(const Document& document) {
    const std::string* values[] = {&document.doc_id, &document.url,    &document.charset,
                                   &document.text,   &document.date,   &document.warc,
                                   &document.title,  &document.robots, &document.license};
    if (offsets_.empty()) strings_[kText].data.reserve(kMaxBuffered);
    for (size_t i = 0; i < std::size(values); ++i) strings_[i].Append(*values[i]);
    offsets_.push_back(document.offset);
    lengths_.push_back(document.length);
    buffered_ += document.bytes();
  }

  arrow::Status Flush(const std::filesystem::path& folder) {
    if (offsets_.empty()) return arrow::Status::OK();
    if (writer_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(file_, HashedFile::Create(folder / written_.path));
      ARROW_ASSIGN_OR_RAISE(writer_, parquet::arrow::FileWriter::Open(*DocumentsSchema(), arrow::default_memory_pool(),
                                                                      file_, DocumentsProperties()));
    }
    std::vector<std::shared_ptr<arrow::Array>> columns;
    columns.reserve(strings_.size() + 2);
    for (size_t i = 0; i < kTitle; ++i) columns.push_back(strings_[i].View());
    columns.push_back(View(offsets_));
    columns.push_back(View(lengths_));
    for (size_t i = kTitle; i < strings_.size(); ++i) columns.push_back(strings_[i].View());
    const auto rows = static_cast<int64_t>(offsets_.size());
    ARROW_RETURN_NOT_OK(writer_->WriteTable(*arrow::Table::Make(DocumentsSchema(), columns, rows), rows));
    for (StringColumn& column : strings_) column.Clear();
    offsets_.clear();
    lengths_.clear();
    written_.rows += rows;
    buffered_ = 0;
    return arrow::Status::OK();
  }

  // Gives back the memory of the buffers.
  void Release() { strings_ = {}; }

  arrow::Result<WrittenFile> Finish(const std::filesystem::path& folder) {
    ARROW_RETURN_NOT_OK(Flush(folder));
    ARROW_RETURN_NOT_OK(writer_->Close());
    ARROW_RETURN_NOT_OK(file_->Close());
    return file_->Written(written_.path, written_.rows);
  }

 private:
  static constexpr size_t kText = 3;
  static constexpr size_t kTitle = 6;

  WrittenFile written_;
  std::array<StringColumn, 9> strings_;
  std::vector<int64_t> offsets_;
  std::vector<int64_t> lengths_;
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
  partition->Append(document);
  return arrow::Status::OK();
}

arrow::Status DocumentsWriter::FlushLargest() {
  const auto largest =
      std::ranges::max_element(partitions_, {}, [](const auto& partition) { return partition.second->buffered(); });
  if (largest == partitions_.end()) return arrow::Status::OK();
  buffered_ -= largest->second->buffered();
  ARROW_RETURN_NOT_OK(largest->second->Flush(folder_));
  if (partitions_.size() > 1) largest->second->Release();
  return arrow::Status::OK();
}

arrow::Result<std::vector<WrittenFile>> DocumentsWriter::Finish() {
  std::vector<WrittenFile> files;
  for (auto& [language, partition] : partitions_) {
    ARROW_ASSIGN_OR_RAISE(files.emplace_back(), partition->Finish(folder_));
  }
  return files;
}

}  // namespace uzushio
