// The files that a command line names.
#pragma once

#include <arrow/filesystem/filesystem.h>
#include <arrow/result.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace uzushio {

// One input file.
struct InputFile {
  std::string name;  // as it was named: the path given, or one below the folder or matching the glob given; UTF-8
  std::string path;  // in `filesystem`
  int64_t size = 0;
  std::shared_ptr<arrow::fs::FileSystem> filesystem;
};

// How a local path stands in JSON and in messages: as it is, or, where its bytes are no UTF-8, as a URI file:///…, in
// which %XX is a byte. ResolveInputs and OpenInput take it; PathOfName gives the path back.
std::string NameOfPath(const std::string& path);
std::string PathOfName(const std::string& name);

// Resolves paths, globs (`*`, `?`, `[…]`, `**` for folders of any depth) and folders (all files below with one of
// `suffixes`), local or as URIs that Arrow has a file system for; in URIs %XX is a byte. What is there as it is named
// is no glob, and neither are the folders before one. Hidden files (`.` or `_` first) of folders are left out. The
// result is in order of the arguments, by name within one, without repeats. An argument that names nothing is an error
// that says which.
arrow::Result<std::vector<InputFile>> ResolveInputs(const std::vector<std::string>& arguments,
                                                    const std::vector<std::string_view>& suffixes);

// The folder above the first wildcard of a path, or the path where it has none.
std::string BeforeWildcards(const std::string& path);

// What is at a path or URI, in words: a file and its size, or a folder. Errors: nothing is there, or it can not be
// reached; they say so.
arrow::Result<std::string> DescribePlace(const std::string& argument);

// One file, by its path or URI as ResolveInputs names it.
arrow::Result<InputFile> OpenInput(const std::string& name);

}  // namespace uzushio
