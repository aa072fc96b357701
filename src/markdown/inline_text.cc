// The text is looked at twice. The first time, runs of delimiters are collected: where the first stands that may open
// emphasis, and the last that may close it. What is not between two such is no emphasis, and stays as it is: `a * b`,
// `snake_case_name`, `注*`. The rules are those of CommonMark 0.31, section 6.2, taken so widely that earlier versions
// escape no more: a symbol that is punctuation in one of them only counts as whatever makes a delimiter of the run.
#include "markdown/inline_text.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/ascii.h"
#include "base/utf8.h"
#include "document/markup.h"

namespace uzushio {
namespace {

constexpr std::string_view kDelimiters = "*_~";
constexpr size_t kNowhere = std::string_view::npos;

// What ends a run of bytes that are copied as they are.
constexpr auto kStopsCopy = [] {
  std::array<bool, 256> stops = kIsMark;
  for (const char c : std::string_view("\\`*_~]<&|\n")) stops[static_cast<unsigned char>(c)] = true;
  return stops;
}();

bool IsAsciiPunctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

// What a character beside a run of delimiters is.
enum class Beside : uint8_t { kSpace, kPunctuation, kSymbol, kOther };

Beside KindOf(char32_t point) {
  if (point < 0x80) {
    const char c = static_cast<char>(point);
    if (c <= ' ') return Beside::kSpace;
    return IsAsciiPunctuation(c) ? Beside::kPunctuation : Beside::kOther;
  }
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(point))) {
    case UTF8PROC_CATEGORY_ZS:
      return Beside::kSpace;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
      return Beside::kPunctuation;
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SK:
    case UTF8PROC_CATEGORY_SO:
      return Beside::kSymbol;
    default:
      return Beside::kOther;
  }
}

// Whether a run between the two may be at the left of what it emphasizes, by any version of the rules.
bool MayOpen(Beside before, Beside after) {
  return after != Beside::kSpace && (after != Beside::kPunctuation || before != Beside::kOther);
}
// Whether it is, by every version.
bool SurelyOpens(Beside before, Beside after) {
  const bool is_border = before == Beside::kSpace || before == Beside::kPunctuation;
  return after != Beside::kSpace && (after == Beside::kOther || is_border);
}

// Of runs of one delimiter: the first that may open, and the last that may close.
struct DelimiterRuns {
  size_t first = kNowhere;
  size_t last = 0;
  int count = 0;
};

class InlineWriter {
 public:
  InlineWriter(std::string_view marked, InlinePlace place, const MarkdownForm& form, std::string* out)
      : text_(marked), place_(place), form_(form), out_(*out) {}

  InlineFacts Run() {
    Survey();
    for (size_t at = 0; at < text_.size();) at = Write(at);
    InlineFacts facts{.ends_label = ends_label_};
    for (size_t i = 0; i < kDelimiters.size(); ++i) facts.has_runs[i] = runs_[i].count > 1;
    return facts;
  }

 private:
  bool IsCodeStart(size_t at) const { return form_.code && text_[at] == kCodeStart && at < last_code_end_; }
  size_t RunLength(size_t at) const {
    const size_t end = text_.find_first_not_of(text_[at], at);
    return std::min(end, text_.size()) - at;
  }

  // --- The first look

  size_t LastOf(char c) const {
    const size_t last = text_.rfind(c);
    return last == kNowhere ? 0 : last;
  }

  void Survey() {
    last_code_end_ = LastOf(kCodeEnd);
    last_formula_end_ = LastOf(kFormulaEnd);
    last_greater_ = LastOf('>');
    last_parenthesis_ = LastOf(')');
    for (size_t at = 0; at < text_.size();) {
      const char c = text_[at];
      size_t length = 1;
      if (c == kFormulaStart) {
        length = AfterFormula(at) - at;
        if (text_.substr(at, length).find('`') != kNowhere) backtick_runs_ += 2;
      } else if (IsCodeStart(at)) {
        length = AfterCode(at) - at;
        ++backtick_runs_;
      } else if (c == '`') {
        length = RunLength(at);
        ++backtick_runs_;
      } else if (c == ']') {
        ends_label_ |= PlainAt(at + 1) == ':';
      } else if (const size_t kind = kDelimiters.find(c); kind != kNowhere) {
        length = RunLength(at);
        SurveyRun(kind, at, length);
      } else if (form_.emphasis && c >= kStrongStart && c <= kEmphasisEnd) {
        SurveyEmphasis(at);
      }
      at += length;
    }
    std::ranges::sort(emphasis_);
  }

  void SurveyRun(size_t kind, size_t at, size_t length) {
    DelimiterRuns& runs = runs_[kind];
    if (kind == 2 && length < 2) return;
    ++runs.count;
    const Beside before = IsAfterEmphasis(at) ? Beside::kSymbol : Before(at);
    const Beside after = IsBeforeEmphasis(at + length) ? Beside::kSymbol : After(at + length);
    const bool is_underscore = kind == 1;
    if (MayOpen(before, after) && !(is_underscore && before == Beside::kOther)) runs.first = std::min(runs.first, at);
    if (MayOpen(after, before) && !(is_underscore && after == Beside::kOther)) runs.last = at;
  }

  // Pairs the mark with the one that opened last. Pairs that touch others of their kind are none, and neither are
  // those that readers would not take for emphasis.
  void SurveyEmphasis(size_t at) {
    const char c = text_[at];
    if (c == kStrongStart || c == kEmphasisStart) {
      open_marks_.push_back(at);
      return;
    }
    if (open_marks_.empty() || text_[open_marks_.back()] != c - 1) {
      open_marks_.clear();
      return;
    }
    const size_t start = open_marks_.back();
    open_marks_.pop_back();
    if (open_marks_.size() > 1 || (open_marks_.size() == 1 && text_[open_marks_[0]] == text_[start])) return;
    size_t& last_end = last_ends_[c == kStrongEnd ? 0 : 1];
    // Nothing is between: marks around it are not looked at, of which there may be many.
    if (std::ranges::all_of(text_.substr(start, at - start), IsMark)) {
      last_end = at;
      return;
    }
    if (open_marks_.size() == 1 && OnlyBegins(open_marks_[0], start, at)) return;
    const bool touches = last_end != kNowhere && NextPlain(last_end) == NextPlain(start);
    const bool opens = SurelyOpens(Before(start), After(start + 1));
    const bool closes = SurelyOpens(After(at + 1), Before(at));
    last_end = at;
    if (touches || !opens || !closes || NextPlain(start) >= at) return;
    emphasis_.push_back(start);
    emphasis_.push_back(at);
  }

  // Whether a pair begins where the one around it does, and ends before it: `***a** b **c***` is read otherwise.
  bool OnlyBegins(size_t outer, size_t start, size_t end) const {
    while (start > outer && IsMark(text_[start - 1])) --start;
    const char outer_end = static_cast<char>(text_[outer] + 1);
    return start == outer && text_.substr(end, NextPlain(end) - end).find(outer_end) == kNowhere;
  }

  // --- What is around

  // The place of the next byte that is no mark.
  size_t NextPlain(size_t at) const {
    while (at < text_.size() && IsMark(text_[at]) && !IsCodeStart(at)) ++at;
    return at;
  }
  char PlainAt(size_t at) const {
    at = NextPlain(at);
    return at == text_.size() ? '\n' : IsCodeStart(at) ? '`' : text_[at];
  }
  Beside After(size_t at) const {
    at = NextPlain(at);
    if (at == text_.size()) return Beside::kSpace;
    if (IsCodeStart(at)) return Beside::kPunctuation;
    return KindOf(PointAt(text_.substr(at), Utf8Length(text_[at])));
  }
  Beside Before(size_t at) const {
    while (at > 0 && IsMark(text_[at - 1])) {
      if (form_.code && text_[at - 1] == kCodeEnd) return Beside::kPunctuation;
      --at;
    }
    if (at == 0) return Beside::kSpace;
    size_t begin = at - 1;
    while (begin > 0 && (static_cast<unsigned char>(text_[begin]) & 0xC0) == 0x80) --begin;
    return KindOf(PointAt(text_.substr(begin), at - begin));
  }
  // Whether there are marks of emphasis next to a place, which may be written.
  bool IsAfterEmphasis(size_t at) const {
    for (; at > 0 && IsMark(text_[at - 1]); --at) {
      if (IsEmphasis(text_[at - 1])) return true;
    }
    return false;
  }
  bool IsBeforeEmphasis(size_t at) const {
    const std::string_view marks = text_.substr(at, NextPlain(at) - at);
    return std::ranges::any_of(marks, [this](char c) { return IsEmphasis(c); });
  }
  bool IsEmphasis(char c) const { return form_.emphasis && c >= kStrongStart && c <= kEmphasisEnd; }

  size_t AfterFormula(size_t at) const { return at < last_formula_end_ ? text_.find(kFormulaEnd, at) + 1 : at + 1; }
  // Behind the end of inline code, and of what follows it without a character between, as `a``b` is no code.
  size_t AfterCode(size_t at) const {
    while (true) {
      const size_t end = text_.find(kCodeEnd, at);
      size_t next = end + 1;
      while (next < text_.size() && IsMark(text_[next]) && !IsCodeStart(next)) ++next;
      if (next == text_.size() || !IsCodeStart(next)) return end + 1;
      at = next;
    }
  }

  // --- The second look

  // Writes what is at a place; returns where to go on.
  size_t Write(size_t at) {
    size_t end = at;
    while (end < text_.size() && !kStopsCopy[static_cast<unsigned char>(text_[end])]) ++end;
    if (end > at) {
      out_ += text_.substr(at, end - at);
      return end;
    }
    const char c = text_[at];
    if (IsMark(c)) return WriteMark(at);
    switch (c) {
      case '\n':
        out_ += place_ == InlinePlace::kLines ? '\n' : ' ';
        return at + 1;
      case '`':
        return WriteRun(at, backtick_runs_ > 1);
      case '*':
        return WriteRun(at, form_.emphasis || IsBetween(0, at));
      case '_':
        return WriteRun(at, IsBetween(1, at));
      case '~':
        return WriteRun(at, IsBetween(2, at));
      default:
        if (NeedsEscape(at)) out_ += '\\';
        out_ += c;
        return at + 1;
    }
  }

  bool IsBetween(size_t kind, size_t at) const {
    const DelimiterRuns& runs = runs_[kind];
    return runs.first < runs.last && at >= runs.first && at <= runs.last;
  }

  size_t WriteRun(size_t at, bool escaped) {
    const size_t length = RunLength(at);
    const bool alone = text_[at] == '~' && length < 2;
    for (size_t i = 0; i < length; ++i) {
      if (escaped && !alone) out_ += '\\';
      out_ += text_[at];
    }
    return at + length;
  }

  size_t WriteMark(size_t at) {
    const char c = text_[at];
    if (c == kLinkStart || c == kLinkEnd) out_ += c;
    if (c == kFormulaStart) return WriteFormula(at);
    if (IsCodeStart(at)) return WriteCode(at);
    if (IsEmphasis(c) && std::ranges::binary_search(emphasis_, at)) {
      out_ += c == kStrongStart || c == kStrongEnd ? "**" : "*";
    }
    return at + 1;
  }

  // As it stands, but that cells have no other way to hold `|`.
  size_t WriteFormula(size_t at) {
    const size_t end = AfterFormula(at);
    for (; at < end; ++at) {
      const char c = text_[at];
      if (IsMark(c) && c != kLinkStart && c != kLinkEnd) continue;
      if (c == '|' && place_ == InlinePlace::kCell) out_ += '\\';
      out_ += c == '\n' && place_ != InlinePlace::kLines ? ' ' : c;
    }
    return at;
  }

  // Between backticks, more of them than are in it in a row.
  size_t WriteCode(size_t at) {
    const size_t end = AfterCode(at);
    code_.clear();
    size_t run = 0;
    size_t longest = 0;
    char first = 0;
    char last = 0;
    for (; at < end; ++at) {
      const char c = text_[at] == '\n' ? ' ' : text_[at];
      if (IsMark(c)) {
        if (c == kLinkStart || c == kLinkEnd) code_ += c;
        continue;
      }
      run = c == '`' ? run + 1 : 0;
      longest = std::max(longest, run);
      if (first == 0) first = c;
      last = c;
      if (c == '|' && place_ == InlinePlace::kCell) code_ += '\\';
      code_ += c;
    }
    if (first == 0) {
      out_ += code_;
      return end;
    }
    const bool padded = first == '`' || last == '`' || (first == ' ' && last == ' ');
    out_.append(longest + 1, '`').append(padded ? " " : "").append(code_);
    out_.append(padded ? " " : "").append(longest + 1, '`');
    return end;
  }

  bool NeedsEscape(size_t at) const {
    switch (text_[at]) {
      case '\\':
        return IsEscape(at + 1);
      case ']':
        return PlainAt(at + 1) == '(' && at < last_parenthesis_;
      case '<':
        return IsTag(at);
      case '&':
        return IsEntity(at);
      case '|':
        return place_ == InlinePlace::kCell;
      default:
        return false;
    }
  }
  // Whether a backslash means something before what is at the place.
  bool IsEscape(size_t at) const {
    if (IsBeforeEmphasis(at)) return true;
    const size_t next = NextPlain(at);
    if (next == text_.size()) return false;
    return IsCodeStart(next) || IsAsciiPunctuation(text_[next]) ||
           (text_[next] == '\n' && place_ == InlinePlace::kLines);
  }

  bool BeginsLine(size_t at) const {
    while (at > 0 && (IsMark(text_[at - 1]) || text_[at - 1] == ' ')) --at;
    return at == 0 || text_[at - 1] == '\n';
  }

  // Whether `<` may begin a tag, a comment, an autolink, or, at the beginning of a line, a block of HTML.
  bool IsTag(size_t at) const {
    constexpr size_t kMostOfName = 128;
    if (at > last_greater_ && !(place_ == InlinePlace::kLines && BeginsLine(at))) return false;
    size_t next = NextPlain(at + 1);
    if (next == text_.size()) return false;
    if (text_[next] == '!' || text_[next] == '?') return true;
    const bool is_end = text_[next] == '/';
    if (is_end) next = NextPlain(next + 1);
    if (next == text_.size()) return false;
    const size_t name = next;
    if (IsAsciiLetter(text_[name])) {
      const auto is_of_name = [](char c) { return IsAsciiLetter(c) || IsAsciiDigit(c) || c == '-'; };
      while (next < text_.size() && next - name < kMostOfName && is_of_name(text_[next])) next = NextPlain(next + 1);
      const char after = PlainAt(next);
      if (next == text_.size() || after == '>' || after == ' ' || after == '\t' || after == '\n') return true;
      if (after == '/' && PlainAt(NextPlain(next + 1)) == '>') return true;
    }
    if (is_end) return false;
    // `<scheme:…>`, `<name@…>`
    while (next < text_.size() && next - name < kMostOfName && IsOfAddress(text_[next])) next = NextPlain(next + 1);
    const bool is_scheme = PlainAt(next) == ':' && next - name > 1 && IsAsciiLetter(text_[name]);
    return is_scheme || (next > name && PlainAt(next) == '@');
  }
  static bool IsOfAddress(char c) {
    return IsAsciiLetter(c) || IsAsciiDigit(c) || std::string_view(".!#$%&'*+/=?^_`{|}~-").find(c) != kNowhere;
  }

  // Whether `&` may begin an entity.
  bool IsEntity(size_t at) const {
    constexpr size_t kMostOfName = 32;
    size_t next = NextPlain(at + 1);
    if (next < text_.size() && text_[next] == '#') next = NextPlain(next + 1);
    const size_t name = next;
    while (next < text_.size() && next - name < kMostOfName &&
           (IsAsciiLetter(text_[next]) || IsAsciiDigit(text_[next]))) {
      next = NextPlain(next + 1);
    }
    return next > name && next < text_.size() && text_[next] == ';';
  }

  std::string_view text_;
  InlinePlace place_;
  const MarkdownForm& form_;
  std::string& out_;
  std::string code_;
  size_t last_code_end_ = 0;
  size_t last_formula_end_ = 0;
  size_t last_greater_ = 0;
  size_t last_parenthesis_ = 0;
  int backtick_runs_ = 0;
  bool ends_label_ = false;
  std::array<DelimiterRuns, 3> runs_;
  std::vector<size_t> open_marks_;
  std::array<size_t, 2> last_ends_ = {kNowhere, kNowhere};
  std::vector<size_t> emphasis_;  // the places of the marks that are written
};

}  // namespace

InlineFacts AppendInline(std::string_view marked, InlinePlace place, const MarkdownForm& form, std::string* out) {
  return InlineWriter(marked, place, form, out).Run();
}

}  // namespace uzushio
