#include "datasets/dataset.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <xxhash.h>

#include <algorithm>
#include <boost/range/iterator_range.hpp>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "storage/listing.h"
#include "storage/local_files.h"
#include "storage/output_names.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;
using arrow::fs::FileInfo;
using FileSystemPtr = std::shared_ptr<arrow::fs::FileSystem>;
using ManifestPtr = std::shared_ptr<const Manifest>;

constexpr int kMostLevels = 4;  // of folders from a file's to its dataset's, both counted
constexpr int64_t kMostMarkBytes = int64_t{1} << 30;
constexpr std::string_view kBelowOwnFolder = ".uzushio/";

std::string WithoutSlashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

// Where a folder is, by one name: of local ones without links.
arrow::Result<std::string> PlaceOfFolder(const arrow::fs::FileSystem& filesystem, const std::string& folder) {
  if (!IsOfLocalFiles(filesystem)) return WithoutSlashes(folder);
  ARROW_ASSIGN_OR_RAISE(const fs::path canonical, CanonicalPath(folder.empty() ? "." : folder));
  return canonical.string();
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, std::max<size_t>(slash, 1));
}

// The folder whose manifest a file is by its path; nothing where it is none.
std::optional<std::string> FolderOfManifest(const std::string& path) {
  for (const std::string_view place : {kManifestName.path, kManifestName.old_path}) {
    if (path == place) return "";
    if (!path.ends_with(place) || path[path.size() - place.size() - 1] != '/') continue;
    return path.substr(0, std::max<size_t>(path.size() - place.size() - 1, 1));
  }
  return std::nullopt;
}

std::string_view LastPart(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// The rest of a path below a folder; nothing where it is not.
std::optional<std::string_view> RestBelow(std::string_view path, const std::string& folder) {
  if (folder.empty()) return path;
  if (!path.starts_with(folder)) return std::nullopt;
  path.remove_prefix(folder.size());
  if (!folder.ends_with('/') && !path.empty() && !path.starts_with('/')) return std::nullopt;
  while (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

// Of a local one the path without links.
std::string NameOfFolderAround(const InputFile& file, const std::string& folder) {
  if (IsOfLocalFiles(*file.filesystem)) return NameOfPath(folder);
  std::string name = file.name;
  for (auto levels = std::ranges::count(file.path.substr(folder.size()), '/'); levels > 0; --levels) {
    name.erase(std::min(name.rfind('/'), name.size()));
  }
  return name;
}

// The files that a manifest lists below a folder of its own.
auto FilesBelow(const Manifest& manifest, const std::string& prefix) {
  const std::string begin = prefix.empty() ? "" : prefix + "/";
  const std::string end = prefix.empty() ? "" : prefix + "0";  // the character after the slash
  return boost::make_iterator_range(manifest.files.lower_bound(begin),
                                    prefix.empty() ? manifest.files.end() : manifest.files.lower_bound(end));
}

arrow::Result<bool> IsFileThere(arrow::fs::FileSystem* filesystem, const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(const FileInfo info, filesystem->GetFileInfo(path));
  return info.IsFile();
}

// Whether a mark is there, as far as a store tells.
arrow::Result<bool> HasMark(arrow::fs::FileSystem* filesystem, const std::string& folder, const char* mark) {
  auto there = IsFileThere(filesystem, PathBelow(folder, mark));
  if (!there.ok() && !IsOfLocalFiles(*filesystem) && IsRefusal(there.status())) return false;
  return there;
}

arrow::Result<std::string> ReadMarkText(arrow::fs::FileSystem* filesystem, const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(const auto file, filesystem->OpenInputFile(path));
  ARROW_ASSIGN_OR_RAISE(const int64_t size, file->GetSize());
  if (size > kMostMarkBytes) return arrow::Status::Invalid(path, ": damaged: it has ", size, " bytes");
  ARROW_ASSIGN_OR_RAISE(const auto text, file->ReadAt(0, size));
  return text->ToString();
}

// One name for each file system: two of one kind are two where they are other servers' or accounts'.
std::string NameOfFileSystem(const FileSystemPtr& filesystem) {
  if (IsOfLocalFiles(*filesystem)) return "local:";
  static std::mutex mutex;
  static std::vector<std::pair<std::weak_ptr<arrow::fs::FileSystem>, uint64_t>> known;
  static uint64_t last = 0;
  const std::lock_guard lock(mutex);
  std::erase_if(known, [](const auto& one) { return one.first.expired(); });
  for (const auto& [one, number] : known) {
    const FileSystemPtr there = one.lock();
    if (there != nullptr && (there == filesystem || there->Equals(*filesystem))) return std::to_string(number) + ":";
  }
  known.emplace_back(filesystem, ++last);
  return std::to_string(last) + ":";
}

arrow::Result<ManifestPtr> ReadManifest(const FileSystemPtr& filesystem, const std::string& folder, const char* place) {
  auto manifest = std::make_shared<Manifest>();
  manifest->filesystem = filesystem;
  manifest->folder = folder;
  manifest->name = NameOfPath(folder);
  manifest->place = place;
  ARROW_ASSIGN_OR_RAISE(const std::string text, ReadMarkText(filesystem.get(), manifest->PathOfMark()));
  manifest->checksum = XXH64(text.data(), text.size(), 0);
  manifest->mark = ParseJsonObject(text);
  if (manifest->mark.is_null()) return arrow::Status::Invalid(manifest->PathOfMark(), ": damaged");
  auto files = ReadWrittenFiles(manifest->mark);
  if (!files.ok()) {
    return arrow::Status::Invalid(manifest->PathOfMark(), ": damaged: ", files.status().message());
  }
  const auto list = manifest->mark.find("files");
  manifest->lists_files = list != manifest->mark.end();
  if (manifest->lists_files) manifest->mark.erase(list);
  for (WrittenFile& file : *files) manifest->files[file.path] = std::move(file);
  return manifest;
}

arrow::Status Missing(const Manifest& manifest, const std::string& path) {
  return arrow::Status::IOError(path, ": is missing, and ", manifest.PathOfMark(), " lists it: the dataset is not ",
                                "whole; bring the file back, or run the stage that wrote it again");
}

arrow::Status OtherSize(const Manifest& manifest, const FileInfo& info, int64_t wanted) {
  return arrow::Status::IOError(info.path(), ": its size is not what was written; the file is damaged: it has ",
                                info.size(), " bytes, and ", manifest.PathOfMark(), " says ", wanted);
}

}  // namespace

std::string Manifest::PathOfMark() const { return PathBelow(folder, place); }

arrow::Result<ManifestPtr> ManifestCache::Of(const FileSystemPtr& filesystem, const std::string& folder) {
  ARROW_ASSIGN_OR_RAISE(const std::string place, PlaceOfFolder(*filesystem, folder));
  const std::string key = NameOfFileSystem(filesystem) + place;
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  ManifestPtr manifest;
  for (const char* name : {kManifestName.path, kManifestName.old_path}) {
    ARROW_ASSIGN_OR_RAISE(const bool there, HasMark(filesystem.get(), place, name));
    if (!there) continue;
    ARROW_ASSIGN_OR_RAISE(const bool incomplete, HasMark(filesystem.get(), place, kIncompleteMark));
    if (!incomplete) {
      ARROW_ASSIGN_OR_RAISE(manifest, ReadManifest(filesystem, place, name));
    }
    break;
  }
  known_[key] = manifest;
  return manifest;
}

arrow::Result<ManifestPtr> ManifestCache::Around(const FileSystemPtr& filesystem, const std::string& folder) {
  ARROW_ASSIGN_OR_RAISE(std::string place, PlaceOfFolder(*filesystem, folder));
  for (int level = 0; level < kMostLevels; ++level) {
    ARROW_ASSIGN_OR_RAISE(ManifestPtr manifest, Of(filesystem, place));
    if (manifest != nullptr) return manifest;
    const std::string above = FolderOf(place);
    if (above.empty() || above == place) break;
    place = above;
  }
  return nullptr;
}

arrow::Result<std::string> ManifestCache::IncompleteAround(const InputFile& file) {
  const FileSystemPtr& filesystem = file.filesystem;
  ARROW_ASSIGN_OR_RAISE(std::string place, PlaceOfFolder(*filesystem, FolderOf(file.path)));
  for (int level = 0; level < kMostLevels; ++level) {
    const std::string key = NameOfFileSystem(filesystem) + place;
    auto known = incomplete_.find(key);
    if (known == incomplete_.end()) {
      ARROW_ASSIGN_OR_RAISE(const bool there, HasMark(filesystem.get(), place, kIncompleteMark));
      known = incomplete_.emplace(key, there).first;
    }
    if (known->second) return NameOfFolderAround(file, place);
    ARROW_ASSIGN_OR_RAISE(const ManifestPtr manifest, Of(filesystem, place));
    const std::string above = FolderOf(place);
    if (manifest != nullptr || above.empty() || above == place) break;
    place = above;
  }
  return std::string();
}

arrow::Status NotComplete(const std::string& output, const std::string& more) {
  return arrow::Status::Invalid(output, ": this output is not complete; run its stage again", more);
}

const WrittenFile* FindListed(const Manifest& manifest, const std::string& path) {
  const auto place = PlaceOfFolder(*manifest.filesystem, FolderOf(path));
  if (!place.ok()) return nullptr;
  const std::string whole = PathBelow(*place, LastPart(path));
  const auto rest = RestBelow(whole, manifest.folder);
  const auto found = rest ? manifest.files.find(*rest) : manifest.files.end();
  return found == manifest.files.end() ? nullptr : &found->second;
}

// Makes datasets of folders; manifests that several have are read once.
class DatasetReader {
 public:
  arrow::Result<Dataset> Open(const FileSystemPtr& filesystem, const std::string& folder) {
    Dataset dataset;
    broken_links_.clear();
    ARROW_ASSIGN_OR_RAISE(const ManifestPtr around, manifests_.Around(filesystem, folder));
    if (around != nullptr && around->lists_files) {
      ARROW_ASSIGN_OR_RAISE(const std::string place, PlaceOfFolder(*filesystem, folder));
      const auto rest = RestBelow(place, around->folder);
      ARROW_RETURN_NOT_OK(TakeListed(around, std::string(rest.value_or("")), folder, &dataset));
      // A folder in which the manifest lists nothing is another's.
      if (place == around->folder || !dataset.files_.empty()) dataset.manifest_ = around;
    }
    if (dataset.manifest_ == nullptr) ARROW_RETURN_NOT_OK(List(filesystem, folder, &dataset));
    std::ranges::sort(dataset.files_, {}, [](const Dataset::File& file) { return file.info.path(); });
    return dataset;
  }

  ManifestCache& manifests() { return manifests_; }
  // In the folder that was listed last.
  const std::vector<std::string>& broken_links() const { return broken_links_; }

 private:
  // The files of a manifest that are below `prefix`, by their paths below `folder`, which that is.
  arrow::Status TakeListed(const ManifestPtr& manifest, const std::string& prefix, const std::string& folder,
                           Dataset* dataset) const {
    std::map<std::string, FileInfo> there;  // elsewhere one listing takes fewer requests
    const bool local = IsOfLocalFiles(*manifest->filesystem);
    if (!local) {
      ARROW_ASSIGN_OR_RAISE(const Listing listing, ListFiles(manifest->filesystem.get(), folder));
      for (const FileInfo& info : listing.files) there[info.path()] = info;
    }
    for (const auto& [path, written] : FilesBelow(*manifest, prefix)) {
      const std::string_view rest = *RestBelow(path, prefix);
      if (IsHidden(rest)) continue;
      const std::string whole = PathBelow(folder, rest);
      FileInfo info;
      if (local) {
        ARROW_ASSIGN_OR_RAISE(info, manifest->filesystem->GetFileInfo(whole));
      } else if (const auto found = there.find(whole); found != there.end()) {
        info = found->second;
      }
      if (!info.IsFile()) return Missing(*manifest, whole);
      if (info.size() != written.bytes) return OtherSize(*manifest, info, written.bytes);
      dataset->files_.push_back({std::move(info), manifest});
    }
    return arrow::Status::OK();
  }

  // What lies in a folder; of datasets in it, what their manifests list.
  arrow::Status List(const FileSystemPtr& filesystem, const std::string& folder, Dataset* dataset) {
    ARROW_ASSIGN_OR_RAISE(Listing listing, ListFiles(filesystem.get(), folder));
    dataset->links_ = std::move(listing.links);
    broken_links_ = std::move(listing.broken_links);
    std::set<std::string> marked_folders;  // those around others first
    for (const FileInfo& info : listing.files) {
      const auto marked = FolderOfManifest(info.path());
      const auto rest = marked ? RestBelow(*marked, folder) : std::nullopt;
      if (rest && !IsHidden(*rest)) marked_folders.insert(*marked);
    }
    std::set<std::string, std::less<>> datasets;  // the outermost: what one does not list in itself is not of it
    for (const std::string& marked : marked_folders) {
      if (IsInOneOf(datasets, marked)) continue;
      ARROW_ASSIGN_OR_RAISE(const ManifestPtr manifest, manifests_.Of(filesystem, marked));
      if (manifest != nullptr && manifest->lists_files) datasets.insert(marked);
    }
    for (const std::string& marked : datasets) {
      ARROW_ASSIGN_OR_RAISE(const ManifestPtr manifest, manifests_.Of(filesystem, marked));
      ARROW_RETURN_NOT_OK(TakeListed(manifest, "", marked, dataset));
    }
    for (FileInfo& info : listing.files) {
      const auto rest = RestBelow(info.path(), folder);
      if (!rest || IsHidden(*rest) || IsInOneOf(datasets, FolderOf(info.path()))) continue;
      dataset->files_.push_back({std::move(info), nullptr});
    }
    return arrow::Status::OK();
  }

  static bool IsInOneOf(const std::set<std::string, std::less<>>& folders, std::string path) {
    while (!path.empty() && !folders.contains(path)) {
      std::string above = FolderOf(path);
      if (above == path) return false;
      path = std::move(above);
    }
    return !path.empty();
  }

  ManifestCache manifests_;
  std::vector<std::string> broken_links_;
};

arrow::Result<Dataset> Dataset::Open(const FileSystemPtr& filesystem, const std::string& path) {
  return DatasetReader().Open(filesystem, path);
}

namespace {

// The slash before a path's pattern. Folders that are there as they are named are no part of it, whatever their names.
arrow::Result<size_t> BeforePattern(const InputPlace& location, size_t slash) {
  while (true) {
    const size_t next = location.path.find('/', slash == std::string::npos ? 0 : slash + 1);
    if (next == std::string::npos) return slash;
    ARROW_ASSIGN_OR_RAISE(const auto info, location.filesystem->GetFileInfo(location.path.substr(0, next)));
    if (!info.IsDirectory()) return slash;
    slash = next;
  }
}

// Finds what arguments name, one after another.
class InputFinder {
 public:
  explicit InputFinder(const std::vector<std::string_view>& suffixes) : suffixes_(suffixes) {}

  arrow::Status Add(const std::string& argument) {
    const std::string shown = WithoutCredentials(argument);
    return AboutAccess(shown, Find(argument, shown));
  }

  std::vector<InputFile> Files() { return std::move(files_); }

 private:
  // `shown` is the argument as messages name it.
  arrow::Status Find(const std::string& argument, const std::string& shown) {
    ARROW_ASSIGN_OR_RAISE(const InputPlace location, LocateInput(argument));
    ARROW_ASSIGN_OR_RAISE(const FileInfo info, location.filesystem->GetFileInfo(location.path));
    std::vector<InputFile> found;
    if (info.IsFile()) {
      ARROW_RETURN_NOT_OK(Take(location, info, nullptr, &found));
    } else if (info.IsDirectory()) {
      ARROW_RETURN_NOT_OK(AddFolder(shown, location, &found));
    } else {
      ARROW_RETURN_NOT_OK(AddGlob(shown, location, &found));
    }
    std::ranges::sort(found, {}, &InputFile::name);
    for (InputFile& file : found) {
      ARROW_ASSIGN_OR_RAISE(std::string identity, IdentityOf(file));
      if (seen_.insert(std::move(identity)).second) files_.push_back(std::move(file));
    }
    return arrow::Status::OK();
  }

  bool HasSuffix(const std::string& path) const {
    // Files of this name that others have put somewhere are none of ours.
    if (path.ends_with(kOwnParquetEnding) && path.find(kBelowOwnFolder) == std::string::npos) return false;
    return std::ranges::any_of(suffixes_, [&path](std::string_view suffix) { return path.ends_with(suffix); });
  }

  // Adds a file that is there, and looks for its manifest unless that is known.
  arrow::Status Take(const InputPlace& location, const FileInfo& info, ManifestPtr manifest,
                     std::vector<InputFile>* found) {
    if (manifest == nullptr) {
      ARROW_ASSIGN_OR_RAISE(manifest, reader_.manifests().Around(location.filesystem, FolderOf(info.path())));
      const WrittenFile* listed = manifest == nullptr ? nullptr : FindListed(*manifest, info.path());
      if (listed != nullptr && listed->bytes != info.size()) return OtherSize(*manifest, info, listed->bytes);
      if (listed == nullptr) manifest = nullptr;
    }
    InputFile& file = found->emplace_back(location.File(info));
    file.manifest = std::move(manifest);
    return arrow::Status::OK();
  }

  arrow::Status AddFolder(const std::string& shown, const InputPlace& location, std::vector<InputFile>* found) {
    if (LastPart(WithoutSlashes(location.path)) == kOwnFolder) {
      return arrow::Status::Invalid(shown, ": has data of several kinds; name a folder in it, as ", shown,
                                    shown.ends_with('/') ? "" : "/", "duplicates");
    }
    ARROW_ASSIGN_OR_RAISE(const Dataset dataset, reader_.Open(location.filesystem, location.path));
    for (const Dataset::File& file : dataset.files()) {
      if (!HasSuffix(file.info.path())) continue;
      InputFile& input = found->emplace_back(location.File(file.info));
      input.manifest = file.manifest;
    }
    for (const std::string& link : reader_.broken_links()) {
      if (HasSuffix(link)) return LeadsNowhere(link);
    }
    if (!found->empty()) return arrow::Status::OK();
    if (dataset.files().empty()) {
      ARROW_ASSIGN_OR_RAISE(const ManifestPtr manifest, reader_.manifests().Of(location.filesystem, location.path));
      if (manifest != nullptr) return arrow::Status::OK();  // nothing passed
    }
    return arrow::Status::Invalid(
        shown, ": no input files in this folder",
        dataset.links().empty()
            ? ""
            : "; links to folders are not followed: name what is meant, as " + NameOfPath(dataset.links().front()));
  }

  arrow::Status AddGlob(const std::string& shown, const InputPlace& location, std::vector<InputFile>* found) {
    const auto none = [&] { return arrow::Status::Invalid(shown, ": no such file or folder"); };
    const size_t glob = location.path.find_first_of(kGlobCharacters);
    if (glob == std::string::npos) return none();
    ARROW_ASSIGN_OR_RAISE(const size_t slash, BeforePattern(location, location.path.rfind('/', glob)));
    const std::string folder = slash == std::string::npos ? "." : location.path.substr(0, std::max<size_t>(slash, 1));
    const std::string pattern = location.path.substr(slash == std::string::npos ? 0 : slash + 1);
    if (pattern.find_first_of(kGlobCharacters) == std::string::npos) return none();
    ARROW_ASSIGN_OR_RAISE(const FileInfo info, location.filesystem->GetFileInfo(folder));
    std::vector<std::string> listed;
    if (info.IsDirectory()) {
      ARROW_ASSIGN_OR_RAISE(const auto files, ExpandGlob(location.filesystem.get(), folder, pattern, &listed));
      for (const FileInfo& file : files) {
        const std::string name = file.base_name();
        if (FolderOfManifest(file.path()) || name == kIncompleteMark) continue;  // no data, whatever matches them
        ARROW_RETURN_NOT_OK(Take(location, file, nullptr, found));
      }
    }
    ARROW_RETURN_NOT_OK(CheckNoneLacks(location, folder, pattern, listed, *found));
    return found->empty() ? arrow::Status::Invalid(shown, ": no file matches this pattern") : arrow::Status::OK();
  }

  // Whether all files are there that match the pattern and that manifests on its way list.
  arrow::Status CheckNoneLacks(const InputPlace& location, const std::string& folder, const std::string& pattern,
                               const std::vector<std::string>& listed, const std::vector<InputFile>& found) {
    std::set<std::string> there;
    for (const InputFile& file : found) there.insert(file.path);
    for (const std::string& one : listed) {
      ARROW_ASSIGN_OR_RAISE(const ManifestPtr manifest, reader_.manifests().Around(location.filesystem, one));
      if (manifest == nullptr) continue;
      ARROW_ASSIGN_OR_RAISE(const std::string place, PlaceOfFolder(*location.filesystem, one));
      const std::string prefix(RestBelow(place, manifest->folder).value_or(""));
      for (const auto& [path, written] : FilesBelow(*manifest, prefix)) {
        const std::string whole = PathBelow(one, *RestBelow(path, prefix));
        const auto below = RestBelow(whole, folder);
        if (below && MatchesGlob(pattern, *below) && !there.contains(whole)) return Missing(*manifest, whole);
      }
    }
    return arrow::Status::OK();
  }

  // A file by the one name that it has.
  arrow::Result<std::string> IdentityOf(const InputFile& file) {
    if (!IsOfLocalFiles(*file.filesystem)) return NameOfFileSystem(file.filesystem) + file.path;
    ARROW_ASSIGN_OR_RAISE(const fs::path canonical, CanonicalPath(file.path));
    return canonical.string();
  }

  const std::vector<std::string_view>& suffixes_;
  DatasetReader reader_;
  std::set<std::string> seen_;
  std::vector<InputFile> files_;
};

arrow::Status Changed(const std::string& name) {
  return arrow::Status::IOError(name, ": was changed while it was read; nothing is committed: run this again");
}

}  // namespace

arrow::Result<std::vector<InputFile>> ResolveInputs(const std::vector<std::string>& arguments,
                                                    const std::vector<std::string_view>& suffixes) {
  InputFinder finder(suffixes);
  for (const std::string& argument : arguments) ARROW_RETURN_NOT_OK(finder.Add(argument));
  return finder.Files();
}

arrow::Status CheckUnchanged(const std::vector<InputFile>& inputs) {
  std::set<const Manifest*> seen;
  for (const InputFile& file : inputs) {
    if (file.manifest == nullptr || !seen.insert(file.manifest.get()).second) continue;
    const Manifest& manifest = *file.manifest;
    const auto text = ReadMarkText(manifest.filesystem.get(), manifest.PathOfMark());
    const bool same = text.ok() && XXH64(text->data(), text->size(), 0) == manifest.checksum;
    if (!same) return Changed(manifest.name);
    ARROW_ASSIGN_OR_RAISE(const bool incomplete, HasMark(manifest.filesystem.get(), manifest.folder, kIncompleteMark));
    if (incomplete) return Changed(manifest.name);
  }
  // A file may be written anew under a manifest that stays as it is.
  for (const InputFile& file : inputs) {
    if (!IsOfLocalFiles(*file.filesystem)) continue;  // a request for each
    ARROW_ASSIGN_OR_RAISE(const FileInfo info, file.filesystem->GetFileInfo(file.path));
    const bool same = info.IsFile() && info.size() == file.size && info.mtime() == file.modified;
    if (!same) return Changed(file.name);
  }
  return arrow::Status::OK();
}

}  // namespace uzushio
