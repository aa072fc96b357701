#include "storage/places.h"

#include <arrow/filesystem/filesystem.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "storage/local_files.h"
#include "storage/nearest_folder.h"
#include "storage/output_names.h"
#include "storage/store_place.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

// A place without links.
struct Located {
  std::string option;
  std::string named;
  fs::path path;
};

// On a store it is a path without a root, which lies in none of the local file system. A pattern is a path that hardly
// exists; the files that it matches are known.
arrow::Result<std::optional<fs::path>> PathOfPlace(const std::string& named) {
  if (named.empty()) return std::nullopt;
  if (!IsOnStore(named)) {
    ARROW_ASSIGN_OR_RAISE(const bool is_open, IsOpenFile(PathOfName(named)));
    if (is_open) return std::nullopt;  // it has no place
  }
  ARROW_ASSIGN_OR_RAISE(fs::path place, OneNameOf(named));
  return place;
}

arrow::Result<std::vector<Located>> LocateAll(const std::vector<Places::Place>& places) {
  std::vector<Located> located;
  for (const Places::Place& place : places) {
    ARROW_ASSIGN_OR_RAISE(const auto path, PathOfPlace(place.path));
    if (path) located.push_back({place.option, IsOnStore(place.path) ? StoreName(place.path) : place.path, *path});
  }
  return located;
}

arrow::Status Refuse(const Located& inner, const char* how, const Located& outer, const char* advice) {
  return arrow::Status::Invalid(inner.option, " ", inner.named, how, outer.option, " ", outer.named, advice);
}

// Of two outputs, or an output and a place that is read: neither in the other.
arrow::Status CheckApart(const Located& output, const Located& other, const char* advice) {
  if (output.path == other.path) return Refuse(output, ": is the same place as ", other, advice);
  if (IsIn(other.path, output.path)) return Refuse(other, ": lies in ", output, advice);
  if (IsIn(output.path, other.path)) return Refuse(output, ": lies in ", other, advice);
  return arrow::Status::OK();
}

// Files may be many; where nothing is, none of them can lie.
arrow::Status CheckResolved(const std::vector<InputFile>& files, std::vector<Located> outputs, const char* advice) {
  std::vector<Located> existing;
  for (Located& place : outputs) {
    ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(place.path));
    if (there || !place.path.is_absolute()) existing.push_back(std::move(place));
  }
  if (existing.empty()) return arrow::Status::OK();
  for (const InputFile& file : files) {
    const bool is_local = IsOfLocalFiles(*file.filesystem);
    ARROW_ASSIGN_OR_RAISE(const auto path, PathOfPlace(is_local ? file.path : file.name));
    for (const Located& place : existing) {
      if (path && IsIn(*path, place.path)) {
        return arrow::Status::Invalid("the input ", file.name, *path == place.path ? " is " : " lies in ", place.option,
                                      " ", place.named, advice);
      }
    }
  }
  return arrow::Status::OK();
}

// A finished output is what its mark lists: what is written into it later is of it in the eyes of other programs. Of
// those on a store, storage/store_output.h looks.
arrow::Status CheckInNoOutput(const Located& output, const char* what) {
  if (!output.path.is_absolute()) return arrow::Status::OK();
  const fs::path around = FinishedOutputAround(output.path.parent_path());
  if (around.empty()) return arrow::Status::OK();
  return arrow::Status::Invalid(output.option, " ", output.named, ": lies in ", around.string(),
                                ", which is a finished output; choose a ", what, " beside it");
}

arrow::Status CheckFilePlace(const Located& file) {
  ARROW_ASSIGN_OR_RAISE(const bool is_folder, IsFolder(file.path));
  if (is_folder) {
    return arrow::Status::Invalid(file.option, " ", file.named, ": is a folder; give the name of a file");
  }
  std::error_code error;
  if (fs::is_symlink(file.path, error)) {  // those that lead somewhere were followed
    return arrow::Status::Invalid(file.option, " ", file.named, ": is a link that leads nowhere");
  }
  ARROW_ASSIGN_OR_RAISE(const bool has_folder, IsFolder(ParentOf(file.path)));
  if (has_folder) return arrow::Status::OK();
  return arrow::Status::Invalid(file.option, " ", file.named, ": there is no folder ", ParentOf(file.path).string());
}

}  // namespace

arrow::Status CheckIsPath(const std::string& option, const std::string& named) {
  const size_t scheme = SchemeLength(named);
  if (scheme == 0) return arrow::Status::OK();
  if (named.starts_with("file://")) {
    return arrow::Status::Invalid(option, " ", named, ": give it as a path, ", PathOfName(named));
  }
  const std::string shown = named.find('@') == std::string::npos ? named : StoreName(named);  // without credentials
  return arrow::Status::Invalid(option, " ", shown, ": is written to local or mounted folders only (",
                                named.substr(0, scheme), ":// can be read, and on Spark written); give a path, and ",
                                "copy what was made");
}

arrow::Status CheckPlaces(const Places& places) {
  constexpr const char* kAdvice = "; choose another place";
  for (const auto* written : {&places.folders, &places.files}) {
    const bool is_folder = written == &places.folders;
    for (const Places::Place& place : *written) {
      if (is_folder && place.option == "--output" && IsOutputStore(place.path)) continue;
      ARROW_RETURN_NOT_OK(CheckIsPath(place.option, place.path));
    }
  }
  ARROW_ASSIGN_OR_RAISE(const auto folders, LocateAll(places.folders));
  ARROW_ASSIGN_OR_RAISE(const auto files, LocateAll(places.files));
  ARROW_ASSIGN_OR_RAISE(const auto inputs, LocateAll(places.inputs));
  ARROW_ASSIGN_OR_RAISE(const auto others, LocateAll(places.others));
  ARROW_ASSIGN_OR_RAISE(const auto tmp, LocateAll({{"--tmp", places.tmp}}));
  for (size_t i = 0; i < folders.size(); ++i) {
    for (size_t k = i + 1; k < folders.size(); ++k) {
      ARROW_RETURN_NOT_OK(CheckApart(folders[i], folders[k], kAdvice));
    }
    for (const Located& input : inputs) ARROW_RETURN_NOT_OK(CheckApart(folders[i], input, kAdvice));
    for (const Located& file : files) {
      if (IsIn(file.path, folders[i].path)) return Refuse(file, ": lies in ", folders[i], kAdvice);
      if (IsIn(folders[i].path, file.path)) return Refuse(folders[i], ": lies in ", file, kAdvice);
    }
    for (const auto* inner : {&others, &tmp}) {
      for (const Located& place : *inner) {
        if (IsIn(place.path, folders[i].path)) return Refuse(place, ": lies in ", folders[i], kAdvice);
      }
    }
  }
  for (size_t i = 0; i < files.size(); ++i) {
    for (const auto* read : {&inputs, &others}) {
      for (const Located& place : *read) {
        if (files[i].path == place.path) return Refuse(files[i], ": is the same place as ", place, kAdvice);
      }
    }
    for (const Located& place : others) {
      if (IsIn(files[i].path, place.path)) return Refuse(files[i], ": lies in ", place, kAdvice);
    }
    for (size_t k = i + 1; k < files.size(); ++k) {
      if (files[i].path == files[k].path) return Refuse(files[i], ": is the same place as ", files[k], kAdvice);
    }
  }
  for (const Located& folder : folders) ARROW_RETURN_NOT_OK(CheckInNoOutput(folder, "folder"));
  for (const Located& file : files) {
    ARROW_RETURN_NOT_OK(CheckFilePlace(file));
    ARROW_RETURN_NOT_OK(CheckInNoOutput(file, "file"));
  }
  std::vector<Located> outputs = folders;
  outputs.insert(outputs.end(), files.begin(), files.end());
  return CheckResolved(places.resolved, std::move(outputs), kAdvice);
}

}  // namespace uzushio
