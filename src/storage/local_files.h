// Folders and small files of the local file system. Nothing here throws, and what is changed is on the disk on return.
#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace uzushio {

// Whether something is there; links are followed. Errors: that can not be told.
arrow::Result<bool> PathExists(const std::filesystem::path& path);
// Whether it is a folder, and one without entries. False where there is nothing.
arrow::Result<bool> IsFolder(const std::filesystem::path& path);
arrow::Result<bool> IsEmptyFolder(const std::filesystem::path& path);

// Whether something is mounted at a folder, which can not be renamed then. False where there is nothing.
arrow::Result<bool> IsMountPoint(const std::filesystem::path& path);

// The path from the root; and also without links, as far as it exists.
arrow::Result<std::filesystem::path> AbsolutePath(const std::filesystem::path& path);
arrow::Result<std::filesystem::path> CanonicalPath(const std::filesystem::path& path);
// Whether one such path is a folder's own or lies below it.
bool IsIn(const std::filesystem::path& path, const std::filesystem::path& folder);

// What is below a folder, in order of paths; links are not followed.
struct TreeEntry {
  std::string path;  // below the folder
  bool is_folder = false;
};
arrow::Result<std::vector<TreeEntry>> ListTree(const std::filesystem::path& folder);
// The names of what is in it.
arrow::Result<std::vector<std::string>> ListFolder(const std::filesystem::path& folder);

// Puts a file's content, or a folder's entries, on the disk.
arrow::Status Sync(const std::filesystem::path& path);
// With those above it.
arrow::Status MakeFolder(const std::filesystem::path& path);
// The file, or the folder with all that is in it; nothing may be there.
arrow::Status RemoveTree(const std::filesystem::path& path);
// The file, or the empty folder; nothing may be there.
arrow::Status RemoveFile(const std::filesystem::path& path);
// Replaces a file, or an empty folder, and nothing else. Of a missing source, an error.
arrow::Status Rename(const std::filesystem::path& from, const std::filesystem::path& to);

// The folder that a path lies in.
std::filesystem::path ParentOf(const std::filesystem::path& path);

// Writes a small file whole: to a temporary name, synced, renamed.
arrow::Status WriteFileAtomically(const std::filesystem::path& path, const std::string& content);
// Removes what a stop in its midst has left beside the file; nothing may be there.
arrow::Status RemoveUnfinished(const std::filesystem::path& path);

// Whether a path leads to what is open already, as /dev/stdout does: another file of its name would not be seen.
arrow::Result<bool> IsOpenFile(const std::filesystem::path& path);

// Writes a file whose name others have chosen, and touches nothing else: a file is replaced whole, by one of a name
// that is free; links stay, and what they lead to is written; pipes and devices are written to.
arrow::Status WriteNamedFile(const std::filesystem::path& path, const std::string& content);

// Adds to the end of a file, which is made where there is none. After an error, a part may be there.
arrow::Status AppendToFile(const std::filesystem::path& path, const std::string& content);

// All of a file; of links, what they lead to. Errors: it is none, or can not be read: IOError.
arrow::Result<std::string> ReadSmallFile(const std::filesystem::path& path);

// JSON as text. Bytes that are no UTF-8, of names of files, become U+FFFD.
std::string JsonText(const nlohmann::json& json, int indent = -1);
std::string JsonText(const nlohmann::ordered_json& json, int indent = -1);
// An object in a text; null where there is none, or it is nested without end.
nlohmann::json ParseJsonObject(std::string_view text);
// An object in a file. Errors: those of ReadSmallFile; it is damaged: Invalid.
arrow::Result<nlohmann::json> ReadJsonObject(const std::filesystem::path& path);

}  // namespace uzushio
