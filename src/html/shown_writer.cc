#include "html/shown_writer.h"

#include <utf8proc.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/utf8.h"
#include "document/markup.h"
#include "document/word_run.h"

namespace uzushio {
namespace {

// A row has no more columns than this; browsers have as many.
constexpr size_t kMaxColumns = 1000;

constexpr char kNoMark = '\0';  // of one that is dropped

constexpr bool IsWhite(char c) { return static_cast<unsigned char>(c) <= ' '; }

// The first white space of the text, or the first byte that is none; or its end. Eight bytes at once; a byte has its
// highest bit set, or gets it by what is added, unless it is white.
template <bool kWhite>
const char* FindFirst(std::string_view text) {
  static_assert(std::endian::native == std::endian::little);
  const char* at = text.data();
  const char* const end = at + text.size();
  for (; end - at >= 8; at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    const uint64_t others = (((word & Eight(0x7F)) + Eight(0x7F - ' ')) | word) & Eight(0x80);
    const uint64_t found = kWhite ? others ^ Eight(0x80) : others;
    if (found != 0) return at + std::countr_zero(found) / 8;
  }
  return std::find_if(at, end, [](char c) { return IsWhite(c) == kWhite; });
}

bool IsHangul(char32_t c) {
  return (c >= 0x1100 && c <= 0x11FF) || (c >= 0x3130 && c <= 0x318F) || (c >= 0xA960 && c <= 0xA97F) ||
         (c >= 0xAC00 && c <= 0xD7FF) || (c >= 0xFFA0 && c <= 0xFFDC);
}

bool IsWide(char32_t c) {
  if (c < 0x1100 || IsHangul(c)) return false;
  const bool is_halfwidth = c == 0x20A9 || (c >= 0xFF61 && c <= 0xFF9F) || (c >= 0xFFE8 && c <= 0xFFEE);
  return is_halfwidth || utf8proc_charwidth(static_cast<utf8proc_int32_t>(c)) == 2;
}

char32_t FirstPoint(std::string_view text) { return PointAt(text, std::min(Utf8Length(text[0]), text.size())); }

// The last character that is no mark, or 0.
char32_t LastPoint(std::string_view text) {
  while (!text.empty() && IsMark(text.back())) text.remove_suffix(1);
  size_t start = text.size();
  while (start > 0 && (static_cast<unsigned char>(text[start - 1]) & 0xC0) == 0x80) --start;
  if (start == 0) return 0;
  return FirstPoint(text.substr(start - 1));
}

// The bytes of U+00A0, U+3000, U+200B or U+FEFF at the start of the text, or 0.
inline size_t BlankPrefix(std::string_view text) {
  if (text.size() < 2 || static_cast<unsigned char>(text[0]) < 0xC2) return 0;  // most is
  if (text[0] == '\xC2') return text[1] == '\xA0' ? 2 : 0;
  if (text.size() < 3) return 0;
  const auto is = [text](char first, char second, char third) {
    return text[0] == first && text[1] == second && text[2] == third;
  };
  return is('\xE3', '\x80', '\x80') || is('\xE2', '\x80', '\x8B') || is('\xEF', '\xBB', '\xBF') ? 3 : 0;
}

bool IsBlank(std::string_view run) {
  while (const size_t blank = BlankPrefix(run)) run.remove_prefix(blank);
  return run.empty();
}

}  // namespace

void ShownWriter::Text(std::string_view raw) {
  if (preformatted()) return Preformatted(raw);
  for (TakeWhite(&raw); !raw.empty(); TakeWhite(&raw)) TakeWords(&raw);
}

// Takes white space off the text, which stands before what follows.
inline void ShownWriter::TakeWhite(std::string_view* raw) {
  const char* at = raw->data();
  const char* const end = at + raw->size();
  if (at == end || !IsWhite(*at)) return;
  bool is_break = space_ == White::kBreak || space_ == White::kEndOfLine;
  for (; !is_break && at < end && IsWhite(*at); ++at) is_break = *at == '\n' || *at == '\r';
  if (is_break) at = FindFirst<false>({at, end});
  if (space_ != White::kEndOfLine) space_ = is_break ? White::kBreak : White::kSpace;
  raw->remove_prefix(static_cast<size_t>(at - raw->data()));
}

// Takes words, and single spaces between them, off the text.
inline void ShownWriter::TakeWords(std::string_view* raw) {
  // At the start of a line, what is blank is held back, a word at a time.
  const bool is_alone = !in_line_ && BlankPrefix(*raw) > 0;
  WordRun words = is_alone ? WordRun{FindFirst<true>(*raw), 0} : ReadWords(raw->begin(), raw->end());
  if (words.end != raw->begin() && words.end[-1] == ' ') {
    --words.end;
    --words.spaces;
  }
  if (words.end != raw->begin()) Emit({raw->begin(), words.end}, words.spaces);
  raw->remove_prefix(static_cast<size_t>(words.end - raw->begin()));
}

void ShownWriter::Preformatted(std::string_view raw) {
  while (!raw.empty()) {
    TakeWords(&raw);
    for (; !raw.empty() && IsWhite(raw.front()); raw.remove_prefix(1)) {
      if (raw.front() == '\n') {
        LineBreak();
      } else if (raw.front() != '\r') {
        indent_ += raw.front() == '\t' ? '\t' : ' ';
      }
    }
  }
}

void ShownWriter::LineBreak() {
  if (in_cell_) {
    space_ = White::kEndOfLine;
    return;
  }
  EndLine();
  ++breaks_;
  ++line_breaks_;
}

void ShownWriter::LineBorder() {
  if (in_line_) LineBreak();
}

void ShownWriter::BeginCodeLine() {
  BeginPreformatted();
  breaks_before_line_ = line_breaks_;
}

void ShownWriter::EndCodeLine() {
  if (in_line_ || line_breaks_ == breaks_before_line_) LineBreak();
  EndPreformatted();
}

void ShownWriter::EndLine() {
  CloseMarks();
  in_line_ = false;
  space_ = White::kNone;
  indent_.clear();
}

// What is held back before a run of text.
void ShownWriter::WriteWhite(std::string_view next) {
  std::string& out = sink();
  if (in_line_ && !preformatted() && space_ != White::kNone) {
    const bool is_nothing = space_ == White::kEndOfLine
                                ? next.starts_with("\u3000") || next.starts_with("\u00A0")
                                : space_ == White::kBreak && IsWide(LastPoint(out)) && IsWide(FirstPoint(next));
    if (!is_nothing) out += ' ';
  }
  out += indent_;
  space_ = White::kNone;
  indent_.clear();
}

void ShownWriter::Emit(std::string_view run, size_t spaces) {
  if (!in_line_ && IsBlank(run)) {  // held back: it may be all that there is
    indent_ += run;
    return;
  }
  if (!in_cell_) {
    if (in_paragraph_ && !in_line_) {
      if (breaks_ > 1 && !preformatted()) {
        std::string indent;
        indent.swap(indent_);
        EndParagraph();
        indent_.swap(indent);
      } else {
        for (int i = 0; i < breaks_; ++i) out_ += i == 0 ? "\n" : "\x1f\n";
      }
    }
    if (!in_paragraph_) BeginParagraph();
    breaks_ = 0;
  } else if (!in_line_ && header_cell_) {
    cell_ += kHeaderCell;
  }
  if (space_ != White::kNone || !indent_.empty()) WriteWhite(run);
  if (open_ < marks_.size()) OpenMarks();
  sink() += run;
  text_bytes_ += run.size() - spaces;
  in_line_ = true;
}

void ShownWriter::BeginParagraph() {
  if (!out_.empty()) out_ += kParagraphSeparator;
  paths_->AppendPath(&out_);
  out_ += kPathSeparator;
  in_paragraph_ = true;
  ++paragraphs_;
}

void ShownWriter::EndParagraph() {
  if (in_cell_) return LineBreak();
  EndLine();
  in_paragraph_ = false;
  breaks_ = 0;
}

void ShownWriter::OpenMarks() {
  for (; open_ < marks_.size(); ++open_) {
    if (marks_[open_] != kNoMark) sink() += marks_[open_];
  }
}

void ShownWriter::CloseMarks() {
  for (; open_ > 0; --open_) CloseMark(marks_[open_ - 1]);
}

void ShownWriter::CloseMark(char start) {
  if (start != kNoMark) sink() += static_cast<char>(start + 1);
}

void ShownWriter::DropMark(char start) {
  CloseMarks();
  std::ranges::replace(marks_, start, kNoMark);
}

void ShownWriter::EndMark() {
  if (marks_.empty()) return;
  if (open_ == marks_.size()) {
    CloseMark(marks_.back());
    --open_;
  }
  marks_.pop_back();
}

bool ShownWriter::touches_text() const { return in_line_ && space_ == White::kNone && indent_.empty(); }

void ShownWriter::BeginRow() {
  LineBorder();
  row_.clear();
  row_tabs_ = 0;
  column_ = 0;
  row_has_text_ = false;
}

// Columns that cells of rows above reach down to.
void ShownWriter::SkipSpanned() {
  for (; column_ < spanned_.size() && spanned_[column_] > 0; ++column_) --spanned_[column_];
}

void ShownWriter::BeginCell(bool is_header) {
  SkipSpanned();
  CloseMarks();
  row_.append(column_ - row_tabs_, '\t');
  row_tabs_ = column_;
  cell_.clear();
  in_cell_ = true;
  header_cell_ = is_header;
  in_line_ = false;
  space_ = White::kNone;
  indent_.clear();
}

void ShownWriter::EndCell(int columns, int rows) {
  EndLine();
  in_cell_ = false;
  row_ += cell_;
  row_has_text_ |= !cell_.empty();
  for (int i = 0; i < columns && (i == 0 || column_ < kMaxColumns); ++i, ++column_) {
    if (i > 0) SkipSpanned();
    if (rows <= 1 || column_ >= kMaxColumns) continue;
    spanned_.resize(std::max(spanned_.size(), column_ + 1));
    spanned_[column_] = rows - 1;
  }
}

void ShownWriter::EndRow() {
  for (; column_ < spanned_.size(); ++column_) spanned_[column_] -= spanned_[column_] > 0 ? 1 : 0;
  if (!row_has_text_) return;
  if (in_paragraph_) {
    out_ += '\n';
  } else {
    BeginParagraph();
  }
  out_ += row_;
  in_line_ = false;
  breaks_ = 0;
}

}  // namespace uzushio
