#include "storage/azure_errors.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include <chrono>
#include <exception>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/stop.h"
#include "storage/azure_store.h"

namespace uzushio {
namespace {

using BlobMetadata = std::shared_ptr<const arrow::KeyValueMetadata>;

arrow::Status OfOneLine(const arrow::Status& status) {
  if (status.ok()) return status;
  std::string line;
  for (const char c : status.message()) {
    const bool is_space = c == '\n' || c == '\r' || c == ' ';
    if (!is_space || !line.ends_with(' ')) line += is_space ? ' ' : c;
  }
  return status.WithMessage(WithoutSignature(line));
}

template <typename T>
arrow::Result<T> OfOneLine(arrow::Result<T> result) {
  if (result.ok()) return result;
  return OfOneLine(result.status());
}

template <typename Call>
auto AsStatus(const Call& call) -> decltype(call()) {
  try {
    return OfOneLine(call());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return OfOneLine(arrow::Status::IOError(error.what()));
  }
}

// What Azure's library says of an answer that ended early or that it could not read. It repeats requests that were not
// answered, and downloads.
bool IsCutOff(const arrow::Status& status) {
  const std::string& message = status.message();
  return message.find("Connection closed before getting full response") != std::string::npos ||
         message.find("Failed to parse xml") != std::string::npos;
}

const arrow::Status& StatusOf(const arrow::Status& status) { return status; }
template <typename T>
const arrow::Status& StatusOf(const arrow::Result<T>& result) {
  return result.status();
}

// Of what may be done twice.
template <typename Call>
auto AsRepeated(const Call& call) -> decltype(call()) {
  constexpr int kRepeats = 5;
  constexpr std::chrono::milliseconds kFirstPause{25};
  for (int repeat = 0;; ++repeat) {
    auto result = AsStatus(call);
    if (result.ok() || !IsCutOff(StatusOf(result)) || repeat == kRepeats) return result;
    ARROW_RETURN_NOT_OK(CheckStop());
    std::this_thread::sleep_for(kFirstPause * (1 << repeat));
  }
}

class StatusFile final : public arrow::io::RandomAccessFile {
 public:
  explicit StatusFile(std::shared_ptr<arrow::io::RandomAccessFile> file) : file_(std::move(file)) {}

  const arrow::io::IOContext& io_context() const override { return file_->io_context(); }
  using RandomAccessFile::ReadAt;
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t count, void* out) override {
    return AsStatus([&] { return file_->ReadAt(position, count, out); });
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t count) override {
    return AsStatus([&] { return file_->ReadAt(position, count); });
  }
  arrow::Result<int64_t> Read(int64_t count, void* out) override {
    return AsStatus([&] { return file_->Read(count, out); });
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t count) override {
    return AsStatus([&] { return file_->Read(count); });
  }
  arrow::Result<BlobMetadata> ReadMetadata() override { return file_->ReadMetadata(); }
  arrow::Result<int64_t> GetSize() override { return file_->GetSize(); }
  arrow::Result<int64_t> Tell() const override { return file_->Tell(); }
  arrow::Status Seek(int64_t position) override { return file_->Seek(position); }
  arrow::Status Close() override { return file_->Close(); }
  bool closed() const override { return file_->closed(); }

 private:
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
};

class StatusStream final : public arrow::io::OutputStream {
 public:
  explicit StatusStream(std::shared_ptr<OutputStream> stream) : stream_(std::move(stream)) {}

  using OutputStream::Write;
  arrow::Status Write(const void* data, int64_t bytes) override {
    return AsStatus([&] { return stream_->Write(data, bytes); });
  }
  arrow::Status Flush() override {
    return AsStatus([&] { return stream_->Flush(); });
  }
  arrow::Status Close() override {
    return AsStatus([&] { return stream_->Close(); });
  }
  arrow::Status Abort() override {
    return AsStatus([&] { return stream_->Abort(); });
  }
  arrow::Result<int64_t> Tell() const override { return stream_->Tell(); }
  bool closed() const override { return stream_->closed(); }

 private:
  std::shared_ptr<OutputStream> stream_;
};

class StatusFileSystem final : public arrow::fs::FileSystem {
 public:
  explicit StatusFileSystem(std::shared_ptr<FileSystem> base) : base_(std::move(base)) {}

  std::string type_name() const override { return base_->type_name(); }
  bool Equals(const FileSystem& other) const override {
    const auto* same = dynamic_cast<const StatusFileSystem*>(&other);
    return same != nullptr && base_->Equals(*same->base_);
  }
  arrow::Result<std::string> NormalizePath(std::string path) override { return base_->NormalizePath(std::move(path)); }
  arrow::Result<std::string> PathFromUri(const std::string& uri) const override { return base_->PathFromUri(uri); }
  arrow::Result<std::string> MakeUri(std::string path) const override { return base_->MakeUri(std::move(path)); }

  using FileSystem::GetFileInfo;
  // Arrow takes the first name that begins with the path. Beside a folder `a-b`, which comes before `a/`, it does not
  // see the folder `a`, whose listing is right.
  arrow::Result<arrow::fs::FileInfo> GetFileInfo(const std::string& path) override {
    ARROW_ASSIGN_OR_RAISE(auto info, AsRepeated([&] { return base_->GetFileInfo(path); }));
    if (info.type() != arrow::fs::FileType::NotFound || path.find('/') == std::string::npos) return info;
    arrow::fs::FileSelector selector;
    selector.base_dir = path;
    selector.allow_not_found = true;
    ARROW_ASSIGN_OR_RAISE(const auto below, GetFileInfo(selector));
    if (!below.empty()) info.set_type(arrow::fs::FileType::Directory);
    return info;
  }
  arrow::Result<std::vector<arrow::fs::FileInfo>> GetFileInfo(const arrow::fs::FileSelector& selector) override {
    return AsRepeated([&] { return base_->GetFileInfo(selector); });
  }
  using FileSystem::CreateDir;
  arrow::Status CreateDir(const std::string& path, bool recursive) override {
    return AsStatus([&] { return base_->CreateDir(path, recursive); });
  }
  arrow::Status DeleteDir(const std::string& path) override {
    return AsRepeated([&] { return base_->DeleteDir(path); });
  }
  using FileSystem::DeleteDirContents;
  arrow::Status DeleteDirContents(const std::string& path, bool missing_dir_ok) override {
    return AsStatus([&] { return base_->DeleteDirContents(path, missing_dir_ok); });
  }
  arrow::Status DeleteRootDirContents() override { return base_->DeleteRootDirContents(); }
  arrow::Status DeleteFile(const std::string& path) override {
    return AsRepeated([&] { return base_->DeleteFile(path); });
  }
  arrow::Status Move(const std::string& from, const std::string& to) override {
    return AsStatus([&] { return base_->Move(from, to); });
  }
  arrow::Status CopyFile(const std::string& from, const std::string& to) override {
    return AsRepeated([&] { return base_->CopyFile(from, to); });
  }

  arrow::Result<std::shared_ptr<arrow::io::InputStream>> OpenInputStream(const std::string& path) override {
    return OpenInputFile(path);  // a stream of Azure is such a file, too
  }
  arrow::Result<std::shared_ptr<arrow::io::InputStream>> OpenInputStream(const arrow::fs::FileInfo& info) override {
    return OpenInputFile(info);
  }
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInputFile(const std::string& path) override {
    ARROW_ASSIGN_OR_RAISE(auto file, AsRepeated([&] { return base_->OpenInputFile(path); }));
    return std::make_shared<StatusFile>(std::move(file));
  }
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInputFile(const arrow::fs::FileInfo& info) override {
    ARROW_ASSIGN_OR_RAISE(auto file, AsRepeated([&] { return base_->OpenInputFile(info); }));
    return std::make_shared<StatusFile>(std::move(file));
  }
  using FileSystem::OpenOutputStream;
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenOutputStream(const std::string& path,
                                                                           const BlobMetadata& metadata) override {
    ARROW_ASSIGN_OR_RAISE(auto stream, AsStatus([&] { return base_->OpenOutputStream(path, metadata); }));
    return std::make_shared<StatusStream>(std::move(stream));
  }
  using FileSystem::OpenAppendStream;
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenAppendStream(const std::string& path,
                                                                           const BlobMetadata& metadata) override {
    ARROW_ASSIGN_OR_RAISE(auto stream, AsStatus([&] { return base_->OpenAppendStream(path, metadata); }));
    return std::make_shared<StatusStream>(std::move(stream));
  }

 private:
  std::shared_ptr<FileSystem> base_;
};

}  // namespace

std::shared_ptr<arrow::fs::FileSystem> WithStatuses(std::shared_ptr<arrow::fs::FileSystem> filesystem) {
  return std::make_shared<StatusFileSystem>(std::move(filesystem));
}

}  // namespace uzushio
