// The files that lie in a folder, or match a pattern.
#pragma once

#include <arrow/filesystem/filesystem.h>
#include <arrow/result.h>

#include <string>
#include <string_view>
#include <vector>

namespace uzushio {

// A path below a folder, which may be empty.
std::string PathBelow(const std::string& folder, std::string_view path);

// Whether a path, or a part of it, begins with `.` or `_`, as unfinished outputs and marks do.
bool IsHidden(std::string_view path);

// What is said of a link to what is not there, as on a disk that is not mounted, where it would have been an input.
arrow::Status LeadsNowhere(const std::string& link);

// Whether a path matches a pattern (`*`, `?`, `[…]`, and `**` for folders of any depth, hidden ones but) part by part.
// Dots at the beginning of a name have to be in the pattern.
bool MatchesGlob(std::string_view pattern, std::string_view path);

struct Listing {
  std::vector<arrow::fs::FileInfo> files;
  std::vector<std::string> links;         // to folders, which are not followed
  std::vector<std::string> broken_links;  // that lead nowhere
};

// The files below a folder, in order of paths; what is in hidden folders may be left out, but for manifests. Links to
// files are files; those to folders are told apart, as what they lead to may lie in the folder as well.
arrow::Result<Listing> ListFiles(arrow::fs::FileSystem* filesystem, const std::string& folder);

// The files below a folder that match a pattern, in order of paths, each once. Folders are listed one level after the
// other, only those that the pattern leads to; what it leads to by name or by `*` may be a link, `**` follows none.
// `listed` gets the paths of these folders. Errors: a link that matches, or is on the way, leads nowhere.
arrow::Result<std::vector<arrow::fs::FileInfo>> ExpandGlob(arrow::fs::FileSystem* filesystem, const std::string& folder,
                                                           std::string_view pattern, std::vector<std::string>* listed);

}  // namespace uzushio
