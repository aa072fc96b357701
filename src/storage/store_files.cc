#include "storage/store_files.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/stop.h"

namespace uzushio {
namespace {

using arrow::fs::FileInfo;

// Whether files lie in folders, which have to be made. On stores there are none, and what is made for them is an
// object.
bool HasFolders(const arrow::fs::FileSystem& filesystem) {
  constexpr std::array<std::string_view, 3> kStores = {"s3", "gcs", "abfs"};
  return std::ranges::find(kStores, filesystem.type_name()) == kStores.end();
}

// How often and how long it is waited for an object that Arrow has leased for 15 s, to delete it, and left.
constexpr int kLeaseLooks = 40;
constexpr std::chrono::milliseconds kLeasePause{500};

// What Azure says of an object that another process has begun to delete.
bool IsLeased(const arrow::Status& status) {
  return status.message().find("[LeaseAlreadyPresent]") != std::string::npos;
}

std::string FolderOfObject(const std::string& path) { return path.substr(0, path.rfind('/')); }

// A stream to an object. Where it is left before it is done, by an error or an exception, nothing of it gets there. The
// stream's destructor would complete what was begun; those of Google do so by Abort, too, so that they are kept: each
// has a part of a file.
class UploadStream {
 public:
  explicit UploadStream(const arrow::fs::FileSystem& filesystem) : is_kept_(filesystem.type_name() == "gcs") {
    if (!is_kept_) return;
    const std::lock_guard lock(mutex_);
    kept().reserve(kept().size() + kMostAtOnce);  // no memory is wanted when it is given up
  }
  ~UploadStream() {
    if (stream_ == nullptr) return;
    if (!is_kept_) {
      (void)stream_->Abort();
      return;
    }
    const std::lock_guard lock(mutex_);
    kept().push_back(std::move(stream_));
  }
  UploadStream(const UploadStream&) = delete;
  UploadStream& operator=(const UploadStream&) = delete;

  void Take(std::shared_ptr<arrow::io::OutputStream> stream) { stream_ = std::move(stream); }
  arrow::io::OutputStream* get() const { return stream_.get(); }
  arrow::Status Close() {
    ARROW_RETURN_NOT_OK(stream_->Close());
    stream_ = nullptr;
    return arrow::Status::OK();
  }

 private:
  static constexpr size_t kMostAtOnce = 64;
  static std::vector<std::shared_ptr<arrow::io::OutputStream>>& kept() {
    static auto& streams = *new std::vector<std::shared_ptr<arrow::io::OutputStream>>;  // is not destroyed at the end
    return streams;
  }
  static inline std::mutex mutex_;

  bool is_kept_;
  std::shared_ptr<arrow::io::OutputStream> stream_;
};

class ArrowFiles final : public StoreFiles {
 public:
  explicit ArrowFiles(std::shared_ptr<arrow::fs::FileSystem> filesystem) : filesystem_(std::move(filesystem)) {}

  arrow::Result<std::map<std::string, int64_t>> List(const std::string& folder) override {
    arrow::fs::FileSelector selector;
    selector.base_dir = folder;
    selector.allow_not_found = true;
    selector.recursive = true;
    ARROW_ASSIGN_OR_RAISE(const auto infos, filesystem_->GetFileInfo(selector));
    std::map<std::string, int64_t> objects;
    for (const FileInfo& info : infos) {
      if (info.IsFile()) objects[info.path()] = info.size();
    }
    return objects;
  }

  arrow::Result<bool> Has(const std::string& path) override {
    ARROW_ASSIGN_OR_RAISE(const FileInfo info, filesystem_->GetFileInfo(path));
    return info.IsFile();
  }

  arrow::Result<std::optional<std::string>> Read(const std::string& path) override {
    ARROW_ASSIGN_OR_RAISE(const FileInfo info, filesystem_->GetFileInfo(path));
    if (!info.IsFile()) return std::nullopt;
    ARROW_ASSIGN_OR_RAISE(const auto file, filesystem_->OpenInputFile(info));
    ARROW_ASSIGN_OR_RAISE(const auto text, file->ReadAt(0, info.size()));
    return text->ToString();
  }

  arrow::Status Write(const std::string& path,
                      const std::function<arrow::Status(arrow::io::OutputStream*)>& write) override {
    if (HasFolders(*filesystem_)) ARROW_RETURN_NOT_OK(filesystem_->CreateDir(FolderOfObject(path), true));
    UploadStream upload(*filesystem_);
    ARROW_ASSIGN_OR_RAISE(auto stream, filesystem_->OpenOutputStream(path));
    upload.Take(std::move(stream));
    ARROW_RETURN_NOT_OK(write(upload.get()));
    return upload.Close();
  }

  bool puts_empty_first() const override { return filesystem_->type_name() == "abfs"; }
  arrow::Status Copy(const std::string& from, const std::string& to) override {
    return filesystem_->CopyFile(from, to);
  }

  arrow::Status Delete(const std::string& path) override {
    arrow::Status deleted = filesystem_->DeleteFile(path);
    for (int look = 0; look < kLeaseLooks && IsLeased(deleted); ++look) {
      ARROW_RETURN_NOT_OK(CheckStop());
      std::this_thread::sleep_for(kLeasePause);
      deleted = filesystem_->DeleteFile(path);
    }
    if (deleted.ok()) return deleted;
    const auto info = filesystem_->GetFileInfo(path);
    return info.ok() && !info->IsFile() ? arrow::Status::OK() : deleted;
  }

  arrow::Status Move(const std::string& from, const std::string& to) override { return filesystem_->Move(from, to); }

  void DropIfEmpty(const std::string& folder) override {
    const auto objects = List(folder);
    if (objects.ok() && objects->empty()) (void)filesystem_->DeleteDir(folder);
  }

  arrow::Status DropTree(const std::string& folder) override {
    arrow::Status deleted = filesystem_->DeleteDir(folder);
    if (deleted.ok()) return deleted;
    const auto info = filesystem_->GetFileInfo(folder);
    return info.ok() && info->type() == arrow::fs::FileType::NotFound ? arrow::Status::OK() : deleted;
  }

  bool keeps_folders() const override { return HasFolders(*filesystem_); }

 private:
  std::shared_ptr<arrow::fs::FileSystem> filesystem_;
};

}  // namespace

std::shared_ptr<StoreFiles> FilesOfArrow(std::shared_ptr<arrow::fs::FileSystem> filesystem) {
  return std::make_shared<ArrowFiles>(std::move(filesystem));
}

}  // namespace uzushio
