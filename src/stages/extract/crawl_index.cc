#include "stages/extract/crawl_index.h"

#include <arrow/builder.h>
#include <arrow/table.h>
#include <parquet/arrow/writer.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <utility>

#include "base/guard.h"
#include "base/json.h"
#include "base/parallel.h"
#include "base/stop.h"
#include "datasets/dataset.h"
#include "datasets/dataset_check.h"
#include "datasets/file_properties.h"
#include "datasets/quarantine_writer.h"
#include "document/header_uri.h"
#include "document/host.h"
#include "html/encoding.h"
#include "lang/iso639.h"
#include "stages/extract/page_extractor.h"
#include "stages/extract/part_name.h"
#include "stages/extract/warc_documents.h"
#include "storage/hashed_file.h"
#include "storage/line_reader.h"
#include "storage/output_folder.h"
#include "warc/cdxj.h"

namespace uzushio {

const std::vector<std::string_view> kCdxjSuffixes = {".cdxj", ".cdx", ".gz", ".zst"};

namespace {

constexpr size_t kGroupBytes = size_t{8} << 20;
constexpr int64_t kGroupRows = int64_t{1} << 17;
constexpr size_t kMostCdxjLine = size_t{1} << 20;

// The Parquet file of one input.
class CaptureWriter {
 public:
  CaptureWriter(std::filesystem::path folder, const std::string& name)
      : folder_(std::move(folder)), path_(name + ".parquet") {}

  arrow::Status Append(const Capture& capture) {
    const CaptureHost host = HostOfCapture(capture.url);
    const std::array<const std::string*, kTexts> texts = {
        &capture.url,           &host.name,       &host.tld,          &capture.digest,    &capture.mime,
        &capture.mime_detected, &capture.charset, &capture.languages, &capture.truncated, &capture.file};
    for (size_t i = 0; i < kTexts; ++i) {
      ARROW_RETURN_NOT_OK(texts[i]->empty() ? texts_[i].AppendNull() : texts_[i].Append(*texts[i]));
      bytes_ += texts[i]->size() + sizeof(int32_t);
    }
    ARROW_RETURN_NOT_OK(capture.time ? times_.Append(*capture.time) : times_.AppendNull());
    ARROW_RETURN_NOT_OK(capture.status ? statuses_.Append(static_cast<int16_t>(*capture.status))
                                       : statuses_.AppendNull());
    ARROW_RETURN_NOT_OK(offsets_.Append(capture.offset));
    ARROW_RETURN_NOT_OK(lengths_.Append(capture.length));
    bytes_ += sizeof(int64_t) * 4;
    ++rows_;
    return bytes_ >= kGroupBytes || lengths_.length() >= kGroupRows ? Flush() : arrow::Status::OK();
  }

  arrow::Result<WrittenFile> Finish() {
    if (writer_ == nullptr) ARROW_RETURN_NOT_OK(Open());
    ARROW_RETURN_NOT_OK(Flush());
    ARROW_RETURN_NOT_OK(writer_->Close());
    ARROW_RETURN_NOT_OK(file_->Close());
    return file_->Written(path_, rows_);
  }

 private:
  static constexpr size_t kTexts = 10;

  arrow::Status Open() {
    ARROW_ASSIGN_OR_RAISE(file_, HashedFile::Create(folder_ / path_));
    parquet::WriterProperties::Builder properties = FileProperties();
    for (const char* name : {"url_host_name", "url_host_tld", "content_mime_type", "content_mime_detected",
                             "content_charset", "content_languages", "content_truncated", "warc_filename"}) {
      properties.enable_dictionary(name);
    }
    ARROW_ASSIGN_OR_RAISE(writer_, parquet::arrow::FileWriter::Open(*CaptureSchema(), arrow::default_memory_pool(),
                                                                    file_, properties.build()));
    return arrow::Status::OK();
  }

  arrow::Status Flush() {
    const int64_t rows = lengths_.length();
    if (rows == 0) return arrow::Status::OK();
    if (writer_ == nullptr) ARROW_RETURN_NOT_OK(Open());
    std::array<std::shared_ptr<arrow::Array>, kTexts> texts;
    for (size_t i = 0; i < kTexts; ++i) ARROW_RETURN_NOT_OK(texts_[i].Finish(&texts[i]));
    std::shared_ptr<arrow::Array> times;
    std::shared_ptr<arrow::Array> statuses;
    std::shared_ptr<arrow::Array> offsets;
    std::shared_ptr<arrow::Array> lengths;
    ARROW_RETURN_NOT_OK(times_.Finish(&times));
    ARROW_RETURN_NOT_OK(statuses_.Finish(&statuses));
    ARROW_RETURN_NOT_OK(offsets_.Finish(&offsets));
    ARROW_RETURN_NOT_OK(lengths_.Finish(&lengths));
    const std::vector<std::shared_ptr<arrow::Array>> columns = {texts[0], texts[1], texts[2], times,    statuses,
                                                                texts[3], texts[4], texts[5], texts[6], texts[7],
                                                                texts[8], texts[9], offsets,  lengths};
    bytes_ = 0;
    return writer_->WriteTable(*arrow::Table::Make(CaptureSchema(), columns, rows), rows);
  }

  std::filesystem::path folder_;
  std::string path_;
  std::array<arrow::StringBuilder, kTexts> texts_;
  arrow::TimestampBuilder times_{CaptureSchema()->GetFieldByName("fetch_time")->type(), arrow::default_memory_pool()};
  arrow::Int16Builder statuses_;
  arrow::Int64Builder offsets_;
  arrow::Int64Builder lengths_;
  size_t bytes_ = 0;
  int64_t rows_ = 0;
  std::shared_ptr<HashedFile> file_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
};

std::string AsUtf8(std::string_view bytes) {
  std::string buffer;
  return std::string(Encoding::Utf8().Decode(bytes, &buffer));
}

// What is known of records of archives.
class CaptureReader {
 public:
  explicit CaptureReader(const PageLimits& limits) : extractor_(OptionsWith(limits)) {}

  // Why the record has no row, or empty.
  std::string_view Read(const WarcRecord& record, const std::string& file, Capture* capture) {
    PageView page;
    const std::string_view reason = SelectPage(record, &page);
    if (reason.starts_with("warc-type/") || reason == "segmented") return reason;
    if (!record.is_alone) return "shared-member";
    const Headers& headers = record.headers;
    const std::string_view url = WithoutAngleBrackets(headers.Get("WARC-Target-URI"));
    if (url.empty()) return "no-url";
    *capture = {};
    capture->url = AsUtf8(url);
    capture->time = ParseCaptureTime(headers.Get("WARC-Date"));
    capture->digest = AsUtf8(PlainDigest(headers.Get("WARC-Payload-Digest")));
    capture->truncated = AsUtf8(headers.Get("WARC-Truncated"));
    capture->file = file;
    capture->offset = record.offset;
    capture->length = record.length;
    if (record.state != WarcRecord::State::kOk) return {};
    if (EqualsIgnoreCase(headers.Get("WARC-Type"), "response")) {
      ReadResponse(record.content, capture);
    } else {
      capture->mime = AsUtf8(ParseContentType(headers.Get("Content-Type")).essence);
      capture->mime_detected = "text/plain";
    }
    if (!reason.empty()) return {};
    const PageOutcome outcome = extractor_.Extract(page, &document_);
    if (outcome.kind != PageOutcome::Kind::kDocument) return {};
    capture->charset = document_.charset;
    capture->languages = Iso639Part3(document_.language);
    return {};
  }

 private:
  static ExtractOptions OptionsWith(const PageLimits& limits) {
    ExtractOptions options;
    options.codes.clear();
    options.limits = limits;
    return options;
  }

  void ReadResponse(std::string_view content, Capture* capture) {
    if (!ParseHttpResponse(content, &response_)) return;
    capture->status = response_.status;
    const std::string_view essence = ContentTypeOf(response_.headers).essence;
    capture->mime = AsUtf8(essence);
    // What is coded is looked at by its type alone.
    const bool is_coded = response_.headers.Find("Content-Encoding") || response_.headers.Find("Transfer-Encoding");
    switch (ClassifyMedia(essence, is_coded ? std::string_view() : response_.body)) {
      case MediaType::kHtml:
        capture->mime_detected = essence == "application/xhtml+xml" ? "application/xhtml+xml" : "text/html";
        break;
      case MediaType::kText:
        capture->mime_detected = "text/plain";
        break;
      case MediaType::kOther:
        capture->mime_detected = capture->mime.empty() ? "application/octet-stream" : capture->mime;
    }
  }

  PageExtractor extractor_;
  Document document_;
  HttpResponse response_;
};

// Indexes the input files, each by one thread.
class Indexer {
 public:
  Indexer(const IndexConfig& config, OutputFolder* output,
          const std::function<void(const ExtractProgress&)>& on_progress)
      : config_(config), output_(*output), on_progress_(on_progress) {
    for (const InputFile& input : config.inputs) progress_.bytes_total += input.size;
  }

  arrow::Result<nlohmann::json> Part(size_t input) {
    const InputFile& file = config_.inputs[input];
    ARROW_ASSIGN_OR_RAISE(nlohmann::json part, output_.FinishedPart(PartName(input)));
    const auto finished = IndexCounts::FromJson(MemberOf(part, "counts"));
    if (!finished.ok()) {
      ARROW_ASSIGN_OR_RAISE(part, Write(file, PartName(input)));
      ARROW_RETURN_NOT_OK(output_.FinishPart(PartName(input), part));
    }
    Report(file.size, finished.ok() ? finished->rows : 0);
    return part;
  }

 private:
  arrow::Result<nlohmann::json> Write(const InputFile& file, const std::string& name) {
    CaptureWriter writer(output_.work(), name);
    QuarantineWriter quarantine(output_.work(), name);
    IndexCounts counts;
    counts.file_bytes = file.size;
    ARROW_RETURN_NOT_OK(config_.from_cdxj ? ReadLines(file, &writer, &quarantine, &counts)
                                          : ReadRecords(file, &writer, &quarantine, &counts));
    if (counts.records != counts.rows + counts.left_out.total() + counts.quarantined.total()) {
      return arrow::Status::UnknownError(file.name, ": the counts do not add up; this is a fault of the program");
    }
    if (counts.records > 0 && counts.quarantined.total() == counts.records && !config_.allow_unreadable) {
      return arrow::Status::IOError(file.name, ": nothing in this file can be read; is it ",
                                    config_.from_cdxj ? "CDXJ" : "a WARC file",
                                    "? With --max-bad N, such files are quarantined instead");
    }
    std::vector<WrittenFile> files;
    ARROW_ASSIGN_OR_RAISE(files.emplace_back(), writer.Finish());
    ARROW_RETURN_NOT_OK(quarantine.Finish());
    if (auto written = quarantine.written()) files.push_back(*std::move(written));
    return nlohmann::json{{"counts", counts.ToJson()}, {"files", files}};
  }

  arrow::Status ReadRecords(const InputFile& input, CaptureWriter* writer, QuarantineWriter* quarantine,
                            IndexCounts* counts) {
    ARROW_ASSIGN_OR_RAISE(auto file, input.filesystem->OpenInputFile(input.path));
    ARROW_ASSIGN_OR_RAISE(const auto reader, OpenWarc(std::move(file), input.name, config_.limits));
    CaptureReader captures(config_.limits);
    WarcRecord record;
    Capture capture;
    int64_t told = 0;
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const bool more, reader->Next(&record));
      if (!more) break;
      ++counts->records;
      if (record.state == WarcRecord::State::kBad) {
        counts->quarantined.Add(record.reason);
        ARROW_RETURN_NOT_OK(quarantine->Append(
            {input.name, record.offset, record.length, std::string(record.reason), std::move(record.raw)}));
        continue;
      }
      const std::string_view reason = captures.Read(record, input.name, &capture);
      if (!reason.empty()) {
        counts->left_out.Add(reason);
        continue;
      }
      ++counts->rows;
      ARROW_RETURN_NOT_OK(writer->Append(capture));
      if (counts->rows - told < kRowsBetweenReports) continue;
      told = counts->rows;
      ARROW_RETURN_NOT_OK(CheckStop());
      Report(0, kRowsBetweenReports);
    }
    return arrow::Status::OK();
  }

  arrow::Status ReadLines(const InputFile& input, CaptureWriter* writer, QuarantineWriter* quarantine,
                          IndexCounts* counts) const {
    LineReader lines(input, kMostCdxjLine);
    Capture capture;
    while (true) {
      bool cut = false;
      ARROW_ASSIGN_OR_RAISE(const auto line, lines.Next(&cut));
      if (!line) return arrow::Status::OK();
      if (!cut && IsCdxjHeader(*line)) continue;
      ++counts->records;
      const std::string_view reason = cut ? "too-long" : ParseCdxj(*line, &capture);
      if (reason.empty()) {
        ++counts->rows;
        ARROW_RETURN_NOT_OK(writer->Append(capture));
        continue;
      }
      counts->quarantined.Add(reason);
      ARROW_RETURN_NOT_OK(
          quarantine->Append({input.name, lines.offset(), lines.length(), std::string(reason), std::string(*line)}));
    }
  }

  void Report(int64_t bytes, int64_t rows) {
    const std::lock_guard lock(mutex_);
    progress_.bytes_done += bytes;
    progress_.documents += rows;
    if (on_progress_) on_progress_(progress_);
  }

  static constexpr int64_t kRowsBetweenReports = 1000;

  const IndexConfig& config_;
  OutputFolder& output_;
  const std::function<void(const ExtractProgress&)>& on_progress_;
  std::mutex mutex_;
  ExtractProgress progress_;
};

arrow::Result<nlohmann::json> IndexIdentity(const IndexConfig& config) {
  ARROW_ASSIGN_OR_RAISE(nlohmann::json configuration, DeclaredCrawlIndex().IdentityOf(config));
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json limits, DeclaredPageLimits().IdentityOf(config.limits));
  configuration.update(limits);
  return IdentityOfRun("index", config.inputs, configuration);
}

}  // namespace

const Options<IndexConfig>& DeclaredCrawlIndex() {
  static const auto options =
      Options<IndexConfig>()
          .With(DeclaredOutputFolder())
          .Required()
          .Flag("from-cdxj", &IndexConfig::from_cdxj,
                "Inputs are lines of CDXJ, plain or gzip, as pywb and Common Crawl write them")
          .Alias("from")
          .InShortHelp()
          .Identity("from", [](const IndexConfig& config) { return config.from_cdxj ? "cdxj" : "warc"; });
  return options;
}

std::shared_ptr<arrow::Schema> CaptureSchema() {
  const auto text = [](const char* name) { return arrow::field(name, arrow::utf8()); };
  static const auto kSchema = arrow::schema(
      {text("url"), text("url_host_name"), text("url_host_tld"),
       arrow::field("fetch_time", arrow::timestamp(arrow::TimeUnit::MILLI, "UTC")),
       arrow::field("fetch_status", arrow::int16()), text("content_digest"), text("content_mime_type"),
       text("content_mime_detected"), text("content_charset"), text("content_languages"), text("content_truncated"),
       text("warc_filename"), arrow::field("warc_record_offset", arrow::int64()),
       arrow::field("warc_record_length", arrow::int64())});
  return kSchema;
}

CaptureHost HostOfCapture(const std::string& url) {
  Location location;
  if (!location.Parse(url)) return {};
  const size_t dot = location.host.rfind('.');
  std::string tld = location.is_address ? "" : location.host.substr(dot == std::string::npos ? 0 : dot + 1);
  return {std::move(location.host), std::move(tld)};
}

void IndexCounts::Add(const IndexCounts& other) {
  records += other.records;
  rows += other.rows;
  left_out.Add(other.left_out);
  quarantined.Add(other.quarantined);
  file_bytes += other.file_bytes;
}

nlohmann::json IndexCounts::ToJson() const {
  return {{"records", records},
          {"rows", rows},
          {"left_out", left_out.counts()},
          {"quarantined", quarantined.counts()},
          {"file_bytes", file_bytes}};
}

arrow::Result<IndexCounts> IndexCounts::FromJson(const nlohmann::json& json) {
  IndexCounts counts;
  try {
    counts.records = json.at("records").get<int64_t>();
    counts.rows = json.at("rows").get<int64_t>();
    counts.file_bytes = json.at("file_bytes").get<int64_t>();
    for (const auto& [reason, count] : json.at("left_out").items()) counts.left_out.Add(reason, count.get<int64_t>());
    for (const auto& [reason, count] : json.at("quarantined").items())
      counts.quarantined.Add(reason, count.get<int64_t>());
  } catch (const nlohmann::json::exception& error) {
    return arrow::Status::Invalid("damaged counts of an earlier run: ", error.what());
  }
  return counts;
}

arrow::Result<IndexResult> RunIndex(const IndexConfig& config,
                                    const std::function<void(const ExtractProgress&)>& on_progress) {
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json run, IndexIdentity(config));
  ARROW_ASSIGN_OR_RAISE(auto output, OutputFolder::Open(config.output, run, config.overwrite));
  IndexResult result;
  if (output->done()) {
    ARROW_ASSIGN_OR_RAISE(const nlohmann::json counts, output->Counts());
    ARROW_ASSIGN_OR_RAISE(result.counts, IndexCounts::FromJson(counts));
    result.was_done = true;
    return result;
  }
  Indexer indexer(config, output.get(), on_progress);
  std::vector<nlohmann::json> parts(config.inputs.size());
  ARROW_RETURN_NOT_OK(ParallelFor(config.threads, parts.size(), [&](int, size_t i) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(parts[i], indexer.Part(i));
    return arrow::Status::OK();
  }));
  nlohmann::json files = nlohmann::json::array();
  for (const nlohmann::json& part : parts) {
    ARROW_ASSIGN_OR_RAISE(const IndexCounts counts, IndexCounts::FromJson(MemberOf(part, "counts")));
    result.counts.Add(counts);
    const nlohmann::json& of_part = MemberOf(part, "files");
    files.insert(files.end(), of_part.begin(), of_part.end());
  }
  ARROW_RETURN_NOT_OK(CheckUnchanged(config.inputs));
  ARROW_RETURN_NOT_OK(output->Commit({{"counts", result.counts.ToJson()}, {"files", files}}));
  return result;
}

}  // namespace uzushio
