#include <arrow/builder.h>
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <string_view>

#include "bindings/declare.h"
#include "bindings/interop.h"
#include "datasets/documents_writer.h"
#include "datasets/full_data_writer.h"
#include "datasets/quarantine_writer.h"
#include "filters/markdown_paragraphs.h"
#include "stages/extract/options.h"
#include "stages/extract/warc_documents.h"

namespace uzushio::python {
namespace {

// `language` and the caps, as `extract` takes them.
ExtractOptions Options(const nlohmann::json& json) {
  PageOptions options;
  Check(DeclaredPageOptions().Set(Value(GivenBy(json, DeclaredPageOptions().declarations())), &options));
  return Value(ToExtractOptions(options));
}

// The documents' columns, and the language, which files have in their path.
std::shared_ptr<arrow::Schema> SchemaWithLanguage() {
  const auto schema = DocumentsSchema();
  return schema->AddField(schema->num_fields(), arrow::field("language", arrow::utf8(), false)).ValueOrDie();
}

// The documents of a WARC file, with the damaged records put aside. Threads that share one take turns.
class WarcForPython {
 public:
  WarcForPython(nb::handle source, const std::string& options, std::string name,
                const std::filesystem::path& quarantine_folder, const std::string& quarantine_name,
                const std::string& full_data) {
    auto file = Value(OpenSource(source, &name));
    const ExtractOptions extract = Options(Json(options));
    documents_ = Value(WithoutLock([&] { return WarcDocuments::Open(std::move(file), name, extract); }));
    if (!quarantine_folder.empty()) quarantine_.emplace(quarantine_folder, quarantine_name);
    if (const auto format = std::ranges::find(kShardFormats, full_data, FormatName); format != kShardFormats.end()) {
      full_data_.emplace(quarantine_folder, quarantine_name, format->second);
    } else if (!full_data.empty()) {
      Raise(arrow::Status::Invalid("full_data: there is no format '", full_data, "'"));
    }
  }

  // The next document, or nothing.
  std::optional<Document> Next() {
    Document document;
    const bool more = Value(WithoutLock([&] {
      const std::lock_guard lock(mutex_);
      return Advance(&document);
    }));
    if (!more) return std::nullopt;
    return document;
  }

  // Documents of at most so many bytes, but at least one; null at the end.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextBatch(size_t bytes) {
    std::array<arrow::StringBuilder, 8> texts;
    std::array<arrow::Int64Builder, 2> numbers;
    int64_t rows = 0;
    size_t size = 0;
    Document document;
    const std::lock_guard lock(mutex_);
    while (size < bytes) {
      ARROW_ASSIGN_OR_RAISE(const bool more, Advance(&document));
      if (!more) break;
      const std::array<const std::string*, 8> values = {&document.doc_id, &document.url,     &document.charset,
                                                        &document.text,   &document.date,    &document.warc,
                                                        &document.title,  &document.language};
      for (size_t i = 0; i < values.size(); ++i) ARROW_RETURN_NOT_OK(texts[i].Append(*values[i]));
      ARROW_RETURN_NOT_OK(numbers[0].Append(document.offset));
      ARROW_RETURN_NOT_OK(numbers[1].Append(document.length));
      size += document.bytes();
      ++rows;
    }
    if (rows == 0) return nullptr;
    arrow::ArrayVector columns(10);
    for (size_t i = 0; i < 6; ++i) ARROW_RETURN_NOT_OK(texts[i].Finish(&columns[i]));
    ARROW_RETURN_NOT_OK(numbers[0].Finish(&columns[6]));
    ARROW_RETURN_NOT_OK(numbers[1].Finish(&columns[7]));
    ARROW_RETURN_NOT_OK(texts[6].Finish(&columns[8]));
    ARROW_RETURN_NOT_OK(texts[7].Finish(&columns[9]));
    return arrow::RecordBatch::Make(SchemaWithLanguage(), rows, std::move(columns));
  }

  std::string counts() const {
    return WithoutLock([this] {
      const std::lock_guard lock(mutex_);
      return (documents_ == nullptr ? last_counts_ : documents_->counts()).ToJson().dump();
    });
  }

  // Lets go of the file and completes what is quarantined. What was counted stays.
  arrow::Status Close() {
    const std::lock_guard lock(mutex_);
    if (documents_ == nullptr) return arrow::Status::OK();
    last_counts_ = documents_->counts();
    documents_.reset();
    return quarantine_ && !ended_ ? quarantine_->Finish() : arrow::Status::OK();
  }

  // The damaged records since the last call; at most so many bytes of them are kept.
  nb::list TakeQuarantined() {
    const std::vector<QuarantinedRecord> taken = WithoutLock([this] {
      const std::lock_guard lock(mutex_);
      return std::exchange(kept_, {});
    });
    nb::list records;
    for (const QuarantinedRecord& record : taken) {
      records.append(nb::make_tuple(record.warc, record.offset, record.length, record.reason,
                                    nb::bytes(record.bytes.data(), record.bytes.size())));
    }
    return records;
  }

 private:
  arrow::Result<bool> Advance(Document* document) {
    if (documents_ == nullptr) return arrow::Status::Invalid("the archive is closed; read_warc opens it again");
    if (ended_) return false;
    ARROW_ASSIGN_OR_RAISE(const bool more, documents_->Next(
                                               document,
                                               [this](const QuarantinedRecord& record) {
                                                 if (kept_bytes_ < kMostKept) {
                                                   kept_.push_back(record);
                                                   kept_bytes_ += record.bytes.size() + sizeof(QuarantinedRecord);
                                                 }
                                                 return quarantine_ ? quarantine_->Append(record) : arrow::Status::OK();
                                               },
                                               full_data_ ? &full_ : nullptr));
    ended_ = !more;
    if (more && full_data_) ARROW_RETURN_NOT_OK(full_data_->Append(*document, full_));
    if (ended_ && full_data_) ARROW_RETURN_NOT_OK(full_data_->Finish().status());
    if (ended_ && quarantine_) ARROW_RETURN_NOT_OK(quarantine_->Finish());
    return more;
  }

  static const std::string& FormatName(const std::pair<std::string, ShardFormat>& format) { return format.first; }

  static constexpr size_t kMostKept = size_t{16} << 20;

  mutable std::mutex mutex_;                  // taken without the interpreter's lock, which files of Python need
  std::unique_ptr<WarcDocuments> documents_;  // null when closed
  ExtractCounts last_counts_;                 // when closed
  std::vector<QuarantinedRecord> kept_;
  size_t kept_bytes_ = 0;  // of all that were ever kept
  std::optional<QuarantineWriter> quarantine_;
  std::optional<FullDataWriter> full_data_;
  FullData full_;  // of the last document
  bool ended_ = false;
};

std::optional<std::string> CheckExtractOptions(const std::string& options) {
  const ExtractOptions extract = Options(Json(options));
  if (extract.classifier == nullptr) return std::nullopt;
  return fmt::format("{:016x}", extract.classifier->checksum());
}

// One page that did not come from a WARC file: a document, or the reason why there is none.
nb::object ExtractPage(const nb::bytes& html, const std::string& options, const std::string& content_type,
                       const std::string& url, const std::string& record_id) {
  const std::string header = "HTTP/1.1 200 OK\r\nContent-Type: " + content_type + "\r\n\r\n";
  std::string content;
  content.reserve(header.size() + html.size());
  content.append(header).append(html.c_str(), html.size());
  PageView page;
  page.content = content;
  page.url = url;
  page.record_id = record_id;
  Document document;
  const ExtractOptions extract = Options(Json(options));
  const PageOutcome outcome = WithoutLock([&] { return PageExtractor(extract).Extract(page, &document); });
  if (outcome.kind != PageOutcome::Kind::kDocument) return nb::cast(std::string(outcome.reason));
  return nb::cast(std::move(document));
}

}  // namespace

void DeclareDocuments(nb::module_& module) {
  nb::class_<Document>(module, "Document", "A page's text with what is known of it.")
      .def_ro("doc_id", &Document::doc_id)
      .def_ro("url", &Document::url)
      .def_ro("charset", &Document::charset)
      .def_ro("language", &Document::language)
      .def_ro("text", &Document::text)
      .def_ro("date", &Document::date)
      .def_ro("warc", &Document::warc)
      .def_ro("offset", &Document::offset)
      .def_ro("length", &Document::length)
      .def_ro("title", &Document::title);
  nb::class_<WarcForPython>(module, "WarcDocuments")
      .def(nb::init<nb::handle, const std::string&, std::string, const std::filesystem::path&, const std::string&,
                    const std::string&>(),
           nb::arg("source"), nb::arg("options"), nb::arg("name"), nb::arg("quarantine_folder"),
           nb::arg("quarantine_name"), nb::arg("full_data") = "",
           "Damaged records go to `quarantine_folder`, and full data of the format too, in files of that name.")
      .def("next", &WarcForPython::Next)
      .def("next_batch",
           [](WarcForPython& self, size_t bytes) {
             return ToPython(Value(WithoutLock([&] { return self.NextBatch(bytes); })));
           })
      .def("close", [](WarcForPython& self) { Check(WithoutLock([&] { return self.Close(); })); })
      .def("counts", &WarcForPython::counts)
      .def("take_quarantined", &WarcForPython::TakeQuarantined,
           nb::sig("def take_quarantined(self) -> list[tuple[str, int, int, str, bytes]]"));
  module.def(
      "why_unreadable",
      [](const std::string& name, const std::string& counts) {
        return CheckReadable(name, Value(ExtractCounts::FromJson(Json(counts)))).message();
      },
      nb::arg("name"), nb::arg("counts"), "Why none of a file's records can be read; empty: some can.");
  module.def("check_extract_options", &CheckExtractOptions, nb::arg("options"),
             "Raises what is wrong with them. Returns the checksum of the model of the test for Japanese, or nothing.");
  module.def(
      "markdown", [](const std::string& markup) { return WithoutLock([&] { return MarkdownOf(markup); }); },
      nb::arg("markup"), "The text of a document, in its markup, as Markdown.");
  module.def("extract_page", &ExtractPage, nb::arg("html"), nb::arg("options"), nb::arg("content_type"),
             nb::arg("url") = "", nb::arg("record_id") = "",
             nb::sig("def extract_page(html: bytes, options: str, content_type: str, url: str = '', "
                     "record_id: str = '') -> Document | str"));
}

}  // namespace uzushio::python
