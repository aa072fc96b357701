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

namespace uzushio {
namespace {

std::string Hex(uint64_t value) {
  std::array<char, 17> hex{};
  std::snprintf(hex.data(), hex.size(), "%016" PRIx64, value);
  return hex.data();
}

arrow::Result<std::string> ReadXxh64(int fd, const std::filesystem::path& path) {
  constexpr size_t kBlockBytes = size_t{1} << 20;
  const std::unique_ptr<XXH64_state_t, decltype(&XXH64_freeState)> state(XXH64_createState(), &XXH64_freeState);
  XXH64_reset(state.get(), 0);
  std::vector<char> block(kBlockBytes);
  while (true) {
    const ssize_t count = ::read(fd, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return arrow::Status::IOError("cannot read ", path.string(), ": ", std::strerror(errno));
    if (count == 0) return Hex(XXH64_digest(state.get()));
    XXH64_update(state.get(), block.data(), static_cast<size_t>(count));
  }
}

class HashedFileImpl final : public HashedFile {
 public:
  HashedFileImpl(int fd, std::string path) : fd_(fd), path_(std::move(path)), hash_(XXH64_createState()) {
    XXH64_reset(hash_, 0);
  }
  ~HashedFileImpl() override {
    if (fd_ >= 0) ::close(fd_);
    XXH64_freeState(hash_);
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
    XXH64_update(hash_, data, static_cast<size_t>(length));
    bytes_ += length;
    return arrow::Status::OK();
  }

  arrow::Status Close() override {
    if (fd_ < 0) return arrow::Status::OK();
    const bool synced = ::fsync(fd_) == 0;
    const arrow::Status status = synced ? arrow::Status::OK() : Error("cannot sync");
    ::close(fd_);
    fd_ = -1;
    return status;
  }
  bool closed() const override { return fd_ < 0; }
  arrow::Result<int64_t> Tell() const override { return bytes_; }
  int64_t bytes() const override { return bytes_; }

  std::string xxh64() const override { return Hex(XXH64_digest(hash_)); }

 private:
  arrow::Status Error(const char* what) const {
    return arrow::Status::IOError(what, " ", path_, ": ", std::strerror(errno));
  }

  int fd_;
  std::string path_;
  XXH64_state_t* hash_;
  int64_t bytes_ = 0;
};

}  // namespace

void to_json(nlohmann::json& json, const WrittenFile& file) {
  json = {{"path", file.path}, {"rows", file.rows}, {"bytes", file.bytes}, {"xxh64", file.xxh64}};
}

arrow::Result<std::vector<WrittenFile>> ReadWrittenFiles(const nlohmann::json& json) {
  std::vector<WrittenFile> files;
  const auto damaged = [] { return arrow::Status::Invalid("`files` is no list of files with path and bytes"); };
  const auto list = json.is_object() ? json.find("files") : json.end();
  if (list == json.end()) return files;
  if (!list->is_array()) return damaged();
  try {
    for (const nlohmann::json& file : *list) {
      files.push_back({file.at("path").get<std::string>(), file.value("rows", int64_t{0}),
                       file.at("bytes").get<int64_t>(), file.value("xxh64", std::string())});
    }
  } catch (const nlohmann::json::exception&) {
    return damaged();
  }
  return files;
}

arrow::Status CheckWrittenFile(const std::filesystem::path& folder, const WrittenFile& file) {
  const std::filesystem::path path = folder / file.path;
  const auto differs = [&path](const char* what) {
    return arrow::Status::IOError(path.string(), ": its ", what, " is not what was written; the file is damaged");
  };
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return arrow::Status::IOError("cannot open ", path.string(), ": ", std::strerror(errno));
  struct stat found{};
  const bool known = ::fstat(fd, &found) == 0;
  arrow::Result<std::string> xxh64 = std::string();
  const bool same_size = known && S_ISREG(found.st_mode) && found.st_size == file.bytes;
  if (same_size && !file.xxh64.empty()) xxh64 = ReadXxh64(fd, path);
  ::close(fd);
  if (!same_size) return differs("size");
  ARROW_RETURN_NOT_OK(xxh64.status());
  return *xxh64 == file.xxh64 ? arrow::Status::OK() : differs("XXH64");
}

arrow::Result<std::shared_ptr<HashedFile>> HashedFile::Create(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return arrow::Status::IOError("cannot create ", path.string(), ": ", std::strerror(errno));
  return std::make_shared<HashedFileImpl>(fd, path.string());
}

}  // namespace uzushio
