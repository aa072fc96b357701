#include "storage/listing.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "storage/inputs.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;
using arrow::fs::FileInfo;

bool IsFolderLink(const std::string& path) {
  std::error_code error;
  return fs::is_symlink(path, error) && fs::is_directory(path, error);
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

arrow::Status AddBelow(arrow::fs::FileSystem* filesystem, const std::string& folder, Listing* listing) {
  ARROW_ASSIGN_OR_RAISE(const auto children, Children(filesystem, folder));
  for (const FileInfo& info : children) {
    if (info.IsFile()) listing->files.push_back(info);
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
      ARROW_ASSIGN_OR_RAISE(const FileInfo info, filesystem_->GetFileInfo(PathBelow(folder, part)));
      return Take(info, rest);
    }
    listed_->push_back(folder);
    ARROW_ASSIGN_OR_RAISE(const auto children, Children(filesystem_, folder));
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
    const auto repeated = std::ranges::unique(files_, {}, &FileInfo::path);
    files_.erase(repeated.begin(), repeated.end());
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
