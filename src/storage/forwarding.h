// File systems and files that hand all on to another one, for those that do some things differently.
#pragma once

#include <arrow/buffer.h>
#include <arrow/filesystem/filesystem.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/status.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace uzushio {

class ForwardingFile : public arrow::io::RandomAccessFile {
 public:
  explicit ForwardingFile(std::shared_ptr<arrow::io::RandomAccessFile> file) : file_(std::move(file)) {}

  const arrow::io::IOContext& io_context() const override { return file_->io_context(); }
  using RandomAccessFile::ReadAt;
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t count, void* out) override {
    return file_->ReadAt(position, count, out);
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t count) override {
    return file_->ReadAt(position, count);
  }
  arrow::Result<int64_t> Read(int64_t count, void* out) override { return file_->Read(count, out); }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t count) override { return file_->Read(count); }
  arrow::Result<std::shared_ptr<const arrow::KeyValueMetadata>> ReadMetadata() override {
    return file_->ReadMetadata();
  }
  arrow::Result<int64_t> GetSize() override { return file_->GetSize(); }
  arrow::Result<int64_t> Tell() const override { return file_->Tell(); }
  arrow::Status Seek(int64_t position) override { return file_->Seek(position); }
  arrow::Status Close() override { return file_->Close(); }
  bool closed() const override { return file_->closed(); }

 protected:
  const std::shared_ptr<arrow::io::RandomAccessFile>& file() const { return file_; }

 private:
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
};

// Streams to read are such files, as those of stores are anyway.
class ForwardingFileSystem : public arrow::fs::FileSystem {
 public:
  using Metadata = std::shared_ptr<const arrow::KeyValueMetadata>;
  explicit ForwardingFileSystem(std::shared_ptr<FileSystem> base) : base_(std::move(base)) {}

  std::string type_name() const override { return base_->type_name(); }
  bool Equals(const FileSystem& other) const override {
    const auto* same = dynamic_cast<const ForwardingFileSystem*>(&other);
    return same != nullptr && base_->Equals(*same->base_);
  }
  arrow::Result<std::string> NormalizePath(std::string path) override { return base_->NormalizePath(std::move(path)); }
  arrow::Result<std::string> PathFromUri(const std::string& uri) const override { return base_->PathFromUri(uri); }
  arrow::Result<std::string> MakeUri(std::string path) const override { return base_->MakeUri(std::move(path)); }

  using FileSystem::GetFileInfo;
  arrow::Result<arrow::fs::FileInfo> GetFileInfo(const std::string& path) override { return base_->GetFileInfo(path); }
  arrow::Result<std::vector<arrow::fs::FileInfo>> GetFileInfo(const arrow::fs::FileSelector& selector) override {
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
    return OpenInputFile(path);
  }
  arrow::Result<std::shared_ptr<arrow::io::InputStream>> OpenInputStream(const arrow::fs::FileInfo& info) override {
    return OpenInputFile(info);
  }
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInputFile(const std::string& path) override {
    return base_->OpenInputFile(path);
  }
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInputFile(const arrow::fs::FileInfo& info) override {
    return base_->OpenInputFile(info);
  }
  using FileSystem::OpenOutputStream;
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenOutputStream(const std::string& path,
                                                                           const Metadata& metadata) override {
    return base_->OpenOutputStream(path, metadata);
  }
  using FileSystem::OpenAppendStream;
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenAppendStream(const std::string& path,
                                                                           const Metadata& metadata) override {
    return base_->OpenAppendStream(path, metadata);
  }

 protected:
  const std::shared_ptr<FileSystem>& base() const { return base_; }

 private:
  std::shared_ptr<FileSystem> base_;
};

}  // namespace uzushio
