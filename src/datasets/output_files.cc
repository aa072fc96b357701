#include "datasets/output_files.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/json.h"
#include "base/parallel.h"
#include "base/size.h"
#include "storage/hashed_file.h"
#include "storage/listing.h"
#include "storage/local_files.h"
#include "storage/store_place.h"
#include "storage/stored_names.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

// Of a copy: so much is asked for at once, by so many.
constexpr int64_t kCopiedBlock = int64_t{8} << 20;
constexpr int kCopiesAtOnce = 4;

// A file that is written in blocks, in any order.
class CopiedFile {
 public:
  explicit CopiedFile(fs::path path) : path_(std::move(path)) {}
  ~CopiedFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  CopiedFile(CopiedFile&& other) noexcept
      : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
  CopiedFile(const CopiedFile&) = delete;
  CopiedFile& operator=(const CopiedFile&) = delete;
  CopiedFile& operator=(CopiedFile&&) = delete;

  arrow::Status Create() {
    ARROW_RETURN_NOT_OK(MakeFolder(ParentOf(path_)));
    descriptor_ = ::open(path_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    return descriptor_ >= 0 ? arrow::Status::OK() : Failed();
  }
  arrow::Status Write(int64_t offset, const arrow::Buffer& block) const {
    for (int64_t done = 0; done < block.size();) {
      const ssize_t written =
          ::pwrite(descriptor_, block.data() + done, static_cast<size_t>(block.size() - done), offset + done);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return Failed();
      done += written;
    }
    return arrow::Status::OK();
  }

 private:
  arrow::Status Failed() const {
    return arrow::Status::IOError("cannot write ", path_.string(), ": ", std::strerror(errno));
  }
  fs::path path_;
  int descriptor_ = -1;
};

// Errors: files of so many bytes do not fit.
arrow::Status CheckRoom(const fs::path& folder, const std::string& name, int64_t bytes) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (error || space.available >= static_cast<uintmax_t>(bytes)) return arrow::Status::OK();
  return arrow::Status::Invalid(name, ": ", SizeText(bytes), " of it are copied to ", folder.string(), ", which has ",
                                SizeText(static_cast<int64_t>(space.available)), " free; choose another --tmp");
}

// Reads files in blocks, several at once, into files of these paths.
arrow::Status CopyAll(const std::vector<InputFile>& files, const std::vector<fs::path>& paths) {
  struct Block {
    size_t file;
    int64_t begin;
  };
  std::vector<Block> blocks;
  std::vector<CopiedFile> copies;
  std::vector<std::shared_ptr<arrow::io::RandomAccessFile>> sources;
  for (size_t i = 0; i < files.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(sources.emplace_back(), files[i].filesystem->OpenInputFile(files[i].path));
    ARROW_RETURN_NOT_OK(copies.emplace_back(paths[i]).Create());
    for (int64_t begin = 0; begin < files[i].size; begin += kCopiedBlock) blocks.push_back({i, begin});
  }
  return ParallelFor(kCopiesAtOnce, blocks.size(), [&](int, size_t i) -> arrow::Status {
    const auto [file, begin] = blocks[i];
    const int64_t length = std::min(kCopiedBlock, files[file].size - begin);
    auto block = sources[file]->ReadAt(begin, length);
    if (!block.ok()) return block.status().WithMessage(files[file].name, ": ", block.status().message());
    if ((*block)->size() != length) return arrow::Status::IOError(files[file].name, ": ended early");
    return copies[file].Write(begin, **block);
  });
}

}  // namespace

arrow::Result<OutputFiles> OutputFiles::Find(const std::string& place) {
  OutputFiles output;
  if (!IsOnStore(place)) {
    output.name_ = NameOfPath(place);
    output.folder_ = PathOfName(place);
    return output;
  }
  output.name_ = WithoutCredentials(place);
  while (output.name_.ends_with('/')) output.name_.pop_back();
  ARROW_ASSIGN_OR_RAISE(output.location_, LocateInput(place));
  while (output.location_.path.ends_with('/')) output.location_.path.pop_back();
  const std::string& name = output.name_;
  ARROW_ASSIGN_OR_RAISE(const arrow::fs::FileInfo info, output.location_.Look(name));
  constexpr const char* kWanted = "; an output of uzushio is wanted";
  if (!info.IsDirectory()) {
    return arrow::Status::Invalid(name, info.IsFile() ? ": is a file" : ": there is nothing", kWanted);
  }
  ManifestCache manifests;
  const auto manifest = manifests.Of(output.location_.filesystem, output.location_.path);
  if (!manifest.ok()) return AboutAccess(name, manifest.status());
  output.manifest_ = *manifest;
  if (output.manifest_ != nullptr) return output;
  ARROW_ASSIGN_OR_RAISE(const auto mark,
                        output.location_.filesystem->GetFileInfo(PathBelow(output.location_.path, kIncompleteMark)));
  if (mark.IsFile()) {
    return arrow::Status::Invalid(name, ": is not complete: its run was stopped, or goes on; run it to its end first");
  }
  return arrow::Status::Invalid(name, ": has no manifest", kWanted);
}

arrow::Result<nlohmann::json> OutputFiles::Mark() const {
  if (!is_on_store()) return ReadManifestOf(folder_);
  nlohmann::json mark = manifest_->mark;
  nlohmann::json files = nlohmann::json::array();
  for (const auto& [path, file] : manifest_->files) files.push_back(file);
  mark["files"] = std::move(files);
  return mark;
}

std::vector<OutputFiles::Listed> OutputFiles::ListedAs(const OutputName& name) const {
  std::vector<std::string> places = {name.path, name.old_path};
  const nlohmann::json& hash = MemberOf(manifest_->mark, kNameHash);
  if (hash.is_string()) places.push_back(StoredName(name.path, hash.get<std::string>()));
  for (const std::string& place : places) {
    std::vector<Listed> listed;
    for (const auto& [path, file] : manifest_->files) {
      if (!path.starts_with(place)) continue;
      const std::string below = path.substr(place.size());
      if (below.empty() || below.starts_with('/')) listed.push_back({below, &file});
    }
    if (!listed.empty()) return listed;
  }
  return {};
}

arrow::Result<InputFile> OutputFiles::Open(const WrittenFile& listed) const {
  const std::string path = PathBelow(location_.path, listed.path);
  ARROW_ASSIGN_OR_RAISE(const arrow::fs::FileInfo info, location_.filesystem->GetFileInfo(path));
  return Open(listed, info);
}

arrow::Result<InputFile> OutputFiles::Open(const WrittenFile& listed, const arrow::fs::FileInfo& info) const {
  InputFile file = location_.File(info);
  file.manifest = manifest_;
  if (info.IsFile() && info.size() == listed.bytes) return file;
  return arrow::Status::IOError(file.name, info.IsFile() ? ": has another size" : ": is missing", ", and ",
                                manifest_->PathOfMark(), " lists it: the output is not whole; bring the file back, or ",
                                "run the stage that wrote it again");
}

arrow::Result<std::unique_ptr<InputFile>> OutputFiles::At(const std::string& path) const {
  const auto listed = manifest_->files.find(path);
  if (listed == manifest_->files.end()) return nullptr;
  ARROW_ASSIGN_OR_RAISE(const auto info, location_.filesystem->GetFileInfo(PathBelow(location_.path, path)));
  if (!info.IsFile()) return nullptr;
  ARROW_ASSIGN_OR_RAISE(InputFile file, Open(listed->second, info));
  return std::make_unique<InputFile>(std::move(file));
}

arrow::Result<OutputFiles::Named> OutputFiles::Find(const OutputName& name,
                                                    const std::vector<std::string_view>& suffixes) const {
  Named named;
  if (!is_on_store()) {
    ARROW_ASSIGN_OR_RAISE(const fs::path path, FindInOutput(folder_, name));
    ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(path));
    if (!there) return named;
    ARROW_ASSIGN_OR_RAISE(named.is_folder, IsFolder(path));
    ARROW_ASSIGN_OR_RAISE(named.files, ResolveInputs({NameOfPath(path.string())}, suffixes));
    return named;
  }
  for (const Listed& listed : ListedAs(name)) {
    const auto has_suffix = [&](std::string_view suffix) { return listed.file->path.ends_with(suffix); };
    named.is_folder = named.is_folder || !listed.path.empty();
    if (!listed.path.empty() && !std::ranges::any_of(suffixes, has_suffix)) continue;
    ARROW_ASSIGN_OR_RAISE(named.files.emplace_back(), Open(*listed.file));
  }
  return named;
}

arrow::Result<LocalFiles> LocalFiles::Of(const OutputFiles& output, const OutputName& name, const std::string& tmp) {
  LocalFiles local;
  local.name_ = output.name();
  if (!output.is_on_store()) {
    ARROW_ASSIGN_OR_RAISE(local.path_, FindInOutput(output.folder(), name));
    return local;
  }
  ARROW_ASSIGN_OR_RAISE(const fs::path folder, tmp.empty() ? StagingRoot() : AbsolutePath(tmp));
  ARROW_ASSIGN_OR_RAISE(local.copy_, TemporaryFolder::MakeAfterKilled(folder / "uzushio-copy"));
  local.path_ = local.copy_->path() / name.path;
  const auto all = output.ListedAs(name);
  std::vector<InputFile> files;
  std::vector<fs::path> paths;
  int64_t bytes = 0;
  for (const OutputFiles::Listed& listed : all) {
    ARROW_ASSIGN_OR_RAISE(files.emplace_back(), output.Open(*listed.file));
    paths.emplace_back(local.path_.string() + listed.path);
    bytes += listed.file->bytes;
  }
  ARROW_RETURN_NOT_OK(CheckRoom(folder, output.name(), bytes));
  ARROW_RETURN_NOT_OK(CopyAll(files, paths));
  for (size_t i = 0; i < all.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(const std::string checksum, ChecksumOfFile(paths[i]));
    if (all[i].file->xxh64.empty() || checksum == all[i].file->xxh64) continue;
    return arrow::Status::IOError(files[i].name, ": is not what its manifest says; the file is damaged");
  }
  return local;
}

arrow::Status LocalFiles::About(const arrow::Status& status) const {
  return copy_ == nullptr ? status : copy_->About(status, name_);
}

}  // namespace uzushio
