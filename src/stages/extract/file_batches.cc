#include "stages/extract/file_batches.h"

namespace uzushio {
namespace {

// Bytes of a file whose decoding takes far longer than the search for an end.
constexpr size_t kMembersAtOnce = size_t{128} << 10;
// Files whose members are large, or hold several records.
constexpr int kMostFailed = 8;
// What is dropped costs some batches: a file may be damaged in a few places, or in one of so many batches.
constexpr int64_t kFewBreaks = 4;
constexpr int64_t kBatchesABreak = 64;

}  // namespace

arrow::Result<FileBatches::State> FileBatches::Next(PageBatch* batch) {
  ARROW_ASSIGN_OR_RAISE(const bool taken, TakeMembers(batch));
  if (taken) return State::kBatch;
  if (!GoOn()) return State::kWait;
  ARROW_ASSIGN_OR_RAISE(const bool more, ReadBatch(reader_.get(), name_, wanted_, &record_, batch));
  batch->place.end = reader_->place();
  must_read_ = false;
  const std::lock_guard lock(mutex_);
  ++taken_;
  return more ? State::kBatch : State::kLast;
}

arrow::Result<bool> FileBatches::TakeMembers(PageBatch* batch) {
  if (!is_shared_ || must_read_ || failed_ >= kMostFailed || IsBroken()) return false;
  batch->place.begin = reader_->file_position();
  ARROW_ASSIGN_OR_RAISE(batch->place.is_taken, reader_->TakeMembers(kMembersAtOnce, &batch->members));
  if (!batch->place.is_taken) {
    ++failed_;
    must_read_ = true;
    return false;
  }
  failed_ = 0;
  is_exact_ = false;
  const std::lock_guard lock(mutex_);
  ++taken_;
  return true;
}

// Whether the reader has to go on from what is used, or has had to too often.
bool FileBatches::IsBroken() {
  const std::lock_guard lock(mutex_);
  return is_broken_ || breaks_ > kFewBreaks + kept_ / kBatchesABreak;
}

// Whether the reader can go on: what it has not read itself is all used, and it knows of it.
bool FileBatches::GoOn() {
  if (is_exact_) return true;
  const std::lock_guard lock(mutex_);
  if (used_ < taken_) return false;
  reader_->GoOnAt(end_);
  is_broken_ = false;
  is_exact_ = true;
  return true;
}

bool FileBatches::Use(const PageResults& part) {
  const std::lock_guard lock(mutex_);
  const BatchPlace& place = part.place;
  const bool was_broken = is_broken_;
  if (place.is_taken && place.begin != end_.position) is_broken_ = true;
  const bool is_of_file = !is_broken_;
  if (part.is_last) {
    ++used_;
    if (is_of_file) ++kept_;
    if (is_of_file && place.is_taken) {
      const bool has_records = place.end.position > place.begin;
      end_ = {place.end.position, end_.decoded + place.end.decoded, has_records ? place.end.format : end_.format};
      is_broken_ = !place.is_whole;
    } else if (is_of_file) {
      end_ = place.end;
    }
  }
  if (is_broken_ && !was_broken) ++breaks_;
  return is_of_file;
}

}  // namespace uzushio
