#include "markdown/block_text.h"

#include <algorithm>
#include <utility>

#include "document/markup.h"
#include "markdown/inline_text.h"

namespace uzushio {
namespace {

using BlockKind = StructureBlock::Kind;

bool IsLinkMark(char c) { return c == kLinkStart || c == kLinkEnd; }
bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// Takes the first line off a text. A text that ends with a line break has an empty line behind it.
std::string_view TakeLine(std::string_view* text, bool* more) {
  const size_t end = text->find('\n');
  const std::string_view line = text->substr(0, end);
  *more = end != std::string_view::npos;
  *text = *more ? text->substr(end + 1) : std::string_view();
  return line;
}

// --- Lines of plain text

// A line without link marks, a character at a time.
class PlainLine {
 public:
  explicit PlainLine(std::string_view line) : line_(line) { Settle(); }
  char operator*() const { return at_ == line_.size() ? '\n' : line_[at_]; }  // '\n' at its end
  bool ends() const { return at_ == line_.size(); }
  size_t place() const { return at_; }
  PlainLine& operator++() {
    ++at_;
    Settle();
    return *this;
  }
  // Passes all characters of which `is` is true, at most so many; returns their number.
  template <typename Is>
  size_t Pass(Is is, size_t most = std::string_view::npos) {
    size_t count = 0;
    while (!ends() && count < most && is(line_[at_])) ++count, ++*this;
    return count;
  }

 private:
  void Settle() {
    while (at_ < line_.size() && IsMark(line_[at_])) ++at_;
  }
  std::string_view line_;
  size_t at_ = 0;
};

bool EndsOrIsBlank(const PlainLine& line) { return line.ends() || IsBlank(*line); }

// Where and how much of a line is to be escaped: so many characters from a place on.
struct LineEscape {
  size_t place = 0;
  size_t count = 0;
};

// Whether the line is nothing but one character, blanks between.
bool IsRule(PlainLine line, char c, size_t least) {
  size_t count = 0;
  for (; !line.ends(); ++line) {
    if (*line != c && !IsBlank(*line)) return false;
    count += *line == c ? 1 : 0;
  }
  return count >= least;
}

// Whether the line may be the second of a table, which makes one of the line before.
bool IsDelimiterRow(PlainLine line) {
  bool has_dash = false;
  for (; !line.ends(); ++line) {
    if (std::string_view("|-: \t").find(*line) == std::string_view::npos) return false;
    has_dash |= *line == '-';
  }
  return has_dash;
}

bool IsFence(PlainLine line, char c) {
  if (line.Pass([c](char x) { return x == c; }) < 3) return false;
  for (; !line.ends(); ++line) {
    if (c == '`' && *line == '`') return false;  // inline code
  }
  return true;
}

struct LineContext {
  bool is_first = true;  // of its paragraph; else what can not interrupt one stays
  bool in_item = false;
  InlineFacts facts;
};

LineEscape EscapeOfNumber(PlainLine line, const LineContext& context) {
  constexpr size_t kMostDigits = 9;
  bool is_one = *line == '1';
  const size_t digits = line.Pass([](char c) { return c >= '0' && c <= '9'; }, kMostDigits + 1);
  if (digits > kMostDigits || (*line != '.' && *line != ')')) return {};
  const size_t place = line.place();
  ++line;
  is_one = is_one && digits == 1;
  if (!EndsOrIsBlank(line) || (!context.is_first && (line.ends() || !is_one))) return {};
  return {place, 1};
}

// What CommonMark would take the line's beginning for, section 4 and 5; tables are GFM's.
LineEscape EscapeOf(std::string_view text, const LineContext& context) {
  PlainLine line(text);
  line.Pass(IsBlank);
  const PlainLine begin = line;
  const size_t place = line.place();
  const char c = *line;
  const auto run = [&](size_t of) -> LineEscape {
    return {place, context.facts.has_runs[of] ? PlainLine(begin).Pass([c](char x) { return x == c; }) : 1};
  };
  switch (c) {
    case '#': {
      constexpr size_t kMostLevel = 6;
      const size_t level = line.Pass([](char x) { return x == '#'; }, kMostLevel + 1);
      return {place, level <= kMostLevel && EndsOrIsBlank(line) ? size_t{1} : 0};
    }
    case '>':
      return {place, 1};
    case '`':
      return {place, IsFence(begin, '`') ? size_t{1} : 0};
    case '~':
      return IsFence(begin, '~') ? run(2) : LineEscape();
    case '=':
      return {place, !context.is_first && IsRule(begin, '=', 1) ? size_t{1} : 0};
    case '[':
      if (context.is_first && context.facts.ends_label) return {place, 1};
      if (!context.in_item || !context.is_first) return {};
      ++line;
      if (*line != ' ' && *line != 'x' && *line != 'X') return {};
      ++line;
      return {place, *line == ']' ? size_t{1} : 0};
    case '|':
    case ':':
      return {place, !context.is_first && IsDelimiterRow(begin) ? size_t{1} : 0};
    case '_':
      return IsRule(begin, '_', 3) ? run(1) : LineEscape();
    case '-':
    case '*':
    case '+':
      ++line;
      if (IsBlank(*line) || (line.ends() && (context.is_first || c == '-'))) return {place, 1};
      if (c == '-' && !context.is_first && IsDelimiterRow(begin)) return {place, 1};
      if (c == '-' && context.in_item && IsRule(begin, '-', 1)) return {place, 1};  // a rule with the item's `-`
      if (c != '+' && IsRule(begin, c, 3)) return c == '*' ? run(0) : LineEscape{place, 1};
      return {};
    default:
      return c >= '0' && c <= '9' ? EscapeOfNumber(begin, context) : LineEscape();
  }
}

void AppendEscaped(std::string_view line, LineEscape escape, std::string* out) {
  *out += line.substr(0, escape.place);
  size_t at = escape.place;
  for (; escape.count > 0; ++at) {
    if (!IsMark(line[at])) *out += '\\', --escape.count;
    *out += line[at];
  }
  *out += line.substr(at);
}

// Whether the text begins with so many blanks that it would be code.
bool BeginsIndented(std::string_view text) {
  constexpr size_t kCodeIndentation = 4;
  PlainLine line(text.substr(0, text.find('\n')));
  const size_t spaces = line.Pass([](char c) { return c == ' '; }, kCodeIndentation);
  if (spaces < kCodeIndentation && *line != '\t') return false;
  line.Pass(IsBlank);
  return !line.ends();
}

void AppendLines(std::string_view marked, bool in_item, const MarkdownForm& form, std::string* out) {
  std::string text;
  LineContext context{.in_item = in_item};
  context.facts = AppendInline(marked, InlinePlace::kLines, form, &text);
  std::string_view rest = text;
  for (bool more = true; more;) {
    const std::string_view line = TakeLine(&rest, &more);
    PlainLine plain(line);
    plain.Pass(IsBlank);
    if (plain.ends()) {
      std::ranges::copy_if(line, std::back_inserter(*out), IsLinkMark);
      *out += kBlankLine;
    } else if (context.is_first && (in_item || BeginsIndented(line))) {
      std::ranges::copy_if(line.substr(0, plain.place()), std::back_inserter(*out), IsMark);
      const std::string_view stripped = line.substr(plain.place());
      AppendEscaped(stripped, EscapeOf(stripped, context), out);
    } else {
      AppendEscaped(line, EscapeOf(line, context), out);
    }
    context.is_first = plain.ends();
    if (more) *out += '\n';
  }
}

// --- Headings

void AppendHeading(int64_t level, std::string_view marked, const MarkdownForm& form, std::string* out) {
  out->append(static_cast<size_t>(std::clamp<int64_t>(level, 1, 6)), '#') += ' ';
  const size_t begin = out->size();
  AppendInline(marked, InlinePlace::kLine, form, out);
  // A last word of `#` would be taken for the heading's end.
  size_t end = out->size();
  while (end > begin && (IsBlank((*out)[end - 1]) || IsMark((*out)[end - 1]))) --end;
  size_t hashes = end;
  while (hashes > begin && ((*out)[hashes - 1] == '#' || IsMark((*out)[hashes - 1]))) --hashes;
  while (hashes < end && IsMark((*out)[hashes])) ++hashes;
  if (hashes == end) return;
  size_t before = hashes;
  while (before > begin && IsMark((*out)[before - 1])) --before;
  if (before == begin || IsBlank((*out)[before - 1])) out->insert(hashes, 1, '\\');
}

// --- Code

// How many backticks there are in a row at most.
size_t LongestFence(std::string_view text) {
  size_t longest = 0;
  size_t run = 0;
  for (const char c : text) {
    if (IsMark(c)) continue;
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

// The lines as they are, with link marks only.
void AppendVerbatim(std::string_view marked, std::string* out) {
  for (bool more = true; more;) {
    const std::string_view line = TakeLine(&marked, &more);
    const bool is_blank = std::ranges::all_of(line, IsMark);
    std::ranges::copy_if(line, std::back_inserter(*out), [](char c) { return !IsMark(c) || IsLinkMark(c); });
    if (is_blank) *out += kBlankLine;
    if (more) *out += '\n';
  }
}

void AppendFenced(std::string_view language, std::string_view marked, std::string* out) {
  constexpr size_t kLeastFence = 3;
  const size_t fence = std::max(kLeastFence, LongestFence(marked) + 1);
  (out->append(fence, '`') += language) += '\n';
  AppendVerbatim(marked, out);
  (*out += '\n').append(fence, '`');
}

// Whether a line of the text would be code by its indentation.
bool HasIndentedLine(std::string_view marked) {
  for (bool more = true; more;) {
    if (BeginsIndented(TakeLine(&marked, &more))) return true;
  }
  return false;
}

// --- Tables

// Takes the next cell off a row.
std::string_view TakeCell(std::string_view* row, bool* more) {
  const size_t end = row->find('\t');
  const std::string_view cell = row->substr(0, end);
  *more = end != std::string_view::npos;
  *row = *more ? row->substr(end + 1) : std::string_view();
  return cell;
}

size_t CellsOf(std::string_view row) { return static_cast<size_t>(std::ranges::count(row, '\t')) + 1; }

bool IsHeaderRow(std::string_view row) {
  bool has_header = false;
  for (bool more = true; more;) {
    const std::string_view cell = TakeCell(&row, &more);
    const bool is_header = cell.find(kHeaderCell) != std::string_view::npos;
    if (!is_header && !std::ranges::all_of(cell, IsMark)) return false;
    has_header |= is_header;
  }
  return has_header;
}

// Whether all that a row says is strong, in two cells or more. Empty cells say nothing: others reach over them.
bool IsStrongRow(std::string_view row) {
  int cells = 0;
  for (bool more = true; more;) {
    bool is_strong = false;
    bool has_text = false;
    for (const char c : TakeCell(&row, &more)) {
      if (c == kStrongStart || c == kStrongEnd) {
        is_strong = c == kStrongStart;
      } else if (!IsMark(c) && c != ' ') {
        if (!is_strong) return false;
        has_text = true;
      }
    }
    cells += has_text ? 1 : 0;
  }
  return cells >= 2;
}

// Whether the first row is a header in all but name: it alone is strong, and there are columns.
bool HasStrongHeader(std::string_view marked) {
  bool more = true;
  const std::string_view first = TakeLine(&marked, &more);
  if (!more || !IsStrongRow(first)) return false;
  while (more) {
    if (IsStrongRow(TakeLine(&marked, &more))) return false;
  }
  return true;
}

// A row that has no others is a line: what its cells say.
std::string LineOf(std::string_view row) {
  std::string line;
  bool has_text = false;
  for (bool more = true; more;) {
    const std::string_view cell = TakeCell(&row, &more);
    const bool is_blank = std::ranges::all_of(cell, [](char c) { return IsMark(c) || c == ' '; });
    if (has_text && !is_blank) line += ' ';
    line += cell;
    has_text |= !is_blank;
  }
  return line;
}

void AppendRow(std::string_view row, size_t columns, const MarkdownForm& form, std::string* out) {
  *out += '|';
  size_t cells = 0;
  for (bool more = true; more; ++cells) {
    const std::string_view cell = TakeCell(&row, &more);
    *out += ' ';
    AppendInline(cell, InlinePlace::kCell, form, out);
    *out += " |";
  }
  for (; cells < columns; ++cells) *out += "  |";
}

void AppendTable(std::string_view marked, bool in_item, const MarkdownForm& form, std::string* out) {
  if (marked.find('\n') == std::string_view::npos && !IsHeaderRow(marked)) {
    return AppendLines(LineOf(marked), in_item, form, out);
  }
  size_t columns = 0;
  size_t rows = 0;
  std::string_view rest = marked;
  for (bool more = true; more; ++rows) columns = std::max(columns, CellsOf(TakeLine(&rest, &more)));
  // Readers fill rows up themselves; in a table of a few long rows and many short ones that would not stay in bounds.
  constexpr size_t kMostFilling = 4;
  constexpr size_t kSmallTable = 10'000;
  const size_t filled = columns * rows <= kSmallTable + kMostFilling * marked.size() ? columns : 0;
  rest = marked;
  bool more = true;
  std::string_view row = TakeLine(&rest, &more);
  const bool has_header = IsHeaderRow(row) || HasStrongHeader(marked);
  AppendRow(has_header ? row : std::string_view(), columns, form, out);
  *out += "\n|";
  for (size_t i = 0; i < columns; ++i) *out += " --- |";
  if (!has_header) {
    *out += '\n';
    AppendRow(row, filled, form, out);
  }
  while (more) {
    row = TakeLine(&rest, &more);
    *out += '\n';
    AppendRow(row, filled, form, out);
  }
}

}  // namespace

void AppendBlockText(const StructureBlock* leaf, std::string_view marked, bool in_item, const MarkdownForm& form,
                     std::string* out) {
  if (form.keeps_texts) {
    *out += marked;
    return;
  }
  const BlockKind kind = leaf == nullptr ? BlockKind::kTerm : leaf->kind;  // a term is plain text
  if (kind == BlockKind::kHeading && form.headings) return AppendHeading(leaf->number, marked, form, out);
  if (kind == BlockKind::kTable && form.tables) return AppendTable(marked, in_item, form, out);
  if (kind == BlockKind::kFormula) return AppendVerbatim(marked, out);
  if (kind == BlockKind::kCode && !form.code) return AppendVerbatim(marked, out);
  if (kind == BlockKind::kCode || (form.code && kind != BlockKind::kTable && HasIndentedLine(marked))) {
    return AppendFenced(kind == BlockKind::kCode ? leaf->language : std::string_view(), marked, out);
  }
  AppendLines(marked, in_item, form, out);
}

}  // namespace uzushio
