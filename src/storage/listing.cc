#include "storage/listing.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <system_error>
#include <utility>

#include "storage/inputs.h"
#include "storage/output_names.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;
using arrow::fs::FileInfo;

bool IsFolderLink(const std::string& path) {
  std::error_code error;
  return fs::is_symlink(path, error) && fs::is_directory(path, error);
}

bool IsBrokenLink(const std::string& path) {
  std::error_code error;
  return fs::is_symlink(path, error) && !fs::exists(path, error) && !error;
}

bool MatchesName(std::string_view pattern, std::string_view name) {
  return fnmatch(std::string(pattern).c_str(), std::string(name).c_str(), FNM_PERIOD) == 0;
}

// The first part of a path, which is taken away with the slashes behind it.
std::string_view TakePathPart(std::string_view* path) {
  const std::string_view part = path->substr(0, path->find('/'));
  path->remove_prefix(part.size());
  while (path->starts_with('/')) path->remove_prefix(1);
  return part;
}

arrow::Result<std::vector<FileInfo>> Children(arrow::fs::FileSystem* filesystem, const std::string& folder) {
  arrow::fs::FileSelector selector;
  selector.base_dir = folder;
  ARROW_ASSIGN_OR_RAISE(auto infos, filesystem->GetFileInfo(selector));
  std::ranges::sort(infos, {}, &FileInfo::path);
  return infos;
}

// Names in a folder of links that lead nowhere, in order. Arrow leaves them out.
std::vector<std::string> BrokenLinks(const arrow::fs::FileSystem& filesystem, const std::string& folder) {
  std::vector<std::string> names;
  if (!IsOfLocalFiles(filesystem)) return names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code unknown;
    if (entry->is_symlink(unknown) && IsBrokenLink(entry->path())) names.push_back(entry->path().filename());
  }
  std::ranges::sort(names);
  return names;
}

// Refuses a folder from which an output of one of the names was put aside, as `.NAME.replaced`, and nothing has taken
// its place yet: its writer is between these two steps, or was stopped there. The children are in order.
arrow::Status CheckNoneIsAside(const std::vector<FileInfo>& children, const std::string& folder,
                               const std::function<bool(const std::string&)>& is_wanted) {
  constexpr std::string_view kEnding = ".replaced";
  for (const FileInfo& info : children) {
    const std::string aside = info.base_name();
    if (!info.IsDirectory() || !aside.starts_with('.') || !aside.ends_with(kEnding)) continue;
    if (aside.size() <= kEnding.size() + 1) continue;
    const std::string name = aside.substr(1, aside.size() - kEnding.size() - 1);
    const std::string path = PathBelow(folder, name);
    if (!is_wanted(name) || std::ranges::binary_search(children, path, {}, &FileInfo::path)) continue;
    const auto is_whole = HasManifest(info.path());
    if (!is_whole.ok() || !*is_whole) continue;
    return arrow::Status::IOError(
        NameOfPath(path), ": was put aside as ", NameOfPath(info.path()), " while another ",
        "output was to take its place; when no run is at it, run its stage again, or move it ", "back");
  }
  return arrow::Status::OK();
}

arrow::Status AddBelow(arrow::fs::FileSystem* filesystem, const std::string& folder, Listing* listing) {
  ARROW_ASSIGN_OR_RAISE(const auto children, Children(filesystem, folder));
  ARROW_RETURN_NOT_OK(CheckNoneIsAside(children, folder, [](const std::string& name) { return !IsHidden(name); }));
  for (const std::string& name : BrokenLinks(*filesystem, folder)) {
    if (!IsHidden(name)) listing->broken_links.push_back(PathBelow(folder, name));
  }
  for (const FileInfo& info : children) {
    if (info.IsFile()) listing->files.push_back(info);
    if (info.IsDirectory() && info.base_name() == kOwnFolder) {
      ARROW_ASSIGN_OR_RAISE(FileInfo manifest, filesystem->GetFileInfo(PathBelow(folder, kManifestName.path)));
      if (manifest.IsFile()) listing->files.push_back(std::move(manifest));
    }
    if (!info.IsDirectory() || IsHidden(info.base_name())) continue;
    if (IsFolderLink(info.path())) {
      listing->links.push_back(info.path());
    } else {
      ARROW_RETURN_NOT_OK(AddBelow(filesystem, info.path(), listing));
    }
  }
  return arrow::Status::OK();
}

// Goes down the folders that a pattern leads to.
class Expansion {
 public:
  Expansion(arrow::fs::FileSystem* filesystem, std::vector<std::string>* listed)
      : filesystem_(filesystem), listed_(listed) {}

  arrow::Status Below(const std::string& folder, std::string_view pattern) {
    if (!seen_.emplace(folder, pattern.size()).second) return arrow::Status::OK();
    std::string_view rest = pattern;
    const std::string_view part = TakePathPart(&rest);
    const bool any_depth = part == "**" && !rest.empty();
    if (any_depth) ARROW_RETURN_NOT_OK(Below(folder, rest));
    if (!any_depth && part.find_first_of(kGlobCharacters) == std::string_view::npos) {
      const std::string path = PathBelow(folder, part);
      ARROW_ASSIGN_OR_RAISE(const FileInfo info, filesystem_->GetFileInfo(path));
      if (IsOfLocalFiles(*filesystem_) && IsBrokenLink(path)) return LeadsNowhere(path);
      return Take(info, rest);
    }
    listed_->push_back(folder);
    for (const std::string& name : BrokenLinks(*filesystem_, folder)) {
      if (!any_depth && MatchesName(part, name)) return LeadsNowhere(PathBelow(folder, name));
    }
    ARROW_ASSIGN_OR_RAISE(const auto children, Children(filesystem_, folder));
    if (IsOfLocalFiles(*filesystem_)) {
      ARROW_RETURN_NOT_OK(CheckNoneIsAside(children, folder, [&](const std::string& name) {
        return any_depth ? !IsHidden(name) : MatchesName(part, name);
      }));
    }
    for (const FileInfo& info : children) {
      if (any_depth) {
        const bool follows = info.IsDirectory() && !IsHidden(info.base_name()) &&
                             !(IsOfLocalFiles(*filesystem_) && IsFolderLink(info.path()));
        if (follows) ARROW_RETURN_NOT_OK(Below(info.path(), pattern));
      } else if (MatchesName(part, info.base_name())) {
        ARROW_RETURN_NOT_OK(Take(info, rest));
      }
    }
    return arrow::Status::OK();
  }

  std::vector<FileInfo> Files() {
    std::ranges::sort(files_, {}, &FileInfo::path);
    const auto are_one = [](const FileInfo& a, const FileInfo& b) { return a.path() == b.path(); };
    files_.erase(std::unique(files_.begin(), files_.end(), are_one), files_.end());
    return std::move(files_);
  }

 private:
  arrow::Status Take(const FileInfo& info, std::string_view rest) {
    if (rest.empty() && info.IsFile()) files_.push_back(info);
    if (!rest.empty() && info.IsDirectory()) return Below(info.path(), rest);
    return arrow::Status::OK();
  }

  arrow::fs::FileSystem* filesystem_;
  std::vector<std::string>* listed_;
  std::set<std::pair<std::string, size_t>> seen_;  // folders, and how much of the pattern was left
  std::vector<FileInfo> files_;
};

}  // namespace

std::string PathBelow(const std::string& folder, std::string_view path) {
  return folder.empty() || folder.ends_with('/') ? folder + std::string(path) : folder + "/" + std::string(path);
}

arrow::Status LeadsNowhere(const std::string& link) {
  return arrow::Status::Invalid(NameOfPath(link), ": is a link that leads nowhere; bring back what it leads to, or ",
                                "remove it");
}

bool IsHidden(std::string_view path) {
  while (!path.empty()) {
    if (path.starts_with('.') || path.starts_with('_')) return true;
    TakePathPart(&path);
  }
  return false;
}

bool MatchesGlob(std::string_view pattern, std::string_view path) {
  const std::string_view part = TakePathPart(&pattern);
  if (part == "**" && !pattern.empty()) {
    while (true) {
      if (MatchesGlob(pattern, path)) return true;
      const std::string_view folder = TakePathPart(&path);
      if (path.empty() || IsHidden(folder)) return false;
    }
  }
  const std::string_view name = TakePathPart(&path);
  if (!MatchesName(part, name) || pattern.empty() != path.empty()) return false;
  return pattern.empty() || MatchesGlob(pattern, path);
}

arrow::Result<Listing> ListFiles(arrow::fs::FileSystem* filesystem, const std::string& folder) {
  Listing listing;
  if (IsOfLocalFiles(*filesystem)) {
    ARROW_RETURN_NOT_OK(AddBelow(filesystem, folder, &listing));
  } else {
    arrow::fs::FileSelector selector;
    selector.base_dir = folder;
    selector.recursive = true;
    ARROW_ASSIGN_OR_RAISE(const auto infos, filesystem->GetFileInfo(selector));
    std::ranges::copy_if(infos, std::back_inserter(listing.files), &FileInfo::IsFile);
  }
  std::ranges::sort(listing.files, {}, &FileInfo::path);
  return listing;
}

arrow::Result<std::vector<FileInfo>> ExpandGlob(arrow::fs::FileSystem* filesystem, const std::string& folder,
                                                std::string_view pattern, std::vector<std::string>* listed) {
  Expansion expansion(filesystem, listed);
  ARROW_RETURN_NOT_OK(expansion.Below(folder, pattern));
  return expansion.Files();
}

}  // namespace uzushio
