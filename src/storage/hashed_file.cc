#include "storage/hashed_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "base/hash_state.h"

namespace uzushio {
namespace {

std::string Hex(uint64_t value) {
  std::array<char, 17> hex{};
  std::snprintf(hex.data(), hex.size(), "%016" PRIx64, value);
  return hex.data();
}

arrow::Result<std::string> ReadXxh64(int fd, const std::filesystem::path& path) {
  constexpr size_t kBlockBytes = size_t{1} << 20;
  const Xxh64State state = NewXxh64State();
  std::vector<char> block(kBlockBytes);
  while (true) {
    const ssize_t count = ::read(fd, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return arrow::Status::IOError("cannot read ", path.string(), ": ", std::strerror(errno));
    if (count == 0) return Hex(XXH64_digest(state.get()));
    XXH64_update(state.get(), block.data(), static_cast<size_t>(count));
  }
}

// The footer of a Parquet file: the metadata, four bytes that say how many they are, and `PAR1`. Empty of other files,
// where it lies under encryption, and of what is too short.
arrow::Result<std::string> FooterXxh64(int fd, int64_t bytes, const std::filesystem::path& path) {
  constexpr int64_t kEndBytes = 8;
  const auto read = [&](int64_t at, char* to, int64_t length) -> arrow::Status {
    for (int64_t done = 0; done < length;) {
      const ssize_t count = ::pread(fd, to + done, static_cast<size_t>(length - done), at + done);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return arrow::Status::IOError("cannot read ", path.string(), ": ", std::strerror(errno));
      done += count;
    }
    return arrow::Status::OK();
  };
  std::array<char, kEndBytes> end{};
  if (bytes < kEndBytes) return std::string();
  ARROW_RETURN_NOT_OK(read(bytes - kEndBytes, end.data(), kEndBytes));
  if (std::string_view(end.data() + 4, 4) != "PAR1") return std::string();
  uint32_t length = 0;  // little-endian
  for (int i = 3; i >= 0; --i) length = length << 8 | static_cast<unsigned char>(end[static_cast<size_t>(i)]);
  const int64_t whole = int64_t{length} + kEndBytes;
  if (whole > bytes) return std::string();
  std::string footer(static_cast<size_t>(whole), '\0');
  ARROW_RETURN_NOT_OK(read(bytes - whole, footer.data(), whole));
  return Hex(XXH64(footer.data(), footer.size(), 0));
}

class HashedFileImpl final : public HashedFile {
 public:
  HashedFileImpl(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  ~HashedFileImpl() override {
    if (fd_ >= 0) ::close(fd_);
  }

  using arrow::io::OutputStream::Write;
  arrow::Status Write(const void* data, int64_t length) override {
    const auto* bytes = static_cast<const char*>(data);
    for (int64_t written = 0; written < length;) {
      const ssize_t count = ::write(fd_, bytes + written, static_cast<size_t>(length - written));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return Error("cannot write");
      written += count;
    }
    XXH64_update(hash_.get(), data, static_cast<size_t>(length));
    bytes_ += length;
    return arrow::Status::OK();
  }

  arrow::Status Close() override {
    if (fd_ < 0) return arrow::Status::OK();
    const bool synced = ::fsync(fd_) == 0;
    arrow::Status status = synced ? arrow::Status::OK() : Error("cannot sync");
    if (auto footer = FooterXxh64(fd_, bytes_, path_); footer.ok()) {
      footer_ = *std::move(footer);
    } else if (status.ok()) {
      status = footer.status();
    }
    ::close(fd_);
    fd_ = -1;
    return status;
  }
  bool closed() const override { return fd_ < 0; }
  arrow::Result<int64_t> Tell() const override { return bytes_; }
  int64_t bytes() const override { return bytes_; }

  std::string xxh64() const override { return Hex(XXH64_digest(hash_.get())); }
  std::string footer_xxh64() const override { return footer_; }

 private:
  arrow::Status Error(const char* what) const {
    return arrow::Status::IOError(what, " ", path_, ": ", std::strerror(errno));
  }

  int fd_;
  std::string path_;
  Xxh64State hash_ = NewXxh64State();
  int64_t bytes_ = 0;
  std::string footer_;
};

}  // namespace

void to_json(nlohmann::json& json, const WrittenFile& file) {
  json = {{"path", file.path}, {"rows", file.rows}, {"bytes", file.bytes}, {"xxh64", file.xxh64}};
  if (!file.footer_xxh64.empty()) json["footer_xxh64"] = file.footer_xxh64;
}

namespace {

// Whether a path leads to a place below a folder and is the only one that does, without `.`, `..` and empty names.
bool IsPlainPath(std::string_view path) {
  while (true) {
    const size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    if (name.empty() || name == "." || name == ".." || name.find('\0') != std::string_view::npos) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

arrow::Result<std::vector<WrittenFile>> ReadWrittenFiles(const nlohmann::json& json) {
  std::vector<WrittenFile> files;
  const auto damaged = [] { return arrow::Status::Invalid("`files` is no list of files with path and bytes"); };
  const auto list = json.is_object() ? json.find("files") : json.end();
  if (list == json.end()) return files;
  if (!list->is_array()) return damaged();
  try {
    for (const nlohmann::json& file : *list) {
      const nlohmann::json rows = file.value("rows", nlohmann::json(0));
      const nlohmann::json& bytes = file.at("bytes");
      if (!rows.is_number_integer() || !bytes.is_number_integer()) return damaged();
      files.push_back({file.at("path").get<std::string>(), rows.get<int64_t>(), bytes.get<int64_t>(),
                       file.value("xxh64", std::string()), file.value("footer_xxh64", std::string())});
    }
  } catch (const nlohmann::json::exception&) {
    return damaged();
  }
  std::set<std::string_view> paths;
  for (const WrittenFile& file : files) {
    if (!IsPlainPath(file.path)) {
      return arrow::Status::Invalid("`files` lists '", file.path, "', which is no path below the folder");
    }
    if (file.bytes < 0 || file.rows < 0 || !paths.insert(file.path).second) {
      return arrow::Status::Invalid("`files` lists '", file.path, "' twice, or with a negative number");
    }
  }
  return files;
}

namespace {

using Checksum = arrow::Result<std::string> (*)(int fd, int64_t bytes, const std::filesystem::path& path);

// Whether a file has the size that it was written with and, unless `wanted` is empty, the checksum.
arrow::Status CheckFile(const std::filesystem::path& path, const WrittenFile& file, const std::string& wanted,
                        Checksum checksum, const char* name) {
  const auto differs = [&path](const char* what) {
    return arrow::Status::IOError(path.string(), ": its ", what, " is not what was written; the file is damaged");
  };
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return arrow::Status::IOError("cannot open ", path.string(), ": ", std::strerror(errno));
  struct stat found{};
  const bool known = ::fstat(fd, &found) == 0;
  arrow::Result<std::string> found_checksum = std::string();
  const bool same_size = known && S_ISREG(found.st_mode) && found.st_size == file.bytes;
  if (same_size && !wanted.empty()) found_checksum = checksum(fd, file.bytes, path);
  ::close(fd);
  if (!same_size) return differs("size");
  ARROW_RETURN_NOT_OK(found_checksum.status());
  return *found_checksum == wanted ? arrow::Status::OK() : differs(name);
}

}  // namespace

arrow::Result<std::string> ChecksumOfFile(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return arrow::Status::IOError("cannot open ", path.string(), ": ", std::strerror(errno));
  auto checksum = ReadXxh64(fd, path);
  ::close(fd);
  return checksum;
}

arrow::Status CheckWrittenFile(const std::filesystem::path& folder, const WrittenFile& file) {
  const auto whole = [](int fd, int64_t, const std::filesystem::path& path) { return ReadXxh64(fd, path); };
  return CheckFile(folder / file.path, file, file.xxh64, whole, "XXH64");
}

arrow::Status CheckFooter(const std::filesystem::path& folder, const WrittenFile& file) {
  return CheckFile(folder / file.path, file, file.footer_xxh64, FooterXxh64, "footer's XXH64");
}

arrow::Result<std::shared_ptr<HashedFile>> HashedFile::Create(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return arrow::Status::IOError("cannot create ", path.string(), ": ", std::strerror(errno));
  return std::make_shared<HashedFileImpl>(fd, path.string());
}

}  // namespace uzushio
