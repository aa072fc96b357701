#include "filters/host_lists.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/util/key_value_metadata.h>
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "storage/hashed_file.h"
#include "storage/inputs.h"
#include "storage/line_reader.h"
#include "storage/local_files.h"
#include "storage/temporary_folder.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "uzushio hosts 1";
constexpr std::string_view kArrowMagic = "ARROW1";
// No host or URL of a list is longer.
constexpr size_t kMaxLine = size_t{64} << 10;
constexpr size_t kShownBytes = 100;
// Two to four entries for each place of the directory, which is at most 4 MiB.
constexpr int kMaxHostBits = 20;
constexpr int64_t kHostsPerPlace = 2;

struct MarkedKey {
  uint64_t key = 0;
  uint32_t mark = 0;
  auto operator<=>(const MarkedKey&) const = default;
};

uint64_t Checksum(const uint64_t* keys, const uint32_t* marks, int64_t size) {
  const auto count = static_cast<size_t>(size);
  return XXH3_64bits_withSeed(marks, count * sizeof(uint32_t), XXH3_64bits(keys, count * sizeof(uint64_t)));
}

// The first bytes of a line, in one line of ASCII.
std::string ShownLine(std::string_view line) {
  std::string shown;
  for (const char c : line.substr(0, kShownBytes)) {
    if (c >= ' ' && c <= '~') {
      shown += c;
    } else {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return shown + (line.size() > kShownBytes ? "…" : "");
}

arrow::Result<bool> IsCompiled(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(const auto file, arrow::io::ReadableFile::Open(path));
  ARROW_ASSIGN_OR_RAISE(const auto head, file->Read(static_cast<int64_t>(kArrowMagic.size())));
  return std::string_view(*head) == kArrowMagic;
}

// A file `name` of a folder, compressed or not; nothing where there is none.
arrow::Result<std::optional<std::string>> FileOf(const fs::path& folder, const std::string& name) {
  for (const char* suffix : {"", ".gz", ".zst"}) {
    const fs::path path = folder / (name + suffix);
    ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(path));
    if (there) return path.string();
  }
  return std::nullopt;
}

// Calls `use` with each line of a file, without the mark at its beginning, and its number; of one that is too long,
// with its beginning.
template <typename Use>
arrow::Status ForEachLineOfFile(const std::string& path, Use use) {
  ARROW_ASSIGN_OR_RAISE(const InputFile file, OpenInput(path));
  LineReader reader(file, kMaxLine);
  for (int64_t number = 1;; ++number) {
    bool cut = false;
    ARROW_ASSIGN_OR_RAISE(auto line, reader.Next(&cut));
    if (!line) return arrow::Status::OK();
    if (number == 1 && line->starts_with("\xEF\xBB\xBF")) line->remove_prefix(3);
    ARROW_RETURN_NOT_OK(use(*line, number, cut));
  }
}

// The value of `KEY: value`.
std::optional<std::string> ValueOf(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return std::nullopt;
  line.remove_prefix(key.size());
  const size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  return std::string(line.substr(begin, line.find_first_of(" \t\r", begin) - begin));
}

// The categories that are black by default, as `global_usage` says.
arrow::Result<std::set<std::string>> BlackCategories(const std::string& global_usage) {
  std::set<std::string> names;
  std::string name;
  ARROW_RETURN_NOT_OK(ForEachLineOfFile(global_usage, [&](std::string_view line, int64_t, bool) {
    if (auto value = ValueOf(line, "NAME:")) name = *value;
    const bool is_black = ValueOf(line, "DEFAULT_TYPE:") == "black";
    if (is_black && !name.empty() && name.find('/') == std::string::npos) names.insert(name);
    return arrow::Status::OK();
  }));
  return names;
}

}  // namespace

// Collects entries and sorts them.
class HostListBuilder {
 public:
  void Add(const HostEntry& entry, const std::string& list) {
    const bool has_path = !entry.location.path.empty();
    uint32_t kind = entry.is_below_only ? HostLists::kBelow : HostLists::kHost;
    if (has_path) kind = entry.is_below_only ? HostLists::kFolderBelow : HostLists::kFolder;
    keys_.push_back({HostKey(entry.location), NumberOf(list) * HostLists::kKinds + kind});
    if (!has_path) return;
    Location host = entry.location;
    host.path.clear();
    keys_.push_back({HostKey(host), HostLists::kHasFolders});
  }

  void Add(const HostLists& lists) {
    for (int64_t i = 0; i < lists.size_; ++i) {
      const uint32_t mark = lists.marks_[i];
      const bool of_none = HostLists::KindOf(mark) == HostLists::kHasFolders;
      const uint32_t number = of_none ? 0 : NumberOf(lists.names_[HostLists::ListOf(mark)]);
      keys_.push_back({lists.keys_[i], number * HostLists::kKinds + HostLists::KindOf(mark)});
    }
  }

  // A file's lines.
  arrow::Status AddLines(const std::string& path, const std::string& list, HostListLosses* losses) {
    HostEntry entry;
    NumberOf(list);
    return ForEachLineOfFile(path, [&](std::string_view line, int64_t number, bool cut) {
      const size_t begin = line.find_first_not_of(" \t\r\f\v");
      if (begin == std::string_view::npos || line[begin] == '#') return arrow::Status::OK();
      if (!cut && entry.Parse(line)) {
        Add(entry, list);
      } else if (losses->lines++ == 0) {
        losses->first = fmt::format("{}:{}: {}", NameOfPath(path), number, ShownLine(line));
      }
      return arrow::Status::OK();
    });
  }

  // The files of a category's folder; whether there are any.
  arrow::Result<bool> AddCategory(const fs::path& folder, HostListLosses* losses) {
    bool any = false;
    for (const char* name : {"domains", "urls"}) {
      ARROW_ASSIGN_OR_RAISE(const auto file, FileOf(folder, name));
      if (!file) continue;
      ARROW_RETURN_NOT_OK(AddLines(*file, folder.filename().string(), losses));
      any = true;
    }
    return any;
  }

  arrow::Status AddFolder(const fs::path& given, HostListLosses* losses) {
    const fs::path folder = given.has_filename() ? given : given.parent_path();
    ARROW_ASSIGN_OR_RAISE(bool any, AddCategory(folder, losses));
    ARROW_ASSIGN_OR_RAISE(const auto usage, FileOf(folder, "global_usage"));
    std::set<std::string> categories;
    if (usage) {
      ARROW_ASSIGN_OR_RAISE(categories, BlackCategories(*usage));
    } else {
      ARROW_ASSIGN_OR_RAISE(const auto names, ListFolder(folder));
      categories.insert(names.begin(), names.end());
    }
    for (const std::string& category : categories) {
      ARROW_ASSIGN_OR_RAISE(const bool is_folder, IsFolder(folder / category));
      if (!is_folder) continue;
      ARROW_ASSIGN_OR_RAISE(const bool is_category, AddCategory(folder / category, losses));
      any |= is_category;
    }
    if (any) return arrow::Status::OK();
    return arrow::Status::Invalid(
        "'", NameOfPath(folder.string()), "': there are no lists in this folder; a folder for each category with ",
        "`domains` or `urls` is expected", usage ? ", black by default in `global_usage`" : "");
  }

  arrow::Result<std::shared_ptr<const HostLists>> Finish() {
    SortNames();
    std::ranges::sort(keys_);
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    const auto size = static_cast<int64_t>(keys_.size());
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> keys, arrow::AllocateBuffer(size * 8));
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> marks, arrow::AllocateBuffer(size * 4));
    auto* key = reinterpret_cast<uint64_t*>(keys->mutable_data());
    auto* mark = reinterpret_cast<uint32_t*>(marks->mutable_data());
    for (size_t i = 0; i < keys_.size(); ++i) {
      key[i] = keys_[i].key;
      mark[i] = keys_[i].mark;
    }
    const auto metadata = arrow::key_value_metadata(
        {"format", "lists", "checksum"},
        {kFormat, nlohmann::json(names_).dump(), fmt::format("{:016x}", Checksum(key, mark, size))});
    const auto schema = arrow::schema(
        {arrow::field("key", arrow::uint64(), false), arrow::field("mark", arrow::uint32(), false)}, metadata);
    std::shared_ptr<HostLists> lists(new HostLists());
    ARROW_RETURN_NOT_OK(lists->Take(arrow::RecordBatch::Make(
        schema, size,
        {std::make_shared<arrow::UInt64Array>(size, keys), std::make_shared<arrow::UInt32Array>(size, marks)})));
    return lists;
  }

 private:
  uint32_t NumberOf(const std::string& list) {
    if (numbers_.empty() || list != last_->first) last_ = numbers_.emplace(list, numbers_.size()).first;
    return last_->second;
  }

  // Lists are numbered in order of their names, whatever they were read in.
  void SortNames() {
    std::vector<uint32_t> places(numbers_.size());
    for (const auto& [name, number] : numbers_) {
      places[number] = static_cast<uint32_t>(names_.size());
      names_.push_back(name);
    }
    for (MarkedKey& entry : keys_) {
      const uint32_t kind = HostLists::KindOf(entry.mark);
      if (kind != HostLists::kHasFolders) entry.mark = places[HostLists::ListOf(entry.mark)] * HostLists::kKinds + kind;
    }
  }

  std::vector<MarkedKey> keys_;
  std::map<std::string, uint32_t> numbers_;
  std::map<std::string, uint32_t>::const_iterator last_;
  std::vector<std::string> names_;
};

arrow::Result<std::shared_ptr<const HostLists>> HostLists::Read(const std::vector<std::string>& paths,
                                                                HostListLosses* losses) {
  HostListBuilder builder;
  for (const std::string& name : paths) {
    const std::string path = PathOfName(name);
    ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(path));
    if (!there) return arrow::Status::Invalid("there is no list of hosts '", name, "'");
    ARROW_ASSIGN_OR_RAISE(const bool is_folder, IsFolder(path));
    if (is_folder) {
      ARROW_RETURN_NOT_OK(builder.AddFolder(path, losses));
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(const bool is_compiled, IsCompiled(path));
    if (!is_compiled) {
      ARROW_RETURN_NOT_OK(builder.AddLines(path, kOwnList, losses));
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(auto mapped, Map(path));
    if (paths.size() == 1) return mapped;
    builder.Add(*mapped);
  }
  return builder.Finish();
}

arrow::Result<std::shared_ptr<const HostLists>> HostLists::Of(const std::vector<std::string>& entries,
                                                              const std::string& name) {
  HostListBuilder builder;
  HostEntry entry;
  for (const std::string& text : entries) {
    if (!entry.Parse(text)) return arrow::Status::Invalid("'", ShownLine(text), "' is no host");
    builder.Add(entry, name);
  }
  return builder.Finish();
}

arrow::Status HostLists::Write(const std::string& path, bool overwrite) const {
  ARROW_ASSIGN_OR_RAISE(const fs::path output, AbsolutePath(path));
  ARROW_RETURN_NOT_OK(MakeFolder(output.parent_path()));
  ARROW_ASSIGN_OR_RAISE(const auto beside,
                        TemporaryFolder::MakeAfterKilled(output.parent_path() / ("." + output.filename().string())));
  const fs::path made = beside->path() / "lists";
  ARROW_ASSIGN_OR_RAISE(const auto file, HashedFile::Create(made));
  ARROW_ASSIGN_OR_RAISE(const auto writer, arrow::ipc::MakeFileWriter(file, batch_->schema()));
  ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(*batch_));
  ARROW_RETURN_NOT_OK(writer->Close());
  ARROW_RETURN_NOT_OK(file->Close());
  return PutInPlace(made, output, overwrite);
}

arrow::Result<std::shared_ptr<const HostLists>> HostLists::Map(const std::string& path) {
  const auto refuse = [&path](const arrow::Status& why) {
    return why.WithMessage("'", NameOfPath(path), "': ", why.message(), "; make it again with uzushio host-lists");
  };
  ARROW_ASSIGN_OR_RAISE(const auto file, arrow::io::MemoryMappedFile::Open(path, arrow::io::FileMode::READ));
  auto reader = arrow::ipc::RecordBatchFileReader::Open(file);
  if (!reader.ok()) return refuse(reader.status());
  if ((*reader)->num_record_batches() != 1) return refuse(arrow::Status::Invalid("these are no compiled lists"));
  auto batch = (*reader)->ReadRecordBatch(0);
  if (!batch.ok()) return refuse(batch.status());
  std::shared_ptr<HostLists> lists(new HostLists());
  const arrow::Status taken = lists->Take(*batch);
  if (!taken.ok()) return refuse(taken);
  return lists;
}

arrow::Status HostLists::Take(const std::shared_ptr<arrow::RecordBatch>& batch) {
  const arrow::Schema& schema = *batch->schema();
  const auto meta = [&schema](const char* key) {
    return schema.metadata() == nullptr ? std::string() : schema.metadata()->Get(key).ValueOr("");
  };
  const bool is_ours = meta("format") == kFormat && schema.num_fields() == 2 &&
                       schema.field(0)->type()->id() == arrow::Type::UINT64 &&
                       schema.field(1)->type()->id() == arrow::Type::UINT32;
  if (!is_ours) return arrow::Status::Invalid("these are no compiled lists, or of another version");
  auto damaged = arrow::Status::Invalid("these compiled lists are damaged");
  if (!batch->Validate().ok() || batch->column(0)->null_count() > 0 || batch->column(1)->null_count() > 0) {
    return damaged;
  }
  batch_ = batch;
  size_ = batch->num_rows();
  if (size_ >= UINT32_MAX) return arrow::Status::Invalid("there are more than 2^32 entries");
  keys_ = static_cast<const arrow::UInt64Array&>(*batch->column(0)).raw_values();
  marks_ = static_cast<const arrow::UInt32Array&>(*batch->column(1)).raw_values();
  checksum_ = Checksum(keys_, marks_, size_);
  if (meta("checksum") != fmt::format("{:016x}", checksum_)) return damaged;
  const auto names = nlohmann::json::parse(meta("lists"), nullptr, false);
  if (!names.is_array()) return damaged;
  for (const nlohmann::json& name : names) {
    if (!name.is_string()) return damaged;
    names_.push_back(name.get<std::string>());
  }
  return IndexKeys().ok() ? arrow::Status::OK() : damaged;
}

arrow::Status HostLists::IndexKeys() {
  const auto wanted = static_cast<uint64_t>(std::max<int64_t>(size_ / kHostsPerPlace, 2));
  bits_ = std::min(kMaxHostBits, static_cast<int>(std::bit_width(wanted)) - 1);
  directory_.assign((size_t{1} << bits_) + 1, 0);
  for (int64_t i = 0; i < size_; ++i) {
    const bool in_order = i == 0 || keys_[i - 1] <= keys_[i];
    const bool has_list = KindOf(marks_[i]) == kHasFolders || ListOf(marks_[i]) < names_.size();
    if (!in_order || !has_list) return arrow::Status::Invalid("not in order");
    ++directory_[(keys_[i] >> (64 - bits_)) + 1];
  }
  for (size_t i = 1; i < directory_.size(); ++i) directory_[i] += directory_[i - 1];
  return arrow::Status::OK();
}

void HostLists::Prefetch(const std::vector<HostPart>& parts) const {
  for (const HostPart& part : parts) __builtin_prefetch(&directory_[part.key >> (64 - bits_)]);
  for (const HostPart& part : parts) {
    const uint64_t* at = keys_ + directory_[part.key >> (64 - bits_)];
    __builtin_prefetch(at);
    __builtin_prefetch(at + 8);
  }
}

int64_t HostLists::Find(uint64_t key) const {
  const size_t place = key >> (64 - bits_);
  return std::lower_bound(keys_ + directory_[place], keys_ + directory_[place + 1], key) - keys_;
}

std::vector<int64_t> HostLists::Sizes() const {
  std::vector<int64_t> sizes(names_.size());
  for (int64_t i = 0; i < size_; ++i) {
    if (KindOf(marks_[i]) != kHasFolders) ++sizes[ListOf(marks_[i])];
  }
  return sizes;
}

std::string EntryText(const Location& location, const HostMatch& match) {
  return (match.is_below_only ? "." : "") + location.host.substr(match.part.host_begin) +
         location.path.substr(0, match.part.path_end);
}

}  // namespace uzushio
