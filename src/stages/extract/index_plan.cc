#include "stages/extract/index_plan.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <utility>

#include "base/parallel.h"
#include "stages/extract/indexed_reader.h"
#include "storage/percent_text.h"

namespace uzushio {
namespace {

std::string WithoutLastSlashes(std::string text) {
  while (text.ends_with('/')) text.pop_back();
  return text;
}

bool LeadsUp(const std::string& name) { return ("/" + name + "/").find("/../") != std::string::npos; }

// The path of a URI, whose host ends at `host`, below that of its root. What is below a base is a name as the store has
// it; a URI has its percent signs escaped.
std::string PathOfUri(std::string folder, const std::string& uri, size_t host, const std::string& base) {
  if (!folder.ends_with('/')) folder += '/';
  const size_t begin = std::min(host + 1, uri.size());
  if (base.empty()) return folder + PercentDecoded(uri.substr(begin));
  const size_t end = std::max(begin, base.size());
  return folder + PercentDecoded(uri.substr(begin, end - begin)) + uri.substr(end);
}

// Whether what a row says can be no place: of no file system, or of a bucket that is not there. Where a store does not
// answer, it may be one.
bool IsNoPlace(const arrow::Status& status) {
  return status.IsInvalid() || status.message().find("' not found") != std::string::npos;
}

}  // namespace

const std::string& IndexedPlaces::Before(const std::string& name) const {
  if (!base.empty() || SchemeLength(name) > 0) return base;
  return name.starts_with('/') ? root : folder;
}

arrow::Result<InputFile> IndexedFiles::Locate(const std::string& name) {
  const std::string& base = places_.Before(name);
  InputFile file;
  file.name = base + name;
  const size_t scheme = SchemeLength(file.name);
  const size_t host = scheme == 0 ? 0 : std::min(file.name.find('/', scheme + 3), file.name.size());
  const std::string root = file.name.substr(0, host);
  auto found = filesystems_.find(root);
  if (found == filesystems_.end()) {
    auto place = LocateInput(scheme == 0 ? "." : root + "/");
    if (IsNoPlace(place.status()) && places_.base.empty()) {
      file.name = WithoutCredentials(file.name);
      return file;
    }
    if (!place.ok()) return place.status();
    found = filesystems_.emplace(root, *std::move(place)).first;
  }
  file.filesystem = found->second.filesystem;
  file.path = file.name;
  if (scheme > 0) {
    file.path = PathOfUri(found->second.path, file.name, host, base);
    const InputPlace& place = found->second;
    const bool is_path_of_uri = WithoutLastSlashes(place.File(arrow::fs::FileInfo(place.path)).name) ==
                                WithoutLastSlashes(WithoutCredentials(root));
    file.name = is_path_of_uri ? place.File(arrow::fs::FileInfo(file.path)).name : WithoutCredentials(file.name);
  } else if (file.path.substr(0, file.path.find('/')).find(':') != std::string::npos) {
    file.path.insert(0, "./");  // Arrow takes `page:1` for a URI
  }
  // Below a base nothing leads out of it.
  if (!places_.base.empty() && LeadsUp(name)) file.path.clear();
  if (name.empty() || name.find('\0') != std::string::npos) file.path.clear();
  return file;
}

std::vector<int64_t> PartsOf(const std::vector<IndexedRecords::File>& files, int64_t parts) {
  double all = 0;
  for (const auto& file : files) all += static_cast<double>(file.bytes) + 1;
  std::vector<int64_t> of;
  double before = 0;
  for (const auto& file : files) {
    const double bytes = static_cast<double>(file.bytes) + 1;
    const auto part = static_cast<int64_t>((before + bytes / 2) / all * static_cast<double>(parts));
    of.push_back(std::clamp<int64_t>(part, 0, parts - 1));
    before += bytes;
  }
  return of;
}

arrow::Status ParsePart(const std::string& text, int64_t* part, int64_t* parts) {
  const size_t slash = text.find('/');
  const auto number = [](std::string_view digits, int64_t* value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *value);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  const bool is_part = slash != std::string::npos && number(std::string_view(text).substr(0, slash), part) &&
                       number(std::string_view(text).substr(slash + 1), parts) && *part >= 1 && *part <= *parts;
  return is_part ? arrow::Status::OK()
                 : arrow::Status::Invalid("--part: '", text, "' is no part; 1/4 is the first of four, 4/4 the last");
}

arrow::Result<IndexPlan> MakeIndexPlan(const IndexedInputs& inputs, int threads) {
  SpillSpace space(inputs.tmp);
  IndexPlan plan;
  ARROW_ASSIGN_OR_RAISE(plan.records, ReadIndexRows(inputs.tables, inputs.query, inputs.memory, threads, &space));
  const std::vector<int64_t> parts = PartsOf(plan.records->files(), inputs.parts);
  IndexedFiles files(inputs.places);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] != inputs.part - 1) continue;
    plan.of.push_back(plan.records->files()[i]);
    ARROW_ASSIGN_OR_RAISE(plan.files.emplace_back(), files.Locate(plan.of.back().name));
    plan.files.back().size = plan.of.back().bytes;
  }
  return plan;
}

arrow::Status CheckFound(const std::vector<InputFile>& files) {
  constexpr size_t kLookedAt = 8;
  const InputFile* missing = nullptr;
  for (size_t i = 0; i < std::min(files.size(), kLookedAt); ++i) {
    if (!files[i].path.empty()) {
      ARROW_ASSIGN_OR_RAISE(const auto info, files[i].filesystem->GetFileInfo(files[i].path));
      if (info.IsFile()) return arrow::Status::OK();
    }
    if (missing == nullptr) missing = &files[i];
  }
  if (missing == nullptr) return arrow::Status::OK();
  return arrow::Status::Invalid("--index: there is no file ", missing->name,
                                ", and none of the others that were looked for; --index-base is what stands before ",
                                "their names, as s3://commoncrawl/. With --max-bad N, their rows are quarantined");
}

arrow::Result<IndexEstimate> EstimateReading(const IndexPlan& plan, int64_t gap, int threads) {
  IndexEstimate estimate;
  estimate.rows = plan.records->counts();
  estimate.files = static_cast<int64_t>(plan.files.size());
  std::mutex mutex;
  ARROW_RETURN_NOT_OK(ParallelFor(threads, plan.files.size(), [&](int, size_t i) -> arrow::Status {
    int64_t size = -1;
    if (!plan.files[i].path.empty()) {
      ARROW_ASSIGN_OR_RAISE(const auto info, plan.files[i].filesystem->GetFileInfo(plan.files[i].path));
      if (info.IsFile()) size = info.size();
    }
    RecordGroups groups(*plan.records, plan.of[i], size, gap);
    RangeCounts counts;
    int64_t faulty = 0;
    int64_t bytes = 0;
    RecordGroup group;
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const bool more, groups.Next(&group));
      if (!more) break;
      for (const IndexedRecord& record : group.records) {
        const bool is_faulty = !PlaceFault(record, size).empty();
        faulty += is_faulty ? 1 : 0;
        bytes += is_faulty ? 0 : record.length;
      }
      counts.ranges += group.range.size() > 0 ? 1 : 0;
      counts.bytes += group.range.size();
    }
    const std::lock_guard lock(mutex);
    estimate.pages += plan.of[i].count;
    estimate.missing_files += size < 0 ? 1 : 0;
    estimate.faulty += faulty;
    estimate.record_bytes += bytes;
    estimate.read_bytes += counts.bytes + (size < 0 ? 0 : std::min<int64_t>(size, 64));
    estimate.file_bytes += std::max<int64_t>(size, 0);
    estimate.requests += counts.ranges + (size < 0 ? 1 : 2);  // and one for the size, one for the first bytes
    return arrow::Status::OK();
  }));
  return estimate;
}

nlohmann::ordered_json IndexEstimate::ToJson() const {
  return {{"table_rows", rows.table_rows},
          {"skipped_rows", rows.skipped},
          {"index_rows", rows.rows},
          {"duplicates", rows.duplicates},
          {"pages", pages},
          {"files", files},
          {"missing_files", missing_files},
          {"faulty", faulty},
          {"record_bytes", record_bytes},
          {"read_bytes", read_bytes},
          {"file_bytes", file_bytes},
          {"requests", requests}};
}

}  // namespace uzushio
