#include "storage/store_reads.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/stop.h"

namespace uzushio {
namespace {

using arrow::fs::FileInfo;
using ObjectMetadata = std::shared_ptr<const arrow::KeyValueMetadata>;

// For as long as Arrow has Amazon's library repeat requests: 6 s.
constexpr int kRepeats = 8;
constexpr std::chrono::milliseconds kFirstPause{25};

// What Amazon's library says of an answer for which there was no room.
bool IsHiddenAnswer(const arrow::Status& status) {
  return status.IsIOError() && status.message().find("Failed to flush response stream") != std::string::npos;
}

using Clock = std::chrono::steady_clock;

// The reads on their way.
class Meter {
 public:
  void Begin() {
    const std::lock_guard lock(mutex_);
    if (reads_++ == 0) since_ = Clock::now();
  }
  void End() {
    const std::lock_guard lock(mutex_);
    if (--reads_ == 0) before_ += Clock::now() - since_;
  }
  double Seconds() {
    const std::lock_guard lock(mutex_);
    return std::chrono::duration<double>(before_ + (reads_ > 0 ? Clock::now() - since_ : Clock::duration{})).count();
  }
  static Meter& Get() {
    static auto& meter = *new Meter;  // Arrow's threads may read when the process ends
    return meter;
  }

 private:
  std::mutex mutex_;  // for a moment around a read, which takes milliseconds
  int64_t reads_ = 0;
  Clock::time_point since_;  // the first of them
  Clock::duration before_{};
};

class CountedRead {
 public:
  CountedRead() { Meter::Get().Begin(); }
  ~CountedRead() { Meter::Get().End(); }
  CountedRead(const CountedRead&) = delete;
  CountedRead& operator=(const CountedRead&) = delete;
};

template <typename Read>
auto Repeated(const Read& read) -> decltype(read()) {
  const CountedRead counted;
  for (int repeat = 0;; ++repeat) {
    auto result = read();
    if (result.ok() || !IsHiddenAnswer(result.status())) return result;
    if (repeat == kRepeats) {
      return result.status().WithMessage(result.status().message(), "; the store has answered this request ",
                                         kRepeats + 1, " times with an error: it is busy, or gives no access");
    }
    ARROW_RETURN_NOT_OK(CheckStop());
    std::this_thread::sleep_for(kFirstPause * (1 << repeat));
  }
}

class ReadingFile final : public arrow::io::RandomAccessFile {
 public:
  explicit ReadingFile(std::shared_ptr<arrow::io::RandomAccessFile> file) : file_(std::move(file)) {}

  const arrow::io::IOContext& io_context() const override { return file_->io_context(); }
  using RandomAccessFile::ReadAt;
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t count, void* out) override {
    return Repeated([&] { return file_->ReadAt(position, count, out); });
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t count) override {
    return Repeated([&] { return file_->ReadAt(position, count); });
  }
  arrow::Result<int64_t> Read(int64_t count, void* out) override {
    return Repeated([&] { return file_->Read(count, out); });
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t count) override {
    return Repeated([&] { return file_->Read(count); });
  }
  arrow::Result<ObjectMetadata> ReadMetadata() override { return file_->ReadMetadata(); }
  arrow::Result<int64_t> GetSize() override { return file_->GetSize(); }
  arrow::Result<int64_t> Tell() const override { return file_->Tell(); }
  arrow::Status Seek(int64_t position) override { return file_->Seek(position); }
  arrow::Status Close() override { return file_->Close(); }
  bool closed() const override { return file_->closed(); }

 private:
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
};

class ReadingFileSystem final : public arrow::fs::FileSystem {
 public:
  ReadingFileSystem(std::shared_ptr<FileSystem> base, std::string credentials)
      : base_(std::move(base)), credentials_(std::move(credentials)) {}
  const std::string& credentials() const { return credentials_; }

  std::string type_name() const override { return base_->type_name(); }
  bool Equals(const FileSystem& other) const override {
    const auto* repeating = dynamic_cast<const ReadingFileSystem*>(&other);
    return repeating != nullptr && base_->Equals(*repeating->base_);
  }
  arrow::Result<std::string> NormalizePath(std::string path) override { return base_->NormalizePath(std::move(path)); }
  arrow::Result<std::string> PathFromUri(const std::string& uri) const override { return base_->PathFromUri(uri); }
  arrow::Result<std::string> MakeUri(std::string path) const override { return base_->MakeUri(std::move(path)); }

  using FileSystem::GetFileInfo;
  arrow::Result<FileInfo> GetFileInfo(const std::string& path) override { return base_->GetFileInfo(path); }
  arrow::Result<std::vector<FileInfo>> GetFileInfo(const arrow::fs::FileSelector& selector) override {
    return base_->GetFileInfo(selector);
  }
  using FileSystem::CreateDir;
  arrow::Status CreateDir(const std::string& path, bool recursive) override {
    return base_->CreateDir(path, recursive);
  }
  arrow::Status DeleteDir(const std::string& path) override { return base_->DeleteDir(path); }
  using FileSystem::DeleteDirContents;
  arrow::Status DeleteDirContents(const std::string& path, bool missing_dir_ok) override {
    return base_->DeleteDirContents(path, missing_dir_ok);
  }
  arrow::Status DeleteRootDirContents() override { return base_->DeleteRootDirContents(); }
  arrow::Status DeleteFile(const std::string& path) override { return base_->DeleteFile(path); }
  arrow::Status Move(const std::string& from, const std::string& to) override { return base_->Move(from, to); }
  arrow::Status CopyFile(const std::string& from, const std::string& to) override { return base_->CopyFile(from, to); }

  arrow::Result<std::shared_ptr<arrow::io::InputStream>> OpenInputStream(const std::string& path) override {
    return OpenInputFile(path);  // a stream of S3 is such a file, too
  }
  arrow::Result<std::shared_ptr<arrow::io::InputStream>> OpenInputStream(const FileInfo& info) override {
    return OpenInputFile(info);
  }
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInputFile(const std::string& path) override {
    ARROW_ASSIGN_OR_RAISE(auto file, base_->OpenInputFile(path));
    return std::make_shared<ReadingFile>(std::move(file));
  }
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInputFile(const FileInfo& info) override {
    ARROW_ASSIGN_OR_RAISE(auto file, base_->OpenInputFile(info));
    return std::make_shared<ReadingFile>(std::move(file));
  }
  using FileSystem::OpenOutputStream;
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenOutputStream(const std::string& path,
                                                                           const ObjectMetadata& metadata) override {
    return base_->OpenOutputStream(path, metadata);
  }
  using FileSystem::OpenAppendStream;
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenAppendStream(const std::string& path,
                                                                           const ObjectMetadata& metadata) override {
    return base_->OpenAppendStream(path, metadata);
  }

 private:
  std::shared_ptr<FileSystem> base_;
  std::string credentials_;
};

}  // namespace

double StoreReadSeconds() { return Meter::Get().Seconds(); }

std::shared_ptr<arrow::fs::FileSystem> WithStoreReads(std::shared_ptr<arrow::fs::FileSystem> filesystem,
                                                      std::string credentials) {
  return std::make_shared<ReadingFileSystem>(std::move(filesystem), std::move(credentials));
}

std::string CredentialsOf(const arrow::fs::FileSystem& filesystem) {
  const auto* repeating = dynamic_cast<const ReadingFileSystem*>(&filesystem);
  return repeating == nullptr ? "" : repeating->credentials();
}

}  // namespace uzushio
