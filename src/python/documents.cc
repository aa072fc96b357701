#include <arrow/builder.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include "io/documents_writer.h"
#include "io/quarantine_writer.h"
#include "python/declare.h"
#include "python/interop.h"
#include "stages/warc_documents.h"

namespace uzushio::python {
namespace {

ExtractOptions Options(const nlohmann::json& json) {
  ExtractOptions options;
  if (json.contains("languages")) options.languages = json["languages"].get<std::set<std::string>>();
  PageLimits& limits = options.limits;
  limits.max_bytes = json.value("max_page_bytes", limits.max_bytes);
  limits.max_text_bytes = json.value("max_text_bytes", limits.max_text_bytes);
  limits.max_inflation = json.value("max_inflation", limits.max_inflation);
  limits.max_depth = json.value("max_depth", limits.max_depth);
  limits.max_attributes = json.value("max_attributes", limits.max_attributes);
  limits.max_nodes = json.value("max_nodes", limits.max_nodes);
  return options;
}

// The documents' columns, and the language, which files have in their path.
std::shared_ptr<arrow::Schema> SchemaWithLanguage() {
  const auto schema = DocumentsSchema();
  return schema->AddField(schema->num_fields(), arrow::field("language", arrow::utf8(), false)).ValueOrDie();
}

// The documents of a WARC file, with the damaged records put aside.
class WarcForPython {
 public:
  WarcForPython(nb::handle source, const std::string& options, std::string name, const std::string& quarantine_folder,
                const std::string& quarantine_name) {
    auto file = Value(OpenSource(source, &name));
    const ExtractOptions extract = Options(Json(options));
    documents_ = Value(WithoutLock([&] { return WarcDocuments::Open(std::move(file), name, extract); }));
    if (!quarantine_folder.empty()) quarantine_.emplace(quarantine_folder, quarantine_name);
  }

  // The next document, or nothing.
  std::optional<Document> Next() {
    Document document;
    const bool more = Value(WithoutLock([&] { return Advance(&document); }));
    if (!more) return std::nullopt;
    return document;
  }

  // Documents of at most so many bytes, but at least one; null at the end.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextBatch(size_t bytes) {
    std::array<arrow::StringBuilder, 7> texts;
    std::array<arrow::Int64Builder, 2> numbers;
    int64_t rows = 0;
    size_t size = 0;
    Document document;
    while (size < bytes) {
      ARROW_ASSIGN_OR_RAISE(const bool more, Advance(&document));
      if (!more) break;
      const std::array<const std::string*, 7> values = {&document.doc_id,  &document.url,  &document.charset,
                                                        &document.text,    &document.date, &document.warc,
                                                        &document.language};
      for (size_t i = 0; i < values.size(); ++i) ARROW_RETURN_NOT_OK(texts[i].Append(*values[i]));
      ARROW_RETURN_NOT_OK(numbers[0].Append(document.offset));
      ARROW_RETURN_NOT_OK(numbers[1].Append(document.length));
      size += document.bytes();
      ++rows;
    }
    if (rows == 0) return nullptr;
    arrow::ArrayVector columns(9);
    for (size_t i = 0; i < 6; ++i) ARROW_RETURN_NOT_OK(texts[i].Finish(&columns[i]));
    ARROW_RETURN_NOT_OK(numbers[0].Finish(&columns[6]));
    ARROW_RETURN_NOT_OK(numbers[1].Finish(&columns[7]));
    ARROW_RETURN_NOT_OK(texts[6].Finish(&columns[8]));
    return arrow::RecordBatch::Make(SchemaWithLanguage(), rows, std::move(columns));
  }

  std::string counts() const { return documents_->counts().ToJson().dump(); }

 private:
  arrow::Result<bool> Advance(Document* document) {
    if (ended_) return false;
    ARROW_ASSIGN_OR_RAISE(const bool more, documents_->Next(document, [this](const QuarantinedRecord& record) {
      return quarantine_ ? quarantine_->Append(record) : arrow::Status::OK();
    }));
    ended_ = !more;
    if (ended_ && quarantine_) ARROW_RETURN_NOT_OK(quarantine_->Finish());
    return more;
  }

  std::unique_ptr<WarcDocuments> documents_;
  std::optional<QuarantineWriter> quarantine_;
  bool ended_ = false;
};

// One page that did not come from a WARC file.
nb::object ExtractPage(const nb::bytes& html, const std::string& options, const std::string& content_type) {
  const std::string header = "HTTP/1.1 200 OK\r\nContent-Type: " + content_type + "\r\n\r\n";
  std::string content;
  content.reserve(header.size() + html.size());
  content.append(header).append(html.c_str(), html.size());
  StoredPage page;
  page.content = content;
  Document document;
  const PageOutcome outcome =
      WithoutLock([&] { return PageExtractor(Options(Json(options))).Extract(page, &document); });
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
      .def_ro("length", &Document::length);
  nb::class_<WarcForPython>(module, "WarcDocuments")
      .def(nb::init<nb::handle, const std::string&, std::string, const std::string&, const std::string&>(),
           nb::arg("source"), nb::arg("options"), nb::arg("name"), nb::arg("quarantine_folder"),
           nb::arg("quarantine_name"))
      .def("next", &WarcForPython::Next)
      .def("next_batch",
           [](WarcForPython& self, size_t bytes) {
             return ToPython(Value(WithoutLock([&] { return self.NextBatch(bytes); })));
           })
      .def("counts", &WarcForPython::counts);
  module.def("extract_page", &ExtractPage, nb::arg("html"), nb::arg("options"), nb::arg("content_type"));
}

}  // namespace uzushio::python
