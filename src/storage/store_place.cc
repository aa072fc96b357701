#include "storage/store_place.h"

#include <arrow/buffer.h>
#include <arrow/io/file.h>
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash_state.h"
#include "base/stop.h"
#include "storage/azure_store.h"
#include "storage/inputs.h"
#include "storage/output_names.h"
#include "storage/percent_text.h"
#include "storage/random_name.h"
#include "storage/store_reads.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

// What a store takes as a part of an object; and how many of them one stream may have on their way, as Arrow's waits
// for none before it is told to.
constexpr int64_t kPartBytes = int64_t{10} << 20;
constexpr int kPartsAtOnce = 3;

constexpr std::string_view kTemporary = ".uzushio/put-";  // of temporary objects

std::string FolderAround(const std::string& path) { return path.substr(0, path.rfind('/')); }

// A file system of S3 that puts small objects by one request, whole or not at all. Arrow's puts them in parts, and what
// it has begun stays there when closing fails. Null where it can not be had: of other stores, and before Arrow 18.
std::shared_ptr<arrow::fs::FileSystem> PuttingWhole(const std::string& name) {
  if (!name.starts_with("s3://")) return nullptr;
  const std::string bucket = name.substr(0, name.find('/', 5));
  auto filesystem = arrow::fs::FileSystemFromUri(bucket + "/?allow_delayed_open=true");
  return filesystem.ok() ? WithStoreReads(*std::move(filesystem)) : nullptr;
}

}  // namespace

bool IsOnStore(const std::string& place) { return SchemeLength(place) > 0 && !place.starts_with("file://"); }

bool IsOutputStore(const std::string& place) {
  constexpr std::array<std::string_view, 6> kSchemes = {"s3://", "s3a://", "gs://", "gcs://", "abfs://", "abfss://"};
  return std::ranges::any_of(kSchemes, [&place](std::string_view scheme) { return place.starts_with(scheme); });
}

arrow::Result<fs::path> StagingRoot(const char* advice) {
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  if (!error) return folder;
  return arrow::Status::Invalid("there is no folder for temporary data: ", error.message(), "; ", advice);
}

std::string StoreName(const std::string& uri) {
  if (IsOnAzure(uri)) {
    std::string name = PercentDecoded(AzureName(uri));
    while (name.ends_with('/')) name.pop_back();
    return name;
  }
  const size_t scheme = SchemeLength(uri);
  std::string rest = uri.substr(scheme + 3);
  const std::string name = uri.substr(0, scheme);
  const std::string authority = rest.substr(0, rest.find('/'));
  // A secret may have a slash; a bucket's name has no colon.
  const bool has_slash = authority.find('@') == std::string::npos && authority.find(':') != std::string::npos;
  const size_t end = has_slash ? rest.rfind('@') : authority.rfind('@');
  if (end != std::string::npos) rest.erase(0, end + 1);
  rest = PercentDecoded(rest);
  while (rest.ends_with('/')) rest.pop_back();
  return (name == "s3a" ? "s3" : name == "gcs" ? "gs" : name) + "://" + rest;
}

std::string NameOfOutput(const std::string& output) { return IsOnStore(output) ? StoreName(output) : output; }

arrow::Result<StorePlace> StorePlace::Locate(const std::string& uri) {
  std::string name = StoreName(uri);
  const auto no_folder = [&name] {
    return arrow::Status::Invalid("--output ", name, ": give the name of a folder in a bucket, as s3://BUCKET/FOLDER, ",
                                  "gs://BUCKET/FOLDER or abfs://CONTAINER@ACCOUNT.dfs.core.windows.net/FOLDER");
  };
  if (!IsOutputStore(uri)) {
    return arrow::Status::Invalid("--output ", name, ": of stores, only s3://, gs:// and abfs:// are written to");
  }
  if (uri.find_first_of(kGlobCharacters) != std::string::npos) {
    return arrow::Status::Invalid("--output ", name, ": `*`, `?` and `[` are of patterns, and an output has one place");
  }
  // Before the store is asked for its region.
  if (name.find('/', SchemeLength(name) + 3) == std::string::npos) return no_folder();
  auto found = LocateInput(uri);
  if (!found.ok()) {
    std::string message = found.status().message();
    if (const size_t at = message.find(uri); at != std::string::npos) message.replace(at, uri.size(), name);
    return arrow::Status::Invalid("--output ", name, ": ", message);
  }
  std::string path = found->path;
  while (path.ends_with('/')) path.pop_back();
  const bool is_plain = path.find("//") == std::string::npos && (path + "/").find("/./") == std::string::npos &&
                        (path + "/").find("/../") == std::string::npos;
  const bool is_whole_bucket = path.find('/') == std::string::npos;
  if (is_whole_bucket || !is_plain) return no_folder();
  const bool has_credentials = uri.substr(0, uri.find('/', SchemeLength(uri) + 3)).find('@') != std::string::npos;
  if (const auto other = has_credentials ? nullptr : PuttingWhole(name)) found->filesystem = other;
  return StorePlace(FilesOfArrow(std::move(found->filesystem)), std::move(path), std::move(name));
}

StorePlace StorePlace::ToRead(const InputPlace& located, const std::string& uri) {
  return {FilesOfArrow(located.filesystem), located.path.substr(0, located.path.find_last_not_of('/') + 1),
          StoreName(uri)};
}

arrow::Status StorePlace::About(const std::string& object, const arrow::Status& status) const {
  if (status.ok()) return status;
  if (IsOnAzure(name_)) {
    if (IsOfContainer(status)) return AboutAccess(name_, status);
    const arrow::Status about = AboutAccess(NameOf(object), status);
    if (about.code() != status.code()) return status.WithMessage(about.message());
  }
  return status.WithMessage(NameOf(object), ": ", status.message());
}

arrow::Result<std::map<std::string, int64_t>> StorePlace::List(const std::string& folder) const {
  const auto found = files_->List(folder.empty() ? path_ : PathOf(folder));
  if (!found.ok()) return found.status().WithMessage(name_, ": cannot be listed: ", found.status().message());
  std::map<std::string, int64_t> objects;
  for (const auto& [path, bytes] : *found) {
    if (path.starts_with(path_ + "/")) objects[path.substr(path_.size() + 1)] = bytes;
  }
  return objects;
}

arrow::Result<bool> StorePlace::Has(const std::string& object) const {
  const auto has = files_->Has(PathOf(object));
  if (!has.ok()) return AboutAccess(name_, has.status());
  return has;
}

arrow::Result<std::optional<std::string>> StorePlace::Read(const std::string& object) const {
  auto text = files_->Read(PathOf(object));
  if (!text.ok()) return About(object, text.status());
  return text;
}

arrow::Status StorePlace::Write(const std::string& object,
                                const std::function<arrow::Status(arrow::io::OutputStream*)>& write) const {
  return About(object, files_->Write(PathOf(object), write));
}

arrow::Status StorePlace::PutMark(const std::string& object, const std::string& content) const {
  return Write(object, [&content](arrow::io::OutputStream* stream) {
    return stream->Write(content.data(), static_cast<int64_t>(content.size()));
  });
}

arrow::Status StorePlace::Put(const std::string& object, const std::string& content) const {
  if (!files_->puts_empty_first()) return PutMark(object, content);
  const std::string temporary = fmt::format("{}{}", kTemporary, RandomName());
  ARROW_RETURN_NOT_OK(PutMark(temporary, content));
  ARROW_RETURN_NOT_OK(About(object, files_->Copy(PathOf(temporary), PathOf(object))));
  return Delete(temporary);
}

arrow::Status StorePlace::DropTemporary() const {
  if (!files_->puts_empty_first()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const auto objects, List(kOwnFolder));
  for (const auto& [object, bytes] : objects) {
    if (object.starts_with(kTemporary)) ARROW_RETURN_NOT_OK(Delete(object));
  }
  return arrow::Status::OK();
}

arrow::Status StorePlace::Delete(const std::string& object) const {
  return About(object, files_->Delete(PathOf(object)));
}

arrow::Status StorePlace::Take(const StorePlace& from, const std::string& object, const std::string& as) const {
  return from.About(object, files_->Move(from.PathOf(object), PathOf(as)));
}

void StorePlace::DropIfEmpty(const std::string& folder) const {
  files_->DropIfEmpty(folder.empty() ? path_ : PathOf(folder));
}

void StorePlace::DropFoldersOf(const std::vector<std::string>& objects) const {
  if (!files_->keeps_folders()) return;
  std::set<std::string> folders;
  for (std::string object : objects) {
    while (object.find('/') != std::string::npos) folders.insert(object = FolderAround(object));
  }
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) DropIfEmpty(*folder);
  DropIfEmpty();
}

arrow::Status StorePlace::DropAll() const {
  const arrow::Status dropped = files_->DropTree(path_);
  return dropped.ok() ? dropped : dropped.WithMessage(name_, ": ", dropped.message());
}

StorePlace StorePlace::Beside(const std::string& name) const {
  return {files_, FolderAround(path_) + "/" + name, FolderAround(name_) + "/" + name};
}

arrow::Status StorePlace::Upload(const fs::path& file, const WrittenFile& written, const std::string& object,
                                 const std::function<void(int64_t)>& on_bytes) const {
  ARROW_ASSIGN_OR_RAISE(const auto source, arrow::io::ReadableFile::Open(file.string()));
  const Xxh64State hash = NewXxh64State();
  return Write(object, [&](arrow::io::OutputStream* stream) -> arrow::Status {
    int64_t bytes = 0;
    for (int part = 1;; ++part) {
      ARROW_RETURN_NOT_OK(CheckStop());
      ARROW_ASSIGN_OR_RAISE(const auto block, source->Read(kPartBytes));
      if (block->size() == 0) break;
      XXH64_update(hash.get(), block->data(), static_cast<size_t>(block->size()));
      ARROW_RETURN_NOT_OK(stream->Write(block));
      // Where an object is there before it is whole, what is flushed is.
      if (part % kPartsAtOnce == 0 && !files_->puts_empty_first()) ARROW_RETURN_NOT_OK(stream->Flush());
      bytes += block->size();
      on_bytes(block->size());
    }
    const std::string xxh64 = fmt::format("{:016x}", XXH64_digest(hash.get()));
    if (bytes == written.bytes && xxh64 == written.xxh64) return arrow::Status::OK();
    return arrow::Status::IOError(file.string(), ": is not what was written; the file is damaged");
  });
}

std::string StorePlace::OutputAround() const {
  std::string name = FolderAround(name_);
  std::string folder = FolderAround(path_);
  while (folder.find('/', 1) != std::string::npos) {
    for (const char* manifest : {kManifestName.path, kManifestName.old_path}) {
      const auto has = files_->Has(folder + "/" + manifest);
      if (has.ok() && *has) return name;
    }
    folder = FolderAround(folder);
    name = FolderAround(name);
  }
  return "";
}

}  // namespace uzushio
