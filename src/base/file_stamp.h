// What a file is known by where what was read of it is kept.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

namespace uzushio {

// The path, and what no other file has under it: its place on its device, its size, and when it was last changed, by
// the time that no program sets (ctime), to the clock's tick. The path alone for a file that is not there.
inline std::string FileStamp(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return path;
  std::string stamp = path;
  for (const auto part :
       {static_cast<int64_t>(status.st_dev), static_cast<int64_t>(status.st_ino), static_cast<int64_t>(status.st_size),
        static_cast<int64_t>(status.st_ctim.tv_sec), static_cast<int64_t>(status.st_ctim.tv_nsec)}) {
    stamp += '\0' + std::to_string(part);
  }
  return stamp;
}

}  // namespace uzushio
