#include "stages/filter/host_totals.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <queue>

#include "base/stop.h"

namespace uzushio {
namespace {

constexpr double kUnit = 0x1p32;
constexpr double kMost = 0x1p62;
// What a map takes for a host besides its name and sums.
constexpr int64_t kHostBytes = 96;

}  // namespace

HostSum ExactOf(double value) { return static_cast<HostSum>(std::nearbyint(std::clamp(value, -kMost, kMost) * kUnit)); }

double MeanOf(HostSum sum, HostSum count) {
  return count == 0 ? 0 : static_cast<double>(sum) / kUnit / static_cast<double>(count);
}

// Writes a run at the end of the file: of each host the length of its name as uint32, the name, and the sums.
class HostRuns::Writer {
 public:
  Writer(SpillFile* file, size_t block) : file_(*file), block_(block) {}

  arrow::Status Append(std::string_view host, std::span<const HostSum> sums) {
    const auto length = static_cast<uint32_t>(host.size());
    Put(&length, sizeof length);
    Put(host.data(), host.size());
    Put(sums.data(), sums.size_bytes());
    return buffer_.size() < block_ ? arrow::Status::OK() : Flush();
  }
  arrow::Status Flush() {
    ARROW_RETURN_NOT_OK(CheckStop());
    const arrow::Status status = file_.Write(file_.Extend(buffer_.size()), buffer_);
    buffer_.clear();
    return status;
  }

 private:
  void Put(const void* data, size_t size) {
    const auto* bytes = static_cast<const char*>(data);
    buffer_.insert(buffer_.end(), bytes, bytes + size);
  }
  SpillFile& file_;
  size_t block_;
  std::vector<char> buffer_;
};

// Reads a run host by host.
class HostRuns::Reader {
 public:
  Reader(const SpillFile& file, Run run, size_t width, size_t block)
      : file_(file), run_(run), block_(block), sums_(width) {}

  // Goes to the next host; false after the last.
  arrow::Result<bool> Next() {
    uint32_t length = 0;
    if (at_ == buffer_.size() && run_.begin == run_.end) return false;
    ARROW_RETURN_NOT_OK(Take(&length, sizeof length));
    host_.resize(length);
    ARROW_RETURN_NOT_OK(Take(host_.data(), length));
    ARROW_RETURN_NOT_OK(Take(sums_.data(), sums_.size() * sizeof(HostSum)));
    return true;
  }
  const std::string& host() const { return host_; }
  std::span<const HostSum> sums() const { return sums_; }

 private:
  arrow::Status Take(void* to, size_t size) {
    auto* bytes = static_cast<char*>(to);
    while (size > 0) {
      if (at_ == buffer_.size()) ARROW_RETURN_NOT_OK(Load());
      const size_t some = std::min(size, buffer_.size() - at_);
      std::memcpy(bytes, buffer_.data() + at_, some);
      at_ += some;
      bytes += some;
      size -= some;
    }
    return arrow::Status::OK();
  }
  arrow::Status Load() {
    ARROW_RETURN_NOT_OK(CheckStop());
    const auto size = std::min(static_cast<int64_t>(block_), run_.end - run_.begin);
    if (size == 0) return arrow::Status::UnknownError("a run of hosts is cut off");
    buffer_.resize(static_cast<size_t>(size));
    at_ = 0;
    const int64_t from = run_.begin;
    run_.begin += size;
    return file_.Read(from, buffer_);
  }

  const SpillFile& file_;
  Run run_;  // what is not read yet
  size_t block_;
  std::vector<char> buffer_;
  size_t at_ = 0;
  std::string host_;
  std::vector<HostSum> sums_;
};

arrow::Status HostRuns::Add(const std::function<arrow::Status(const UseHost&)>& each) {
  const std::lock_guard lock(mutex_);
  if (file_ == nullptr) {
    ARROW_ASSIGN_OR_RAISE(file_, space_.NewFile());
  }
  const int64_t begin = file_->bytes();
  Writer writer(file_.get(), block_);
  ARROW_RETURN_NOT_OK(
      each([&writer](std::string_view host, std::span<const HostSum> sums) { return writer.Append(host, sums); }));
  ARROW_RETURN_NOT_OK(writer.Flush());
  runs_.push_back({begin, file_->bytes()});
  space_.Count(file_->bytes() - begin);
  return arrow::Status::OK();
}

arrow::Status HostRuns::MergeSome(std::span<const Run> runs, const UseHost& use) {
  std::vector<std::unique_ptr<Reader>> readers;
  const auto is_later = [](const Reader* a, const Reader* b) { return a->host() > b->host(); };
  std::priority_queue<Reader*, std::vector<Reader*>, decltype(is_later)> ahead(is_later);
  const auto advance = [&ahead](Reader* reader) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const bool more, reader->Next());
    if (more) ahead.push(reader);
    return arrow::Status::OK();
  };
  for (const Run& run : runs) {
    readers.push_back(std::make_unique<Reader>(*file_, run, width_, block_));
    ARROW_RETURN_NOT_OK(advance(readers.back().get()));
  }
  std::vector<HostSum> sums(width_);
  while (!ahead.empty()) {
    const std::string host = ahead.top()->host();
    std::ranges::fill(sums, 0);
    while (!ahead.empty() && ahead.top()->host() == host) {
      Reader* reader = ahead.top();
      ahead.pop();
      for (size_t i = 0; i < width_; ++i) sums[i] += reader->sums()[i];
      ARROW_RETURN_NOT_OK(advance(reader));
    }
    ARROW_RETURN_NOT_OK(use(host, sums));
  }
  return arrow::Status::OK();
}

arrow::Status HostRuns::Merge(const UseHost& use) {
  const auto most = static_cast<size_t>(std::max<int64_t>(2, memory_ / static_cast<int64_t>(block_)));
  size_t done = 0;
  while (runs_.size() - done > most) {
    const std::vector<Run> some(runs_.begin() + static_cast<std::ptrdiff_t>(done),
                                runs_.begin() + static_cast<std::ptrdiff_t>(done + most));
    ARROW_RETURN_NOT_OK(Add([&](const UseHost& write) { return MergeSome(some, write); }));
    done += most;
  }
  const std::vector<Run> last(runs_.begin() + static_cast<std::ptrdiff_t>(done), runs_.end());
  ARROW_RETURN_NOT_OK(MergeSome(last, use));
  runs_.clear();
  file_.reset();
  return arrow::Status::OK();
}

arrow::Status HostTotals::Add(std::string_view host, std::span<const HostSum> sums) {
  auto found = places_.find(host);
  if (found == places_.end()) {
    const int64_t bytes = kHostBytes + static_cast<int64_t>(host.size() + 2 * sums.size_bytes());
    if (kept_ + bytes > memory_ && !places_.empty()) ARROW_RETURN_NOT_OK(Flush());
    kept_ += bytes;
    found = places_.emplace(host, sums_.size()).first;
    sums_.resize(sums_.size() + width_);
  }
  for (size_t i = 0; i < width_; ++i) sums_[found->second + i] += sums[i];
  return arrow::Status::OK();
}

arrow::Status HostTotals::Flush() {
  if (places_.empty()) return arrow::Status::OK();
  std::vector<std::pair<std::string_view, size_t>> hosts(places_.begin(), places_.end());
  std::ranges::sort(hosts);
  ARROW_RETURN_NOT_OK(runs_.Add([&](const UseHost& write) -> arrow::Status {
    for (const auto& [host, place] : hosts) {
      ARROW_RETURN_NOT_OK(write(host, std::span<const HostSum>(sums_).subspan(place, width_)));
    }
    return arrow::Status::OK();
  }));
  places_.clear();
  sums_.clear();
  kept_ = 0;
  return arrow::Status::OK();
}

}  // namespace uzushio
