#include "datasets/text_documents.h"

#include <algorithm>
#include <utility>

#include "base/memory_error.h"

namespace uzushio {
namespace {

constexpr size_t kMaxLinePiece = size_t{1} << 20;
// Of a document that is too long.
constexpr size_t kKeptText = size_t{1} << 20;

bool IsCompressed(const std::string& name) { return name.ends_with(".gz") || name.ends_with(".zst"); }
bool IsByLines(const std::string& delimiter) { return delimiter == "\n" || delimiter == kEmptyLine; }

std::string_view WithoutLineBreaks(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of('\n'), text.size());
  const size_t end = text.find_last_not_of('\n');
  return end == std::string_view::npos ? std::string_view() : text.substr(begin, end + 1 - begin);
}

}  // namespace

bool CanBeReadInParts(const InputFile& file, const std::string& delimiter) {
  return IsByLines(delimiter) && !IsCompressed(file.name);
}

TextDocumentReader::TextDocumentReader(const InputFile& file, std::string delimiter, int64_t begin, int64_t end,
                                       const ReaderMemory& memory)
    : lines_(file, kMaxLinePiece, {}, std::max<int64_t>(begin - 1, 0)),
      delimiter_(std::move(delimiter)),
      begin_(begin),
      end_(end),
      memory_(memory) {}

// A part begins behind its first delimiter: the line that `begin` is in is another's, and, where an empty line parts
// documents, so is what comes before one.
arrow::Status TextDocumentReader::SkipToPart() {
  if (begin_ == 0) return arrow::Status::OK();
  bool cut = true;
  bool in_line = true;  // of which only the end is in this part
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const auto line, lines_.NextPiece(&cut));
    if (!line) {
      at_end_ = true;
      return arrow::Status::OK();
    }
    const bool is_empty_line = !in_line && !cut && line->empty();
    if (is_empty_line && lines_.offset() >= end_) at_end_ = true;
    if (is_empty_line || (delimiter_ == "\n" && !cut)) return arrow::Status::OK();
    in_line = cut;
  }
}

// Makes room in the text for so many bytes more of the document, which has `held` already.
arrow::Status TextDocumentReader::Reserve(size_t held, size_t more) {
  const int64_t bound = memory_.line();
  if (memory_.decoding > 0 && static_cast<int64_t>(held + more) > bound) {
    return MemoryError("the document at byte ", document_offset_, " has more than ", bound >> 20,
                       "MiB, which is what a thread has for it; --memory ",
                       (memory_.WholeFor(2 * static_cast<int64_t>(held + more), bound) >> 20) + 1,
                       "MiB, or fewer --threads, may do; or is the delimiter another one?");
  }
  const size_t needed = text_.size() + more;
  if (needed > text_.capacity()) text_.reserve(std::max(needed, text_.capacity() + text_.capacity() / 2));
  return arrow::Status::OK();
}

// False where there is no more.
arrow::Result<bool> TextDocumentReader::FillByLines() {
  text_.clear();
  if (text_.capacity() > 4 * kKeptText) text_.shrink_to_fit();
  const bool each_line = delimiter_ == "\n";
  while (!at_end_) {
    bool cut = false;
    ARROW_ASSIGN_OR_RAISE(const auto line, lines_.NextPiece(&cut));
    const bool is_border = line && !in_line_ && (each_line || (!cut && line->empty()));
    if (!line || (is_border && lines_.offset() >= end_)) {
      at_end_ = true;
      break;
    }
    in_line_ = cut;
    if (is_border && !each_line) {
      if (length_ == 0) continue;
      break;
    }
    if (length_ == 0) document_offset_ = lines_.offset();
    length_ += static_cast<int64_t>(line->size()) + (cut ? 0 : 1);
    if (length_ > static_cast<int64_t>(kMaxTextDocumentBytes)) {
      text_.resize(std::min(text_.size(), kKeptText));
      if (text_.capacity() > 2 * kKeptText) text_.shrink_to_fit();
    } else {
      ARROW_RETURN_NOT_OK(Reserve(text_.size(), line->size() + 1));
      text_ += *line;
      if (!cut) text_ += '\n';
    }
    if (each_line && !cut) break;
  }
  found_ = text_;
  return length_ > 0;
}

// What was read behind a document stays in the text, from `next_` on.
arrow::Result<bool> TextDocumentReader::FillByDelimiter() {
  size_t searched = next_;
  document_offset_ = base_ + static_cast<int64_t>(next_);
  while (true) {
    const size_t end = text_.find(delimiter_, searched);
    if (end != std::string::npos || at_end_) {
      found_ = std::string_view(text_).substr(next_, std::min(end, text_.size()) - next_);
      next_ += found_.size() + (end == std::string::npos ? 0 : delimiter_.size());
      length_ += static_cast<int64_t>(found_.size());
      return end != std::string::npos || length_ > 0;
    }
    // Of a document that is too long, as much is kept as a delimiter may have begun in.
    const size_t tail = std::min(text_.size() - next_, delimiter_.size() - 1);
    const bool is_too_long = text_.size() - next_ + static_cast<size_t>(length_) > kMaxTextDocumentBytes;
    const size_t kept = is_too_long ? tail : text_.size() - next_;
    length_ += static_cast<int64_t>(text_.size() - next_ - kept);
    base_ += static_cast<int64_t>(text_.size() - kept);
    text_.erase(0, text_.size() - kept);
    next_ = 0;
    searched = kept - tail;
    bool cut = false;
    ARROW_ASSIGN_OR_RAISE(const auto line, lines_.NextPiece(&cut));
    at_end_ = !line;
    if (!line) continue;
    ARROW_RETURN_NOT_OK(Reserve(text_.size(), line->size() + 1));
    text_ += *line;
    if (!cut) text_ += '\n';
  }
}

arrow::Result<std::optional<std::string_view>> TextDocumentReader::Next(bool* too_long) {
  if (std::exchange(is_first_, false) && IsByLines(delimiter_)) ARROW_RETURN_NOT_OK(SkipToPart());
  while (true) {
    length_ = 0;
    ARROW_ASSIGN_OR_RAISE(const bool any, IsByLines(delimiter_) ? FillByLines() : FillByDelimiter());
    if (!any) return std::nullopt;
    *too_long = length_ > static_cast<int64_t>(kMaxTextDocumentBytes);
    if (const std::string_view text = WithoutLineBreaks(found_); !text.empty()) return text;
  }
}

}  // namespace uzushio
