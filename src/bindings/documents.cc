#include <arrow/builder.h>
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/machine.h"
#include "bindings/declare.h"
#include "bindings/indexed_places.h"
#include "bindings/interop.h"
#include "bindings/interrupts.h"
#include "datasets/dataset.h"
#include "datasets/documents_writer.h"
#include "datasets/full_data_writer.h"
#include "datasets/quarantine_writer.h"
#include "filters/markdown_paragraphs.h"
#include "stages/extract/documents_ahead.h"
#include "stages/extract/indexed_reader.h"
#include "stages/extract/indexed_record_file.h"
#include "stages/extract/options.h"
#include "stages/extract/part_name.h"
#include "stages/extract/warc_documents.h"
#include "storage/inputs.h"

namespace uzushio::python {
namespace {

// `language` and the caps, as `extract` takes them.
ExtractOptions ExtractOptionsOf(const nlohmann::json& json) {
  ExtractOptions options;
  const auto& declared = DeclaredExtractOptions();
  Check(declared.Set(Value(GivenBy(json, declared.declarations())), &options));
  Check(Complete(&options));
  return options;
}

// The documents' columns, and the language, which files have in their path.
std::shared_ptr<arrow::Schema> SchemaWithLanguage() {
  const auto schema = DocumentsSchema();
  return schema->AddField(schema->num_fields(), arrow::field("language", arrow::utf8(), false)).ValueOrDie();
}

// Documents one after another, and what became of the records that they are of.
class DocumentSource {
 public:
  virtual ~DocumentSource() = default;
  // The next document; false at the end. `quarantine` gets damaged records, `end` what was counted of each file, by its
  // number.
  using Quarantine = std::function<arrow::Status(const QuarantinedRecord&)>;
  using End = std::function<arrow::Status(size_t, const ExtractCounts&)>;
  virtual arrow::Result<bool> Next(Document* document, FullData* full, const Quarantine& quarantine,
                                   const End& end) = 0;
  // Of all files, so far.
  virtual ExtractCounts counts() const = 0;
};

// Files in the calling thread, one after another.
class InOneThread final : public DocumentSource {
 public:
  static arrow::Result<std::unique_ptr<DocumentSource>> Make(std::vector<WarcSource> sources,
                                                             const ExtractOptions& options) {
    auto made = std::make_unique<InOneThread>(std::move(sources), options);
    ARROW_RETURN_NOT_OK(made->Open());  // what is wrong with the first is told at once
    return std::unique_ptr<DocumentSource>(std::move(made));
  }
  InOneThread(std::vector<WarcSource> sources, const ExtractOptions& options)
      : sources_(std::move(sources)), options_(options) {}
  // One that is open.
  explicit InOneThread(std::unique_ptr<WarcDocuments> documents) : sources_(1), documents_(std::move(documents)) {}

  arrow::Result<bool> Next(Document* document, FullData* full, const Quarantine& quarantine, const End& end) override {
    while (at_ < sources_.size()) {
      if (documents_ == nullptr) ARROW_RETURN_NOT_OK(Open());
      ARROW_ASSIGN_OR_RAISE(const bool more, documents_->Next(document, quarantine, full));
      if (more) return true;
      const ExtractCounts counts = documents_->counts();
      before_.Add(counts);
      documents_.reset();
      ARROW_RETURN_NOT_OK(end(at_++, counts));
    }
    return false;
  }

  ExtractCounts counts() const override {
    ExtractCounts counts = before_;
    if (documents_ != nullptr) counts.Add(documents_->counts());
    return counts;
  }

 private:
  arrow::Status Open() {
    if (at_ == sources_.size()) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(auto file, sources_[at_].open());
    ARROW_ASSIGN_OR_RAISE(documents_, WarcDocuments::Open(std::move(file), sources_[at_].name, options_));
    return arrow::Status::OK();
  }

  const std::vector<WarcSource> sources_;
  const ExtractOptions options_;
  size_t at_ = 0;
  std::unique_ptr<WarcDocuments> documents_;  // of that file; null where it is not open
  ExtractCounts before_;                      // of those before
};

// Files in threads of their own. Counts are those of the batches of records that were begun.
class InThreads final : public DocumentSource {
 public:
  InThreads(std::vector<WarcSource> sources, const ExtractOptions& options, int threads)
      : process_(getpid()), ahead_(std::make_unique<DocumentsAhead>(std::move(sources), options, threads)) {}
  ~InThreads() override {
    // A forked process has no such threads, and nothing may wait for them.
    if (getpid() != process_) abandoned_ = ahead_.release();
  }

  arrow::Result<bool> Next(Document* document, FullData* /*full*/, const Quarantine& quarantine,
                           const End& end) override {
    if (getpid() != process_) {
      return arrow::Status::Invalid("the archives are read by threads of another process; open them in this one");
    }
    while (true) {
      if (next_ < part_.results.documents.size()) {
        *document = std::move(part_.results.documents[next_++]);
        return true;
      }
      if (part_.ends_source) {
        part_.ends_source = false;
        ARROW_RETURN_NOT_OK(end(part_.source, std::exchange(of_source_, {})));
      }
      ARROW_RETURN_NOT_OK(part_.status);
      ARROW_ASSIGN_OR_RAISE(auto part, ahead_->Next());
      if (!part) return false;
      part_ = *std::move(part);
      next_ = 0;
      of_source_.Add(part_.results.counts);
      counts_.Add(part_.results.counts);
      for (const QuarantinedRecord& record : part_.results.quarantined) ARROW_RETURN_NOT_OK(quarantine(record));
    }
  }

  ExtractCounts counts() const override { return counts_; }

 private:
  const pid_t process_;
  std::unique_ptr<DocumentsAhead> ahead_;
  DocumentsAhead* abandoned_ = nullptr;  // by a forked process
  DocumentsAhead::Part part_;
  size_t next_ = 0;  // of its documents
  ExtractCounts of_source_;
  ExtractCounts counts_;
};

// The documents of WARC files, with the damaged records put aside. Threads that share one take turns.
class WarcForPython {
 public:
  // `sources`: each a path or a file of Python, its name, and that of its file of quarantined records.
  WarcForPython(const nb::list& sources, const std::string& options, const std::filesystem::path& quarantine_folder,
                const std::string& full_data, int threads, const std::string& quarantine_place)
      : quarantine_folder_(quarantine_folder), quarantine_place_(quarantine_place) {
    const ExtractOptions extract = ExtractOptionsOf(Json(options));
    std::vector<WarcSource> opened;
    for (nb::handle source : sources) {
      opened.push_back(Source(source[0], nb::cast<std::string>(source[1])));
      quarantine_names_.push_back(nb::cast<std::string>(source[2]));
      names_.push_back(opened.back().name);
    }
    if (threads == 0) threads = MachineThreads();
    if (threads == 1) {
      documents_ = Value(WithoutLock([&] { return InOneThread::Make(std::move(opened), extract); }));
    } else {
      documents_ = std::make_unique<InThreads>(std::move(opened), extract, threads);
    }
    WriteFullData(full_data);
  }
  // Of one file; `quarantine_name` is that of its files in the folder.
  WarcForPython(std::unique_ptr<DocumentSource> documents, std::string name, std::string quarantine_name,
                const std::filesystem::path& quarantine_folder, const std::string& full_data)
      : documents_(std::move(documents)),
        quarantine_folder_(quarantine_folder),
        quarantine_place_(kQuarantineFolder),
        names_({std::move(name)}),
        quarantine_names_({std::move(quarantine_name)}) {
    WriteFullData(full_data);
  }
  // Threads may be at a file of Python's, for which they want the interpreter's lock.
  ~WarcForPython() {
    const ReleasedLock release;
    documents_.reset();
  }
  WarcForPython(const WarcForPython&) = delete;
  WarcForPython& operator=(const WarcForPython&) = delete;

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

  // Documents of at most so many bytes, but at least one; null at the end. An interrupt ends a batch early: its bytes
  // may be minutes away.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextBatch(size_t bytes) {
    std::array<arrow::StringBuilder, 10> texts;
    std::array<arrow::Int64Builder, 2> numbers;
    int64_t rows = 0;
    size_t size = 0;
    Document document;
    const std::lock_guard lock(mutex_);
    ARROW_RETURN_NOT_OK(std::exchange(late_, arrow::Status::OK()));
    const int64_t interrupts = Interrupts();
    while (size < bytes && (rows == 0 || Interrupts() == interrupts)) {
      const auto more = Advance(&document);
      if (!more.ok() && rows > 0 && !more.status().IsCancelled()) {  // what came before it comes out
        late_ = more.status();
        break;
      }
      ARROW_RETURN_NOT_OK(more);
      if (!*more) break;
      const std::array<const std::string*, 10> values = {
          &document.doc_id, &document.url,   &document.charset, &document.text,    &document.date,
          &document.warc,   &document.title, &document.robots,  &document.license, &document.language};
      for (size_t i = 0; i < values.size(); ++i) ARROW_RETURN_NOT_OK(texts[i].Append(*values[i]));
      ARROW_RETURN_NOT_OK(numbers[0].Append(document.offset));
      ARROW_RETURN_NOT_OK(numbers[1].Append(document.length));
      size += document.bytes();
      ++rows;
    }
    if (rows == 0) return nullptr;
    arrow::ArrayVector columns(12);
    for (size_t i = 0; i < 6; ++i) ARROW_RETURN_NOT_OK(texts[i].Finish(&columns[i]));
    ARROW_RETURN_NOT_OK(numbers[0].Finish(&columns[6]));
    ARROW_RETURN_NOT_OK(numbers[1].Finish(&columns[7]));
    for (size_t i = 6; i < texts.size(); ++i) ARROW_RETURN_NOT_OK(texts[i].Finish(&columns[i + 2]));
    return arrow::RecordBatch::Make(SchemaWithLanguage(), rows, std::move(columns));
  }

  std::string counts() const {
    return WithoutLock([this] {
      const std::lock_guard lock(mutex_);
      return (documents_ == nullptr ? last_counts_ : documents_->counts()).ToJson().dump();
    });
  }

  // Lets go of the files and completes what is quarantined. What was counted stays.
  arrow::Status Close() {
    const std::lock_guard lock(mutex_);
    if (documents_ == nullptr) return arrow::Status::OK();
    last_counts_ = documents_->counts();
    documents_.reset();
    return FinishQuarantine();
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
  // Full data are written in this format; empty: there are none.
  void WriteFullData(const std::string& name) {
    if (const auto format = std::ranges::find(kShardFormats, name, FormatName); format != kShardFormats.end()) {
      full_data_.emplace(quarantine_folder_, quarantine_names_.at(0), format->second);
    } else if (!name.empty()) {
      Raise(arrow::Status::Invalid("full_data: there is no format '", name, "'"));
    }
  }

  // A path is opened when it is read, a file of Python's is looked at now.
  static WarcSource Source(nb::handle source, std::string name) {
    if (const std::optional<std::string> path = PathOf(source)) {
      if (name.empty()) name = WithoutCredentials(NameOfPath(*path));
      return {std::move(name), [path = *path] { return OpenArchive(path); }};
    }
    auto file = Value(OpenFileObject(source, &name));
    return {std::move(name), [file]() -> arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> { return file; }};
  }

  static arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenArchive(const std::string& path) {
    ARROW_ASSIGN_OR_RAISE(const InputFile input, OpenInput(path));
    return input.filesystem->OpenInputFile(input.path);
  }

  arrow::Result<bool> Advance(Document* document) {
    if (documents_ == nullptr) return arrow::Status::Invalid("the archive is closed; read_warc opens it again");
    if (ended_) return false;
    ARROW_ASSIGN_OR_RAISE(
        const bool more, documents_->Next(
                             document, full_data_ ? &full_ : nullptr,
                             [this](const QuarantinedRecord& record) { return PutAside(record); },
                             [this](size_t source, const ExtractCounts& counts) { return EndSource(source, counts); }));
    ended_ = !more;
    if (more && full_data_) ARROW_RETURN_NOT_OK(full_data_->Append(*document, full_));
    if (ended_ && full_data_) ARROW_RETURN_NOT_OK(full_data_->Finish().status());
    return more;
  }

  arrow::Status PutAside(const QuarantinedRecord& record) {
    if (kept_bytes_ < kMostKept) {
      kept_.push_back(record);
      kept_bytes_ += record.bytes.size() + sizeof(QuarantinedRecord);
    }
    if (quarantine_folder_.empty()) return arrow::Status::OK();
    if (!quarantine_) quarantine_.emplace(quarantine_folder_, quarantine_names_[source_], quarantine_place_);
    return quarantine_->Append(record);
  }

  // Of several files, one that can not be read is an error in its turn; of one, the caller decides.
  arrow::Status EndSource(size_t source, const ExtractCounts& counts) {
    source_ = source + 1;
    ARROW_RETURN_NOT_OK(FinishQuarantine());
    if (names_.size() == 1) return arrow::Status::OK();
    arrow::Status status = CheckReadable(names_[source], counts);
    if (status.ok()) return status;
    return status.WithMessage(status.message().substr(0, status.message().find(" With --max-bad")));
  }

  arrow::Status FinishQuarantine() {
    if (!quarantine_) return arrow::Status::OK();
    const arrow::Status status = quarantine_->Finish();
    quarantine_.reset();
    return status;
  }

  static const std::string& FormatName(const std::pair<std::string, ShardFormat>& format) { return format.first; }

  static constexpr size_t kMostKept = size_t{16} << 20;

  mutable std::mutex mutex_;                   // taken without the interpreter's lock, which files of Python need
  std::unique_ptr<DocumentSource> documents_;  // null when closed
  ExtractCounts last_counts_;                  // when closed
  const std::filesystem::path quarantine_folder_;
  const std::string quarantine_place_;         // stands before names in it
  std::vector<std::string> names_;             // of the files
  std::vector<std::string> quarantine_names_;  // of theirs of quarantined records
  size_t source_ = 0;                          // the file that is being read
  std::vector<QuarantinedRecord> kept_;
  size_t kept_bytes_ = 0;  // of all that were ever kept
  std::optional<QuarantineWriter> quarantine_;
  std::optional<FullDataWriter> full_data_;
  FullData full_;       // of the last document
  arrow::Status late_;  // an error behind the last batch
  bool ended_ = false;
};

// The archives of a task, and the file of the records that an index names of them.
class IndexedArchives {
 public:
  // `records`: the file, of which the task has the records from `begin` on, before `end`. `options`: of `extract`.
  // `places`: what stands before the archives' names, as IndexedPlaces has it.
  IndexedArchives(const std::string& records, int64_t begin, int64_t end, const std::string& options,
                  const std::string& places, int64_t gap)
      : options_(ExtractOptionsOf(Json(options))), places_(PlacesOf(Json(places))), gap_(gap) {
    records_ = Value(WithoutLock([&]() -> arrow::Result<std::shared_ptr<const IndexedRecordFile>> {
      ARROW_ASSIGN_OR_RAISE(const InputFile input, OpenInput(records));
      ARROW_ASSIGN_OR_RAISE(auto file, input.filesystem->OpenInputFile(input.path));
      return IndexedRecordFile::Open(std::move(file), begin, end);
    }));
  }

  // The documents of the next archive, JSON with its name in the index, its number among all, and the first, the count
  // and the bytes of its records. Files with this number are written to the folder: damaged records, and full data.
  std::unique_ptr<WarcForPython> Open(const std::string& archive, const std::filesystem::path& folder,
                                      const std::string& full_data) {
    const nlohmann::json json = Json(archive);
    const IndexedRecords::File of = {json.at("name"), json.at("first"), json.at("count"), json.at("bytes")};
    opened_ = {};
    std::string name;
    auto documents = Value(WithoutLock([&]() -> arrow::Result<std::unique_ptr<DocumentSource>> {
      ARROW_ASSIGN_OR_RAISE(const InputFile input, places_.Locate(of.name));
      name = input.name;
      ARROW_ASSIGN_OR_RAISE(auto reader, OpenByIndex(input, records_, of, gap_, options_.limits, &opened_));
      return std::make_unique<InOneThread>(std::make_unique<WarcDocuments>(std::move(reader), name, options_));
    }));
    return std::make_unique<WarcForPython>(std::move(documents), std::move(name),
                                           PartName(json.at("index").get<size_t>()), folder, full_data);
  }

  // Whether the archive that was opened last, on a local file system, is what it was then.
  void CheckUnchanged() const {
    if (opened_.filesystem == nullptr) return;
    Check(WithoutLock([this] { return uzushio::CheckUnchanged({opened_}); }));
  }

 private:
  const ExtractOptions options_;
  IndexedFiles places_;
  const int64_t gap_;
  std::shared_ptr<const IndexedRecordFile> records_;
  InputFile opened_;
};

std::optional<std::string> CheckExtractOptions(const std::string& options) {
  const ExtractOptions extract = ExtractOptionsOf(Json(options));
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
  const ExtractOptions extract = ExtractOptionsOf(Json(options));
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
      .def_ro("title", &Document::title)
      .def_ro("robots", &Document::robots)
      .def_ro("license", &Document::license);
  nb::class_<WarcForPython>(module, "WarcDocuments")
      .def(nb::init<const nb::list&, const std::string&, const std::filesystem::path&, const std::string&, int,
                    const std::string&>(),
           nb::arg("sources"), nb::arg("options"), nb::arg("quarantine_folder"), nb::arg("full_data") = "",
           nb::arg("threads") = 1, nb::arg("quarantine_place") = kQuarantineFolder,
           nb::sig("def __init__(self, sources: list[tuple[object, str, str]], options: str, "
                   "quarantine_folder: str | os.PathLike[str], full_data: str = '', threads: int = 1, "
                   "quarantine_place: str = ...) -> None"),
           "Sources have names, and others for files in `quarantine_folder`: damaged records, and full data of the "
           "format, which wants one source and one thread. Of 0 `threads` there are as many as the machine has.")
      .def("next", &WarcForPython::Next)
      .def("next_batch",
           [](WarcForPython& self, size_t bytes) {
             return ToPython(Value(WithoutLock([&] { return self.NextBatch(bytes); })));
           })
      .def("close", [](WarcForPython& self) { Check(WithoutLock([&] { return self.Close(); })); })
      .def("counts", &WarcForPython::counts)
      .def("take_quarantined", &WarcForPython::TakeQuarantined,
           nb::sig("def take_quarantined(self) -> list[tuple[str, int, int, str, bytes]]"));
  nb::class_<IndexedArchives>(module, "IndexedArchives", "Archives of which an index names records.")
      .def(nb::init<const std::string&, int64_t, int64_t, const std::string&, const std::string&, int64_t>(),
           nb::arg("records"), nb::arg("begin"), nb::arg("end"), nb::arg("options"), nb::arg("places"), nb::arg("gap"))
      .def("open", &IndexedArchives::Open, nb::arg("archive"), nb::arg("folder"), nb::arg("full_data"))
      .def("check_unchanged", &IndexedArchives::CheckUnchanged,
           "Raises when the local archive that was opened last has changed since.");
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
