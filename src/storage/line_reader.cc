#include "storage/line_reader.h"

#include <arrow/filesystem/filesystem.h>
#include <arrow/io/compressed.h>

#include <algorithm>
#include <utility>

#include "base/memory_error.h"
#include "base/stop.h"

namespace uzushio {
namespace {

constexpr int64_t kBlockBytes = int64_t{1} << 20;
// Of a line that is too long, or of the memory of one.
constexpr size_t kKeptBytes = size_t{1} << 20;
constexpr size_t kMostContinuation = 4;  // bytes of a character behind its first, and one more

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::string_view WithoutReturn(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

arrow::Status LineReader::Begin() {
  if (stream_ == nullptr) ARROW_RETURN_NOT_OK(Open());
  offset_ += consumed_;
  block_.remove_prefix(std::exchange(in_block_, 0));
  consumed_ = 0;
  if (line_.capacity() > kKeptBytes) std::string().swap(line_);
  line_.clear();
  return arrow::Status::OK();
}

// False at the end of the file.
arrow::Result<bool> LineReader::ReadBlock() {
  ARROW_RETURN_NOT_OK(CheckStop());
  ARROW_ASSIGN_OR_RAISE(buffer_, stream_->Read(kBlockBytes));
  block_ = std::string_view(*buffer_);
  return !block_.empty();
}

// Grows by half: twice as much of a long line would be a third more memory.
void LineReader::Keep(std::string_view part) {
  const size_t needed = line_.size() + part.size();
  if (needed > line_.capacity()) line_.reserve(std::max(needed, line_.capacity() + line_.capacity() / 2));
  line_ += part;
}

arrow::Result<std::optional<std::string_view>> LineReader::Next(bool* cut) {
  ARROW_RETURN_NOT_OK(Begin());
  *cut = false;
  const size_t held = memory_.decoding > 0 ? static_cast<size_t>(memory_.line()) : max_bytes_;
  size_t length = 0;  // without its end
  while (true) {
    const size_t end = block_.find('\n');
    const std::string_view part = block_.substr(0, end);
    const size_t with_end = part.size() + (end == std::string_view::npos ? 0 : 1);
    consumed_ += static_cast<int64_t>(with_end);
    length += part.size();
    *cut = length > max_bytes_;
    if (end != std::string_view::npos && length == part.size() && !*cut) {
      in_block_ = with_end;
      return WithoutReturn(part);
    }
    // Of what is too long, or may be found to be, the beginning is kept.
    const size_t most = length > std::min(held, max_bytes_) ? std::min(kKeptBytes, max_bytes_) : length;
    if (line_.size() > most) line_.resize(most);
    if (line_.size() < most) Keep(part.substr(0, most - line_.size()));
    if (line_.capacity() > 2 * kKeptBytes && most <= kKeptBytes) line_.shrink_to_fit();
    block_.remove_prefix(with_end);
    bool ended = end != std::string_view::npos;
    if (!ended) {
      ARROW_ASSIGN_OR_RAISE(const bool more, ReadBlock());
      if (!more && consumed_ == 0) return std::nullopt;
      ended = !more;
    }
    if (!ended) continue;
    if (!*cut && length > held) {
      return MemoryError("the line at byte ", offset_, " has ", (length >> 20) + 1, "MiB, and a thread has ",
                         held >> 20, "MiB for it; --memory ",
                         (memory_.WholeFor(static_cast<int64_t>(length), memory_.line()) >> 20) + 1,
                         "MiB, or fewer --threads, would do");
    }
    return *cut ? line_ : WithoutReturn(line_);
  }
}

arrow::Result<std::optional<std::string_view>> LineReader::NextPiece(bool* cut) {
  ARROW_RETURN_NOT_OK(Begin());
  *cut = false;
  line_.swap(carried_);
  carried_.clear();
  bool any = !line_.empty();
  while (true) {
    const size_t end = block_.find('\n');
    const std::string_view part = block_.substr(0, std::min(end, max_bytes_ + 1 - line_.size()));
    consumed_ += static_cast<int64_t>(part.size());
    Keep(part);
    block_.remove_prefix(part.size());
    if (line_.size() > max_bytes_) {
      size_t whole = max_bytes_;
      while (whole > 0 && max_bytes_ - whole < kMostContinuation && IsContinuation(line_[whole])) --whole;
      if (whole == 0 || IsContinuation(line_[whole])) whole = max_bytes_;  // no UTF-8
      carried_ = line_.substr(whole);
      line_.resize(whole);
      *cut = true;
      return line_;
    }
    if (end != std::string_view::npos && end == part.size()) {
      block_.remove_prefix(1);
      ++consumed_;
      return WithoutReturn(line_);
    }
    any = any || consumed_ > 0;
    ARROW_ASSIGN_OR_RAISE(const bool more, ReadBlock());
    if (more) continue;
    if (!any) return std::nullopt;
    return WithoutReturn(line_);
  }
}

arrow::Status LineReader::Open() {
  if (offset_ > 0) {
    ARROW_ASSIGN_OR_RAISE(const auto file, file_.filesystem->OpenInputFile(file_.path));
    ARROW_ASSIGN_OR_RAISE(const int64_t size, file->GetSize());
    ARROW_ASSIGN_OR_RAISE(stream_, arrow::io::RandomAccessFile::GetStream(file, offset_, size - offset_));
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(stream_, file_.filesystem->OpenInputStream(file_.path));
  const bool gzip = file_.name.ends_with(".gz");
  if (!gzip && !file_.name.ends_with(".zst")) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(codec_, arrow::util::Codec::Create(gzip ? arrow::Compression::GZIP : arrow::Compression::ZSTD));
  ARROW_ASSIGN_OR_RAISE(stream_, arrow::io::CompressedInputStream::Make(codec_.get(), stream_));
  return arrow::Status::OK();
}

}  // namespace uzushio
