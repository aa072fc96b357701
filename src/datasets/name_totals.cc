#include "datasets/name_totals.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <queue>

#include "base/stop.h"

namespace uzushio {
namespace {

constexpr double kUnit = 0x1p32;
constexpr double kMost = 0x1p62;
// What a map takes for a name besides itself and its sums.
constexpr int64_t kNameBytes = 96;

}  // namespace

NameSum ExactOf(double value) { return static_cast<NameSum>(std::nearbyint(std::clamp(value, -kMost, kMost) * kUnit)); }

double MeanOf(NameSum sum, NameSum count) {
  return count == 0 ? 0 : static_cast<double>(sum) / kUnit / static_cast<double>(count);
}

// Writes a run at the end of the file: of each name its length as uint32, itself, and the sums.
class NameRuns::Writer {
 public:
  Writer(SpillFile* file, size_t block) : file_(*file), block_(block) {}

  arrow::Status Append(std::string_view name, std::span<const NameSum> sums) {
    const auto length = static_cast<uint32_t>(name.size());
    Put(&length, sizeof length);
    Put(name.data(), name.size());
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

// Reads a run name by name.
class NameRuns::Reader {
 public:
  Reader(const SpillFile& file, Run run, size_t width, size_t block)
      : file_(file), run_(run), block_(block), sums_(width) {}

  // Goes to the next name; false after the last.
  arrow::Result<bool> Next() {
    uint32_t length = 0;
    if (at_ == buffer_.size() && run_.begin == run_.end) return false;
    ARROW_RETURN_NOT_OK(Take(&length, sizeof length));
    name_.resize(length);
    ARROW_RETURN_NOT_OK(Take(name_.data(), length));
    ARROW_RETURN_NOT_OK(Take(sums_.data(), sums_.size() * sizeof(NameSum)));
    return true;
  }
  const std::string& name() const { return name_; }
  std::span<const NameSum> sums() const { return sums_; }

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
    if (size == 0) return arrow::Status::UnknownError("a run of names is cut off");
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
  std::string name_;
  std::vector<NameSum> sums_;
};

arrow::Status NameRuns::Add(const EachName& each) {
  const std::lock_guard lock(mutex_);
  if (file_ == nullptr) {
    ARROW_ASSIGN_OR_RAISE(file_, space_.NewFile());
  }
  const int64_t begin = file_->bytes();
  Writer writer(file_.get(), block_);
  ARROW_RETURN_NOT_OK(
      each([&writer](std::string_view name, std::span<const NameSum> sums) { return writer.Append(name, sums); }));
  ARROW_RETURN_NOT_OK(writer.Flush());
  runs_.push_back({begin, file_->bytes()});
  space_.Count(file_->bytes() - begin);
  return arrow::Status::OK();
}

arrow::Status NameRuns::MergeSome(std::span<const Run> runs, const UseName& use) {
  std::vector<std::unique_ptr<Reader>> readers;
  const auto is_later = [](const Reader* a, const Reader* b) { return a->name() > b->name(); };
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
  std::vector<NameSum> sums(width_);
  while (!ahead.empty()) {
    const std::string name = ahead.top()->name();
    std::ranges::fill(sums, 0);
    while (!ahead.empty() && ahead.top()->name() == name) {
      Reader* reader = ahead.top();
      ahead.pop();
      for (size_t i = 0; i < width_; ++i) sums[i] += reader->sums()[i];
      ARROW_RETURN_NOT_OK(advance(reader));
    }
    ARROW_RETURN_NOT_OK(use(name, sums));
  }
  return arrow::Status::OK();
}

arrow::Status NameRuns::Merge(const UseName& use) {
  const auto most = static_cast<size_t>(std::max<int64_t>(2, memory_ / static_cast<int64_t>(block_)));
  size_t done = 0;
  while (runs_.size() - done > most) {
    const std::vector<Run> some(runs_.begin() + static_cast<std::ptrdiff_t>(done),
                                runs_.begin() + static_cast<std::ptrdiff_t>(done + most));
    ARROW_RETURN_NOT_OK(Add([&](const UseName& write) { return MergeSome(some, write); }));
    done += most;
  }
  const std::vector<Run> last(runs_.begin() + static_cast<std::ptrdiff_t>(done), runs_.end());
  ARROW_RETURN_NOT_OK(MergeSome(last, use));
  runs_.clear();
  file_.reset();
  return arrow::Status::OK();
}

arrow::Status NameTotals::Add(std::string_view name, std::span<const NameSum> sums) {
  auto found = places_.find(name);
  if (found == places_.end()) {
    const int64_t bytes = kNameBytes + static_cast<int64_t>(name.size() + 2 * sums.size_bytes());
    if (kept_ + bytes > memory_ && !places_.empty()) ARROW_RETURN_NOT_OK(Flush());
    kept_ += bytes;
    found = places_.emplace(name, sums_.size()).first;
    sums_.resize(sums_.size() + width_);
  }
  for (size_t i = 0; i < width_; ++i) sums_[found->second + i] += sums[i];
  return arrow::Status::OK();
}

arrow::Status NameTotals::Flush() {
  if (places_.empty()) return arrow::Status::OK();
  std::vector<std::pair<std::string_view, size_t>> names(places_.begin(), places_.end());
  std::ranges::sort(names);
  ARROW_RETURN_NOT_OK(to_([&](const UseName& write) -> arrow::Status {
    for (const auto& [name, place] : names) {
      ARROW_RETURN_NOT_OK(write(name, std::span<const NameSum>(sums_).subspan(place, width_)));
    }
    return arrow::Status::OK();
  }));
  places_.clear();
  sums_.clear();
  kept_ = 0;
  return arrow::Status::OK();
}

}  // namespace uzushio
