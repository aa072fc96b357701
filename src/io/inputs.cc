#include "io/inputs.h"

#include <arrow/filesystem/localfs.h>
#include <arrow/config.h>
#include <dlfcn.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace uzushio {
namespace {

constexpr std::string_view kGlobCharacters = "*?[";

// Whether a part of a path below a folder begins with `.` or `_`, as unfinished outputs and marks do.
bool IsHidden(std::string_view below) {
  while (true) {
    if (below.starts_with('.') || below.starts_with('_')) return true;
    const size_t slash = below.find('/');
    if (slash == std::string_view::npos) return false;
    below.remove_prefix(slash + 1);
  }
}

// Whether a path matches a pattern part by part; `**` stands for any number of folders.
bool Matches(std::string_view pattern, std::string_view path) {
  const std::string_view part = pattern.substr(0, pattern.find('/'));
  const bool last = part.size() == pattern.size();
  if (part == "**" && !last) {
    const std::string_view rest = pattern.substr(3);
    while (true) {
      if (Matches(rest, path)) return true;
      const size_t slash = path.find('/');
      if (slash == std::string_view::npos) return false;
      path.remove_prefix(slash + 1);
    }
  }
  const std::string_view name = path.substr(0, path.find('/'));
  if (fnmatch(std::string(part).c_str(), std::string(name).c_str(), FNM_PERIOD) != 0) return false;
  if (last || name.size() == path.size()) return last && name.size() == path.size();
  return Matches(pattern.substr(part.size() + 1), path.substr(name.size() + 1));
}

// Arrow's S3 is a library of its own, beside its others, which has to be loaded.
arrow::Status LoadS3() {
  static const arrow::Status kLoaded = [] {
    Dl_info arrow{};
    if (dladdr(reinterpret_cast<void*>(&arrow::GetBuildInfo), &arrow) == 0) {
      return arrow::Status::IOError("s3: Arrow's libraries are not found");
    }
    const std::filesystem::path library = arrow.dli_fname;
    const std::string name = library.filename().string();  // libarrow.so.2600
    const auto s3 = library.parent_path() / ("libarrow_s3" + name.substr(name.find(".so")));
    return arrow::fs::LoadFileSystemFactories(s3.c_str());
  }();
  return kLoaded;
}

struct Location {
  std::shared_ptr<arrow::fs::FileSystem> filesystem;
  std::string path;
  std::string prefix;  // of the argument, before `path`
};

arrow::Result<Location> Locate(const std::string& argument) {
  const size_t scheme = argument.find("://");
  if (scheme == std::string::npos) {
    return Location{std::make_shared<arrow::fs::LocalFileSystem>(), argument, ""};
  }
  // Glob characters are no part of a URI's grammar: only the folders before the first decide the file system.
  const size_t glob = argument.find_first_of(kGlobCharacters);
  const std::string fixed = glob == std::string::npos ? argument : argument.substr(0, argument.rfind('/', glob));
  Location location;
  std::string root;
  const bool hadoops = fixed.starts_with("s3a://");  // name of the same
  if (hadoops || fixed.starts_with("s3://")) ARROW_RETURN_NOT_OK(LoadS3());
  const std::string uri = hadoops ? "s3" + fixed.substr(3) : fixed;
  auto filesystem = arrow::fs::FileSystemFromUri(uri, &root);
  if (!filesystem.ok()) return filesystem.status().WithMessage(argument, ": ", filesystem.status().message());
  location.filesystem = *std::move(filesystem);
  location.path = root + argument.substr(fixed.size());
  location.prefix = argument.substr(0, argument.size() - std::min(location.path.size(), argument.size()));
  return location;
}

void Add(const Location& location, const arrow::fs::FileInfo& info, std::vector<InputFile>* files) {
  std::string name = info.path();
  // What is below the working folder is named without it, unless the argument names it.
  if (name.starts_with("./") && !location.path.starts_with('.')) name.erase(0, 2);
  files->push_back({location.prefix + name, info.path(), info.size(), location.filesystem});
}

arrow::Status AddBelow(const Location& location, const std::string& folder,
                       const std::vector<std::string_view>& suffixes, std::string_view pattern,
                       std::vector<InputFile>* files) {
  arrow::fs::FileSelector selector;
  selector.base_dir = folder;
  selector.recursive = pattern.empty() || pattern.find('/') != std::string_view::npos;
  ARROW_ASSIGN_OR_RAISE(const auto infos, location.filesystem->GetFileInfo(selector));
  for (const arrow::fs::FileInfo& info : infos) {
    if (!info.IsFile()) continue;
    std::string_view below = info.path();
    if (below.starts_with(folder)) below.remove_prefix(folder.size());
    while (below.starts_with('/')) below.remove_prefix(1);
    const bool wanted =
        pattern.empty()
            ? !IsHidden(below) &&
                  std::ranges::any_of(suffixes, [&](std::string_view suffix) { return info.path().ends_with(suffix); })
            : Matches(pattern, below);
    if (wanted) Add(location, info, files);
  }
  return arrow::Status::OK();
}

arrow::Status Resolve(const std::string& argument, const std::vector<std::string_view>& suffixes,
                      std::vector<InputFile>* files) {
  ARROW_ASSIGN_OR_RAISE(const Location location, Locate(argument));
  const size_t before = files->size();
  ARROW_ASSIGN_OR_RAISE(const arrow::fs::FileInfo info, location.filesystem->GetFileInfo(location.path));
  if (info.IsFile()) {
    Add(location, info, files);
    return arrow::Status::OK();
  }
  if (info.IsDirectory()) {
    ARROW_RETURN_NOT_OK(AddBelow(location, location.path, suffixes, {}, files));
    if (files->size() == before) return arrow::Status::Invalid(argument, ": no input files in this folder");
  } else {
    const size_t glob = location.path.find_first_of(kGlobCharacters);
    if (glob == std::string::npos) return arrow::Status::Invalid(argument, ": no such file or folder");
    const size_t slash = location.path.rfind('/', glob);
    const std::string folder = slash == std::string::npos ? "." : location.path.substr(0, std::max<size_t>(slash, 1));
    const std::string pattern = location.path.substr(slash == std::string::npos ? 0 : slash + 1);
    ARROW_ASSIGN_OR_RAISE(const auto folder_info, location.filesystem->GetFileInfo(folder));
    if (folder_info.IsDirectory()) ARROW_RETURN_NOT_OK(AddBelow(location, folder, suffixes, pattern, files));
    if (files->size() == before) return arrow::Status::Invalid(argument, ": no file matches this pattern");
  }
  std::sort(files->begin() + static_cast<std::ptrdiff_t>(before), files->end(),
            [](const InputFile& a, const InputFile& b) { return a.name < b.name; });
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<std::vector<InputFile>> ResolveInputs(const std::vector<std::string>& arguments,
                                                    const std::vector<std::string_view>& suffixes) {
  std::vector<InputFile> files;
  for (const std::string& argument : arguments) ARROW_RETURN_NOT_OK(Resolve(argument, suffixes, &files));
  std::set<std::string_view> seen;
  std::vector<InputFile> unique;
  unique.reserve(files.size());
  for (const InputFile& file : files) {
    if (seen.insert(file.name).second) unique.push_back(file);
  }
  return unique;
}

arrow::Result<InputFile> OpenInput(const std::string& name) {
  ARROW_ASSIGN_OR_RAISE(const Location location, Locate(name));
  ARROW_ASSIGN_OR_RAISE(const arrow::fs::FileInfo info, location.filesystem->GetFileInfo(location.path));
  if (!info.IsFile()) return arrow::Status::Invalid(name, ": no such file");
  return InputFile{name, location.path, info.size(), location.filesystem};
}

}  // namespace uzushio
