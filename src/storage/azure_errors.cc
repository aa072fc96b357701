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
#include "storage/forwarding.h"

namespace uzushio {
namespace {

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

arrow::Status StatusOf(const arrow::Status& status) { return status; }
template <typename T>
arrow::Status StatusOf(const arrow::Result<T>& result) {
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

class StatusFile final : public ForwardingFile {
 public:
  using ForwardingFile::ForwardingFile;
  using ForwardingFile::ReadAt;
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t count, void* out) override {
    return AsStatus([&] { return file()->ReadAt(position, count, out); });
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t count) override {
    return AsStatus([&] { return file()->ReadAt(position, count); });
  }
  arrow::Result<int64_t> Read(int64_t count, void* out) override {
    return AsStatus([&] { return file()->Read(count, out); });
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t count) override {
    return AsStatus([&] { return file()->Read(count); });
  }
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

class StatusFileSystem final : public ForwardingFileSystem {
 public:
  using ForwardingFileSystem::ForwardingFileSystem;

  using ForwardingFileSystem::GetFileInfo;
  // Arrow takes the first name that begins with the path. Beside a folder `a-b`, which comes before `a/`, it does not
  // see the folder `a`, whose listing is right.
  arrow::Result<arrow::fs::FileInfo> GetFileInfo(const std::string& path) override {
    ARROW_ASSIGN_OR_RAISE(auto info, AsRepeated([&] { return base()->GetFileInfo(path); }));
    if (info.type() != arrow::fs::FileType::NotFound || path.find('/') == std::string::npos) return info;
    arrow::fs::FileSelector selector;
    selector.base_dir = path;
    selector.allow_not_found = true;
    ARROW_ASSIGN_OR_RAISE(const auto below, GetFileInfo(selector));
    if (!below.empty()) info.set_type(arrow::fs::FileType::Directory);
    return info;
  }
  arrow::Result<std::vector<arrow::fs::FileInfo>> GetFileInfo(const arrow::fs::FileSelector& selector) override {
    return AsRepeated([&] { return base()->GetFileInfo(selector); });
  }
  using ForwardingFileSystem::CreateDir;
  arrow::Status CreateDir(const std::string& path, bool recursive) override {
    return AsStatus([&] { return base()->CreateDir(path, recursive); });
  }
  arrow::Status DeleteDir(const std::string& path) override {
    return AsRepeated([&] { return base()->DeleteDir(path); });
  }
  using ForwardingFileSystem::DeleteDirContents;
  arrow::Status DeleteDirContents(const std::string& path, bool missing_dir_ok) override {
    return AsStatus([&] { return base()->DeleteDirContents(path, missing_dir_ok); });
  }
  arrow::Status DeleteFile(const std::string& path) override {
    return AsRepeated([&] { return base()->DeleteFile(path); });
  }
  arrow::Status Move(const std::string& from, const std::string& to) override {
    return AsStatus([&] { return base()->Move(from, to); });
  }
  arrow::Status CopyFile(const std::string& from, const std::string& to) override {
    return AsRepeated([&] { return base()->CopyFile(from, to); });
  }

  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInputFile(const std::string& path) override {
    ARROW_ASSIGN_OR_RAISE(auto file, AsRepeated([&] { return base()->OpenInputFile(path); }));
    return std::make_shared<StatusFile>(std::move(file));
  }
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInputFile(const arrow::fs::FileInfo& info) override {
    ARROW_ASSIGN_OR_RAISE(auto file, AsRepeated([&] { return base()->OpenInputFile(info); }));
    return std::make_shared<StatusFile>(std::move(file));
  }
  using ForwardingFileSystem::OpenOutputStream;
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenOutputStream(const std::string& path,
                                                                           const Metadata& metadata) override {
    ARROW_ASSIGN_OR_RAISE(auto stream, AsStatus([&] { return base()->OpenOutputStream(path, metadata); }));
    return std::make_shared<StatusStream>(std::move(stream));
  }
  using ForwardingFileSystem::OpenAppendStream;
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenAppendStream(const std::string& path,
                                                                           const Metadata& metadata) override {
    ARROW_ASSIGN_OR_RAISE(auto stream, AsStatus([&] { return base()->OpenAppendStream(path, metadata); }));
    return std::make_shared<StatusStream>(std::move(stream));
  }
};

}  // namespace

std::shared_ptr<arrow::fs::FileSystem> WithStatuses(std::shared_ptr<arrow::fs::FileSystem> filesystem) {
  return std::make_shared<StatusFileSystem>(std::move(filesystem));
}

}  // namespace uzushio
