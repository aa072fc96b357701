#include "io/hashed_file.h"

#include <fcntl.h>
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

  std::string xxh64() const override {
    std::array<char, 17> hex{};
    std::snprintf(hex.data(), hex.size(), "%016" PRIx64, static_cast<uint64_t>(XXH64_digest(hash_)));
    return hex.data();
  }

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

arrow::Result<std::shared_ptr<HashedFile>> HashedFile::Create(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return arrow::Status::IOError("cannot create ", path.string(), ": ", std::strerror(errno));
  return std::make_shared<HashedFileImpl>(fd, path.string());
}

}  // namespace uzushio
