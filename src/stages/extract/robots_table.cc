#include "stages/extract/robots_table.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/memory_plan.h"
#include "base/parallel.h"
#include "base/stop.h"
#include "datasets/dataset.h"
#include "datasets/dataset_check.h"
#include "datasets/quarantine_writer.h"
#include "datasets/robots_columns.h"
#include "datasets/table_writer.h"
#include "document/header_uri.h"
#include "document/origin.h"
#include "document/provenance.h"
#include "document/robots_file.h"
#include "stages/extract/page_extractor.h"
#include "stages/extract/part_name.h"
#include "stages/extract/warc_documents.h"
#include "storage/output_folder.h"
#include "storage/spill_ranges.h"
#include "warc/cdxj.h"
#include "warc/http.h"

namespace uzushio {
namespace {

constexpr size_t kRobotsPartitions = 256;
constexpr int64_t kRecordsBetweenReports = 1000;
constexpr int kReadingParts = 9;  // of ten parts of the progress

// A response to a request of /robots.txt.
struct RobotsCapture {
  std::string origin;
  std::string host;
  std::string date;
  std::string redirect;
  std::string rules;
  std::optional<int64_t> time;
  int status = 0;
  int64_t bytes = 0;
  int64_t offset = 0;
  int64_t length = 0;
};

// Of 304 the rules are those of an older file. 429 is, as for Google, an error of the server; RFC 9309 would have it
// say that all is allowed.
std::string_view AccessOf(int status) {
  constexpr int kNotModified = 304;
  constexpr int kTooManyRequests = 429;
  if (status == kNotModified || status == kTooManyRequests) return kAccessUnknown;
  if (status >= 200 && status < 300) return kAccessRules;
  if (status >= 300 && status < 400) return kAccessRedirect;
  if (status >= 400 && status < 500) return kAccessAll;
  return kAccessUnknown;
}

// Before its texts, one after another.
struct CaptureHead {
  uint64_t key = 0;  // OriginKey
  int64_t time = 0;  // INT64_MIN where it is not known
  int64_t offset = 0;
  int64_t length = 0;
  int64_t bytes = 0;
  uint32_t input = 0;
  int32_t status = 0;
  std::array<uint32_t, 5> sizes{};  // of origin, host, date, redirect, rules
  uint32_t padding = 0;

  size_t text_size() const {
    size_t size = 0;
    for (const uint32_t of_one : sizes) size += of_one;
    return size;
  }
};
static_assert(sizeof(CaptureHead) == 72);  // without bytes between

// A capture as it lies in a partition.
struct CaptureView {
  CaptureHead head;
  std::string_view texts;

  std::string_view text(size_t place) const {
    size_t begin = 0;
    for (size_t i = 0; i < place; ++i) begin += head.sizes[i];
    return texts.substr(begin, head.sizes[place]);
  }
  // The greatest of an origin is its row.
  auto Rank() const { return std::tuple(AccessOf(head.status) != kAccessUnknown, head.time, head.input, head.offset); }
};

// Calls `use(view, record)` for each of the captures in `bytes`.
template <typename Use>
arrow::Status ForEachCapture(std::span<const char> bytes, const Use& use) {
  while (!bytes.empty()) {
    CaptureView view;
    std::memcpy(&view.head, bytes.data(), sizeof view.head);
    const size_t size = sizeof view.head + view.head.text_size();
    view.texts = {bytes.data() + sizeof view.head, size - sizeof view.head};
    ARROW_RETURN_NOT_OK(use(view, bytes.first(size)));
    bytes = bytes.subspan(size);
  }
  return arrow::Status::OK();
}

// What is known of records of archives.
class RobotsReader {
 public:
  enum class Kind { kCapture, kLeftOut, kQuarantined };
  struct Outcome {
    Kind kind;
    std::string_view reason;
  };

  Outcome Read(const WarcRecord& record, RobotsCapture* capture) {
    const Headers& headers = record.headers;
    if (!EqualsIgnoreCase(headers.Get("WARC-Type"), "response")) {
      PageView page;
      const std::string_view reason = SelectPage(record, &page);
      return {Kind::kLeftOut, reason.empty() ? "warc-type/conversion" : reason};
    }
    const std::string_view url = WithoutAngleBrackets(headers.Get("WARC-Target-URI"));
    if (!parts_.Parse(url) || parts_.path != kRobotsPath) return {Kind::kLeftOut, "other-url"};
    if (!headers.Get("WARC-Segment-Number").empty()) return {Kind::kLeftOut, "segmented"};
    if (record.state == WarcRecord::State::kTooLarge) return {Kind::kLeftOut, "page-too-large"};
    if (!ParseHttpResponse(record.content, &response_)) return {Kind::kQuarantined, kHttpMalformed};
    *capture = {};
    capture->status = response_.status;
    if (AccessOf(capture->status) == kAccessRules) {
      const Outcome read = ReadRules(capture);
      if (read.kind != Kind::kCapture) return read;
    } else if (AccessOf(capture->status) == kAccessRedirect) {
      capture->redirect = TargetOf(url);
      parts_.Parse(url);
    }
    capture->origin = parts_.origin;
    capture->host = parts_.host;
    capture->time = ParseCaptureTime(headers.Get("WARC-Date"));
    capture->date = DocumentDate(headers.Get("WARC-Date"), {}, {});
    capture->offset = record.offset;
    capture->length = record.length;
    return {Kind::kCapture, {}};
  }

 private:
  Outcome ReadRules(RobotsCapture* capture) {
    std::string_view body;
    const PageLimits limits;
    switch (DecodeBody(response_, {limits.max_bytes, limits.max_inflation}, &buffer_, &body)) {
      case BodyOutcome::kOk:
      case BodyOutcome::kTruncated:
      case BodyOutcome::kFalseChecksum:
        break;
      case BodyOutcome::kTooLarge:
        return {Kind::kLeftOut, "page-too-large"};
      case BodyOutcome::kInflated:
        return {Kind::kLeftOut, "inflation"};
      case BodyOutcome::kTooWide:
        return {Kind::kQuarantined, "zstd-window"};
      case BodyOutcome::kDamaged:
        return {Kind::kQuarantined, kContentCoding};
    }
    capture->bytes = static_cast<int64_t>(body.size());
    capture->rules = GroupsOfRobots(body);
    return {Kind::kCapture, {}};
  }

  // The origin whose robots.txt a redirect leads to, or empty.
  std::string TargetOf(std::string_view url) {
    const std::string_view location = response_.headers.Get("Location");
    if (location.empty() || !parts_.Parse(location, url) || parts_.path != kRobotsPath) return {};
    return parts_.origin;
  }

  HttpResponse response_;
  UrlOrigin parts_;
  std::string buffer_;
};

// Reads the input files, each by one thread, and puts their captures into partitions by origin.
class RobotsIntake {
 public:
  RobotsIntake(const RobotsTxtConfig& config, const PartitionsPlan& plan, const std::filesystem::path& work,
               SpillPartitions* captures, const std::function<void(const ExtractProgress&)>& on_progress)
      : config_(config), work_(work), on_progress_(on_progress) {
    const int64_t buffer = plan.buffers / config.threads / static_cast<int64_t>(kRobotsPartitions);
    const auto bytes = static_cast<size_t>(std::clamp(buffer, kWriterBuffer.least, kWriterBuffer.most));
    for (int i = 0; i < config.threads; ++i) {
      writers_.push_back(std::make_unique<SpillPartitions::Writer>(captures, bytes));
    }
    for (const InputFile& input : config.inputs) progress_.bytes_total += input.size;
    progress_.bytes_total += progress_.bytes_total / kReadingParts;
  }

  // What was read of each input.
  arrow::Result<std::vector<RobotsTxtCounts>> Run() {
    std::vector<RobotsTxtCounts> counts(config_.inputs.size());
    ARROW_RETURN_NOT_OK(ParallelFor(config_.threads, counts.size(), [&](int thread, size_t i) -> arrow::Status {
      ARROW_RETURN_NOT_OK(Read(i, writers_[static_cast<size_t>(thread)].get(), &counts[i]));
      Report(config_.inputs[i].size, 0);
      return arrow::Status::OK();
    }));
    for (const auto& writer : writers_) ARROW_RETURN_NOT_OK(writer->Flush());
    return counts;
  }

  // The files of records that could not be read; after Run.
  const std::vector<WrittenFile>& files() const { return files_; }

 private:
  arrow::Status Read(size_t input, SpillPartitions::Writer* writer, RobotsTxtCounts* counts) {
    const InputFile& file = config_.inputs[input];
    ARROW_ASSIGN_OR_RAISE(auto opened, file.filesystem->OpenInputFile(file.path));
    ARROW_ASSIGN_OR_RAISE(const auto reader, OpenWarc(std::move(opened), file.name, PageLimits()));
    QuarantineWriter quarantine(work_, PartName(input));
    RobotsReader robots;
    WarcRecord record;
    RobotsCapture capture;
    int64_t told = 0;
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const bool more, reader->Next(&record));
      if (!more) break;
      if (++counts->records % kRecordsBetweenReports == 0) {
        ARROW_RETURN_NOT_OK(CheckStop());
        Report(0, counts->captures - std::exchange(told, counts->captures));
      }
      if (record.state == WarcRecord::State::kBad) {
        counts->quarantined.Add(record.reason);
        ARROW_RETURN_NOT_OK(quarantine.Append(
            {file.name, record.offset, record.length, std::string(record.reason), std::move(record.raw)}));
        continue;
      }
      const auto [kind, reason] = robots.Read(record, &capture);
      if (kind == RobotsReader::Kind::kLeftOut) {
        counts->left_out.Add(reason);
      } else if (kind == RobotsReader::Kind::kQuarantined) {
        counts->quarantined.Add(reason);
        ARROW_RETURN_NOT_OK(quarantine.Append({file.name, record.offset, record.length, std::string(reason),
                                               std::string(record.content.substr(0, WarcRecord::kMaxRawBytes))}));
      } else {
        ++counts->captures;
        if (capture.bytes > static_cast<int64_t>(kMostRobotsBytes)) ++counts->cut;
        ARROW_RETURN_NOT_OK(Put(capture, input, writer));
      }
    }
    Report(0, counts->captures - told);
    counts->file_bytes = file.size;
    ARROW_RETURN_NOT_OK(CheckCounts(file, *counts));
    ARROW_RETURN_NOT_OK(quarantine.Finish());
    if (auto written = quarantine.written()) {
      const std::lock_guard lock(mutex_);
      files_.push_back(*std::move(written));
    }
    return arrow::Status::OK();
  }

  arrow::Status CheckCounts(const InputFile& file, const RobotsTxtCounts& counts) const {
    if (counts.records != counts.captures + counts.left_out.total() + counts.quarantined.total()) {
      return arrow::Status::UnknownError(file.name, ": the counts do not add up; this is a fault of the program");
    }
    if (counts.records > 0 && counts.quarantined.total() == counts.records && !config_.allow_unreadable) {
      return arrow::Status::IOError(file.name, ": nothing in this file can be read; is it a WARC file? With ",
                                    "--max-bad N, such files are quarantined instead");
    }
    return arrow::Status::OK();
  }

  static arrow::Status Put(const RobotsCapture& capture, size_t input, SpillPartitions::Writer* writer) {
    CaptureHead head;
    head.key = OriginKey(capture.origin);
    head.time = capture.time.value_or(INT64_MIN);
    head.offset = capture.offset;
    head.length = capture.length;
    head.bytes = capture.bytes;
    head.input = static_cast<uint32_t>(input);
    head.status = capture.status;
    std::string texts;
    const std::array<const std::string*, 5> all = {&capture.origin, &capture.host, &capture.date, &capture.redirect,
                                                   &capture.rules};
    for (size_t i = 0; i < all.size(); ++i) {
      head.sizes[i] = static_cast<uint32_t>(all[i]->size());
      texts += *all[i];
    }
    return writer->Append(head.key >> 56, {reinterpret_cast<const char*>(&head), sizeof head}, texts);
  }

  void Report(int64_t bytes, int64_t captures) {
    const std::lock_guard lock(mutex_);
    progress_.bytes_done += bytes;
    progress_.documents += captures;
    if (on_progress_) on_progress_(progress_);
  }

  const RobotsTxtConfig& config_;
  const std::filesystem::path& work_;
  const std::function<void(const ExtractProgress&)>& on_progress_;
  std::vector<std::unique_ptr<SpillPartitions::Writer>> writers_;
  std::mutex mutex_;
  ExtractProgress progress_;
  std::vector<WrittenFile> files_;
};

std::shared_ptr<arrow::Schema> RobotsTableSchema() {
  const auto text = [](const char* name) { return arrow::field(name, arrow::utf8(), false); };
  const auto number = [](const char* name) { return arrow::field(name, arrow::int64(), false); };
  return arrow::schema({text("origin"), text("host"), arrow::field("status", arrow::int32(), false), text("access"),
                        text("date"), text("redirect"), text("agents"), text("rules"), number("bytes"), text("warc"),
                        number("offset"), number("length")});
}

// Writes the row of each origin, in order of keys.
class RobotsRows {
 public:
  RobotsRows(const RobotsTxtConfig& config, TableWriter* table, RobotsTxtCounts* counts)
      : config_(config), table_(*table), counts_(*counts) {}

  arrow::Status WritePartition(SpillPartitions* captures, size_t partition, int64_t most) {
    const auto each = [](std::span<const char> bytes, const auto& f) {
      return ForEachCapture(
          bytes, [&f](const CaptureView& view, std::span<const char> record) { return f(view.head.key, record); });
    };
    return ForEachRangeOf(
        captures, partition, most, each, [this](const Bytes& bytes) { return WriteRange(bytes); },
        [this](SpillPartitions* from, size_t equal) { return WriteEqual(from, equal); });
  }

 private:
  arrow::Status WriteRange(const Bytes& bytes) {
    std::vector<CaptureView> views;
    ARROW_RETURN_NOT_OK(
        ForEachCapture({bytes.data.get(), bytes.size}, [&views](const CaptureView& view, std::span<const char>) {
          views.push_back(view);
          return arrow::Status::OK();
        }));
    std::ranges::sort(views, [](const CaptureView& a, const CaptureView& b) {
      if (a.head.key != b.head.key) return a.head.key < b.head.key;
      if (a.text(0) != b.text(0)) return a.text(0) < b.text(0);
      return b.Rank() < a.Rank();
    });
    for (size_t i = 0; i < views.size(); ++i) {
      if (i == 0 || views[i].text(0) != views[i - 1].text(0)) ARROW_RETURN_NOT_OK(Write(views[i]));
    }
    return arrow::Status::OK();
  }

  // Captures of one origin that are more than fit, hardly ever of another.
  arrow::Status WriteEqual(SpillPartitions* from, size_t equal) {
    std::map<std::string, std::pair<CaptureHead, std::string>, std::less<>> best;
    ARROW_RETURN_NOT_OK(from->TakeChunks(equal, [&best](std::span<const char> bytes) {
      return ForEachCapture(bytes, [&best](const CaptureView& view, std::span<const char>) {
        const auto found = best.find(view.text(0));
        if (found == best.end()) {
          best.emplace(view.text(0), std::pair(view.head, std::string(view.texts)));
        } else if (CaptureView{found->second.first, found->second.second}.Rank() < view.Rank()) {
          found->second = {view.head, std::string(view.texts)};
        }
        return arrow::Status::OK();
      });
    }));
    for (const auto& [origin, of_origin] : best) {
      ARROW_RETURN_NOT_OK(Write(CaptureView{of_origin.first, of_origin.second}));
    }
    return arrow::Status::OK();
  }

  arrow::Status Write(const CaptureView& view) {
    const CaptureHead& head = view.head;
    const std::string_view rules = view.text(4);
    std::string agents;
    for (const std::string& name : NamesInGroups(rules)) agents += (agents.empty() ? "" : "\n") + name;
    table_.Text(view.text(0));
    table_.Text(view.text(1));
    table_.Int32(head.status);
    table_.Text(AccessOf(head.status));
    table_.Text(view.text(2));
    table_.Text(view.text(3));
    table_.Text(agents);
    table_.Text(rules);
    table_.Int64(head.bytes);
    table_.Text(config_.inputs[head.input].name);
    table_.Int64(head.offset);
    table_.Int64(head.length);
    ++counts_.origins;
    counts_.access.Add(AccessOf(head.status));
    return table_.EndRow();
  }

  const RobotsTxtConfig& config_;
  TableWriter& table_;
  RobotsTxtCounts& counts_;
};

}  // namespace

const Options<RobotsTxtConfig>& DeclaredRobotsTxt() {
  static const auto options = Options<RobotsTxtConfig>().With(DeclaredOutputFolder()).Required().With(DeclaredTmp());
  return options;
}

void RobotsTxtCounts::Add(const RobotsTxtCounts& other) {
  records += other.records;
  captures += other.captures;
  origins += other.origins;
  older += other.older;
  cut += other.cut;
  access.Add(other.access);
  left_out.Add(other.left_out);
  quarantined.Add(other.quarantined);
  file_bytes += other.file_bytes;
}

nlohmann::json RobotsTxtCounts::ToJson() const {
  return {{"records", records},
          {"captures", captures},
          {"origins", origins},
          {"older", older},
          {"cut", cut},
          {"access", access.counts()},
          {"left_out", left_out.counts()},
          {"quarantined", quarantined.counts()},
          {"file_bytes", file_bytes}};
}

arrow::Result<RobotsTxtResult> RunRobotsTxt(const RobotsTxtConfig& config,
                                            const std::function<void(const ExtractProgress&)>& on_progress) {
  nlohmann::json run = {{"stage", "robots-txt"}, {"version", UZUSHIO_VERSION}, {"inputs", InputNames(config.inputs)}};
  ARROW_ASSIGN_OR_RAISE(nlohmann::json configuration, DeclaredRobotsTxt().IdentityOf(config));
  if (!configuration.empty()) run["configuration"] = std::move(configuration);
  ARROW_ASSIGN_OR_RAISE(auto output, OutputFolder::Open(config.output, run, config.overwrite, config.tmp));
  RobotsTxtResult result;
  if (output->done()) {
    ARROW_ASSIGN_OR_RAISE(result.counts, output->Counts());
    result.was_done = true;
    return result;
  }
  const PartitionsPlan plan = PlanPartitions(config.memory, config.threads);
  SpillSpace space(config.tmp);
  MemoryBudget budget(plan.partitions);
  SpillPartitions captures(kRobotsPartitions, &budget, &space);
  RobotsIntake intake(config, plan, output->work(), &captures, on_progress);
  ARROW_ASSIGN_OR_RAISE(const std::vector<RobotsTxtCounts> read, intake.Run());
  RobotsTxtCounts counts;
  for (const RobotsTxtCounts& of_input : read) counts.Add(of_input);
  ARROW_ASSIGN_OR_RAISE(const auto table, TableWriter::Create(output->work() / kRobotsTableFile, RobotsTableSchema()));
  RobotsRows rows(config, table.get(), &counts);
  for (size_t partition = 0; partition < kRobotsPartitions; ++partition) {
    ARROW_RETURN_NOT_OK(CheckStop());
    ARROW_RETURN_NOT_OK(rows.WritePartition(&captures, partition, plan.load * config.threads));
  }
  ARROW_RETURN_NOT_OK(table->Finish());
  counts.older = counts.captures - counts.origins;
  std::vector<WrittenFile> files = intake.files();
  std::ranges::sort(files, {}, &WrittenFile::path);
  files.insert(files.begin(), table->file().Written(kRobotsTableFile, table->rows()));
  ARROW_RETURN_NOT_OK(CheckUnchanged(config.inputs));
  result.counts = counts.ToJson();
  result.spilled_bytes = space.bytes_written();
  ARROW_RETURN_NOT_OK(output->Commit({{"counts", result.counts}, {"files", files}}));
  return result;
}

}  // namespace uzushio
