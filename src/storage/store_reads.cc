#include "storage/store_reads.h"

#include <arrow/result.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/stop.h"
#include "storage/forwarding.h"

namespace uzushio {
namespace {

using arrow::fs::FileInfo;

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

class ReadingFile final : public ForwardingFile {
 public:
  using ForwardingFile::ForwardingFile;
  using ForwardingFile::ReadAt;
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t count, void* out) override {
    return Repeated([&] { return file()->ReadAt(position, count, out); });
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t count) override {
    return Repeated([&] { return file()->ReadAt(position, count); });
  }
  arrow::Result<int64_t> Read(int64_t count, void* out) override {
    return Repeated([&] { return file()->Read(count, out); });
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t count) override {
    return Repeated([&] { return file()->Read(count); });
  }
};

class ReadingFileSystem final : public ForwardingFileSystem {
 public:
  ReadingFileSystem(std::shared_ptr<FileSystem> base, std::string credentials)
      : ForwardingFileSystem(std::move(base)), credentials_(std::move(credentials)) {}
  const std::string& credentials() const { return credentials_; }

  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInputFile(const std::string& path) override {
    ARROW_ASSIGN_OR_RAISE(auto file, base()->OpenInputFile(path));
    return std::make_shared<ReadingFile>(std::move(file));
  }
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInputFile(const FileInfo& info) override {
    ARROW_ASSIGN_OR_RAISE(auto file, base()->OpenInputFile(info));
    return std::make_shared<ReadingFile>(std::move(file));
  }

 private:
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
