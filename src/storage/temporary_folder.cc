#include "storage/temporary_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "storage/local_files.h"

namespace uzushio {

namespace fs = std::filesystem;

arrow::Result<std::unique_ptr<TemporaryFolder>> TemporaryFolder::Make(const fs::path& prefix) {
  std::string name = prefix.string() + ".XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    return arrow::Status::IOError("cannot make a folder ", name, ": ", std::strerror(errno));
  }
  return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(name));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

arrow::Status TemporaryFolder::About(const arrow::Status& status, const std::string& name) const {
  if (status.ok()) return status;
  std::string message = status.message();
  const std::string folder = path_.string();
  for (size_t at = message.find(folder); at != std::string::npos; at = message.find(folder, at + name.size())) {
    message.replace(at, folder.size(), name);
  }
  return status.WithMessage(message);
}

arrow::Status PutInPlace(const fs::path& from, const fs::path& to, bool overwrite) {
  ARROW_RETURN_NOT_OK(Sync(from));
  if (overwrite) return Rename(from, to);
  int renamed = ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE);
  if (renamed != 0 && (errno == EINVAL || errno == ENOSYS)) {  // this file system can not
    renamed = ::link(from.c_str(), to.c_str());
    if (renamed == 0) ::unlink(from.c_str());
  }
  if (renamed != 0 && errno == EEXIST) {
    return arrow::Status::Invalid("--output ", to.string(), ": something has come to this place meanwhile; ",
                                  "choose another name, or --overwrite");
  }
  if (renamed != 0) return arrow::Status::IOError("cannot write ", to.string(), ": ", std::strerror(errno));
  return Sync(ParentOf(to));
}

}  // namespace uzushio
