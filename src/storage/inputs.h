// The files that a command line names.
#pragma once

#include <arrow/filesystem/filesystem.h>
#include <arrow/result.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace uzushio {

struct Manifest;  // datasets/dataset.h

// The characters that make a path a pattern.
inline constexpr std::string_view kGlobCharacters = "*?[";

inline bool IsOfLocalFiles(const arrow::fs::FileSystem& filesystem) { return filesystem.type_name() == "local"; }

// One input file.
struct InputFile {
  std::string name;  // as it was named: the path given, or one below the folder or matching the glob given; UTF-8
  std::string path;  // in `filesystem`
  int64_t size = 0;
  std::shared_ptr<arrow::fs::FileSystem> filesystem;
  arrow::fs::TimePoint modified;             // when it was found
  std::shared_ptr<const Manifest> manifest;  // of the dataset that it is of; null: of none, or not looked for

  // What finds it again: its name, with the credentials that the URI which named it had, if it is on S3.
  std::string uri() const;
};

// Where an argument leads.
struct InputPlace {
  std::shared_ptr<arrow::fs::FileSystem> filesystem;
  std::string path;
  std::string prefix;     // of URIs, before `path`; without credentials
  size_t unnamed = 0;     // how many bytes of `path` do not follow there: Azure's container, before the account
  bool is_given = false;  // the argument begins with the folder `.`

  // What is there; `shown` is what led here, without credentials. Errors: AboutAccess.
  arrow::Result<arrow::fs::FileInfo> Look(const std::string& shown) const;
  // A file that is there or below, by its name for people.
  InputFile File(const arrow::fs::FileInfo& info) const;
};

// Finds the file system of a path or a URI that Arrow has one for; in URIs %XX is a byte. Whether something is there is
// not looked at.
arrow::Result<InputPlace> LocateInput(const std::string& argument);

// A URI without the credentials of its store, `KEY:SECRET@`, as messages and outputs name it. A name without a secret
// stays: a user's, a container's, `anonymous`. Other texts stay as they are.
std::string WithoutCredentials(const std::string& uri);

// The bytes of a URI's scheme; 0 where a text is none.
size_t SchemeLength(std::string_view text);

// How a local path stands in JSON and in messages: as it is, or, where its bytes are no UTF-8, as a URI file:///…, in
// which %XX is a byte. ResolveInputs (datasets/dataset.h) and OpenInput take it; PathOfName gives the path back.
std::string NameOfPath(const std::string& path);
std::string PathOfName(const std::string& name);

// The folder above the first wildcard of a path, or the path where it has none.
std::string BeforeWildcards(const std::string& path);

// Whether a store refuses to say what is there, as it does of what is not there in a bucket that may be read and not
// listed. Other errors, as of the network, say nothing of what is there.
bool IsRefusal(const arrow::Status& status);
// What became of a look at a place that the user has named: of S3, a refusal says what to set, as an error of the
// user's (Invalid). Others stay as they are.
arrow::Status AboutAccess(const std::string& place, const arrow::Status& status);

// What is at a path or URI, in words: a file and its size, or a folder. Errors: nothing is there, or it can not be
// reached; they say so.
arrow::Result<std::string> DescribePlace(const std::string& argument);

// One file, by its path or URI as ResolveInputs (datasets/dataset.h) names it.
arrow::Result<InputFile> OpenInput(const std::string& name);

}  // namespace uzushio
