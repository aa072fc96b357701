#include "document/paragraph_writer.h"

#include <algorithm>
#include <cstdint>

#include "base/utf8.h"
#include "document/markup.h"
#include "document/word_run.h"

namespace uzushio {
namespace {

// The first byte from `at` on that may not be written as it is, or the end: white space, but for a space between what
// is none, and C2, with which U+00A0 begins.
const char* SkipWords(const char* at, const char* end) { return ReadWords<0xC2>(at, end).end; }

}  // namespace

void ParagraphWriter::Text(std::string_view raw) {
  const char* at = raw.data();
  const char* const end = at + raw.size();
  while (true) {
    const char* run = at;
    at = SkipWords(at, end);
    while (at < end && *at == '\xC2' && (end - at == 1 || at[1] != '\xA0')) at = SkipWords(at + 1, end);
    const bool space_behind = at > run && at[-1] == ' ';
    if (at > run) Emit({run, static_cast<size_t>(at - run) - (space_behind ? 1 : 0)});
    pending_space_ |= space_behind;
    if (at == end) return;
    if (*at == '\n') {
      LineBreak();
      ++at;
    } else {
      pending_space_ = true;
      at += *at == '\xC2' ? 2 : 1;
    }
    for (; at < end && *at == ' '; ++at) pending_space_ = true;
  }
}

void ParagraphWriter::Emit(std::string_view run) {
  if (!in_paragraph_ || out_.size() == line_start_) {
    while (const size_t space = run.starts_with(' ') ? 1 : WideSpacePrefix(run)) run.remove_prefix(space);
    if (run.empty()) return;
    if (!in_paragraph_) BeginParagraph();
  } else if (pending_space_) {
    out_ += ' ';
  }
  pending_space_ = false;
  if (link_depth_ > 0 && !link_open_) {
    out_ += kLinkStart;
    link_open_ = true;
  }
  out_ += run;
  text_bytes_ += run.size();
}

void ParagraphWriter::BeginParagraph() {
  if (!out_.empty()) out_ += kParagraphSeparator;
  if (path_source_ != nullptr) path_source_->AppendPath(&out_);
  out_ += kPathSeparator;
  line_start_ = out_.size();
  in_paragraph_ = true;
  ++paragraphs_;
}

void ParagraphWriter::LineBreak() {
  if (link_depth_ > 0) {
    pending_space_ = true;
  } else {
    EndLine();
  }
}

// Strips the line and begins the next one. White space before closing link marks goes too, and links that lose all
// their text by that.
void ParagraphWriter::EndLine() {
  if (!in_paragraph_ || out_.size() == line_start_) return;
  size_t end = StrippedEnd(out_.size());
  while (out_[end - 1] == kLinkEnd) {
    const size_t text_end = StrippedEnd(end - 1);
    if (out_[text_end - 1] != kLinkStart) {
      out_[text_end] = kLinkEnd;
      end = text_end + 1;
      break;
    }
    end = StrippedEnd(text_end - 1);
  }
  out_.resize(end);
  out_ += '\n';
  line_start_ = out_.size();
}

// Where the line ends when its first `end - line_start_` bytes lose the white space at their end. A line begins with
// what is no white space, so that something is left.
size_t ParagraphWriter::StrippedEnd(size_t end) const {
  while (true) {
    const size_t wide = WideSpaceSuffix(std::string_view(out_).substr(line_start_, end - line_start_));
    if (wide == 0 && out_[end - 1] != ' ') return end;
    end -= std::max<size_t>(wide, 1);
  }
}

void ParagraphWriter::LinkStart() {
  if (link_depth_++ > 0) return;
  space_before_link_ = pending_space_;
}

void ParagraphWriter::LinkEnd() {
  if (link_depth_ == 0) return;
  --link_depth_;
  if (link_depth_ > 0) return;
  if (link_open_) {
    out_ += kLinkEnd;
    link_open_ = false;
  } else {
    pending_space_ = space_before_link_;
  }
}

void ParagraphWriter::EndParagraph() {
  if (in_paragraph_) {
    if (link_open_) out_ += kLinkEnd;
    link_open_ = false;
    EndLine();
    out_.pop_back();  // the line break
    in_paragraph_ = false;
  }
}

std::string CleanParagraph(std::string_view text) {
  std::string out;
  ParagraphWriter writer(&out);
  while (true) {
    const size_t mark = text.find_first_of("\x02\x03");
    writer.Text(text.substr(0, mark));
    if (mark == std::string_view::npos) break;
    if (text[mark] == kLinkStart) {
      writer.LinkStart();
    } else {
      writer.LinkEnd();
    }
    text.remove_prefix(mark + 1);
  }
  writer.EndParagraph();
  return out.empty() ? out : out.substr(1);
}

namespace {

// Whether a paragraph is as PlainParagraph would leave it. May say no of one that is.
bool IsPlain(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\n'; };
  if (text.empty() || is_space(text.front()) || is_space(text.back())) return false;
  const char* const end = text.data() + text.size();
  for (const char* at = SkipWords(text.data(), end); at < end; at = SkipWords(at + 1, end)) {
    if (*at == '\xC2') {
      if (at + 1 < end && at[1] == '\xA0') return false;
      continue;
    }
    if (*at != '\n' || is_space(at[-1]) || is_space(at[1])) return false;
    if (WideSpaceSuffix({text.data(), at}) > 0 || WideSpacePrefix({at + 1, end}) > 0) return false;
  }
  return WideSpacePrefix(text) == 0 && WideSpaceSuffix(text) == 0;
}

}  // namespace

std::string_view PlainParagraph(const ParagraphView& paragraph, std::string* buffer) {
  if (!paragraph.shown) return PlainParagraph(paragraph.text, buffer);
  if (std::ranges::none_of(paragraph.text, IsMark)) return paragraph.text;
  *buffer = StripMarks(paragraph.text);
  return *buffer;
}

std::string_view PlainParagraph(std::string_view text, std::string* buffer) {
  if (text.empty() || IsPlain(text)) return text;
  *buffer = StripMarks(text);
  if (!IsPlain(*buffer)) *buffer = CleanParagraph(*buffer);
  return *buffer;
}

}  // namespace uzushio
