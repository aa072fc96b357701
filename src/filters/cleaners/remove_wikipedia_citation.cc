#include <algorithm>

#include "base/utf8.h"
#include "filters/cleaners/elements.h"
#include "filters/list.h"

namespace uzushio {
namespace {

constexpr auto kNone = std::string_view::npos;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The end of a line as `.` of Java's regular expressions does not pass it.
size_t LineEnd(std::string_view text, size_t from) {
  for (size_t at = from; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n' || c == '\r') return at;
    const std::string_view rest = text.substr(at);
    if (c == '\xC2' && rest.starts_with("\u0085")) return at;
    if (c == '\xE2' && (rest.starts_with("\u2028") || rest.starts_with("\u2029"))) return at;
  }
  return text.size();
}

// The next [ or {, each of which is looked for by itself: most texts have neither.
class BracketSearch {
 public:
  explicit BracketSearch(std::string_view text) : text_(text), square_(text.find('[')), curly_(text.find('{')) {}
  size_t Next(size_t from) {
    if (square_ < from) square_ = text_.find('[', from);
    if (curly_ < from) curly_ = text_.find('{', from);
    return std::min(square_, curly_);
  }

 private:
  std::string_view text_;
  size_t square_;
  size_t curly_;
};

// Finds the marks of one text, from the left. What a bracket looks for and does not find in its line, later ones do not
// look for again.
class CitationFinder {
 public:
  explicit CitationFinder(std::string_view text) : text_(text) {}

  // The end of the mark that begins at `at`, or npos.
  size_t EndOf(size_t at) {
    if (text_[at] == '{') return EndOfBraces(at);
    size_t digits = at + 1;
    while (digits < text_.size() && IsDigit(text_[digits])) ++digits;
    if (digits > at + 1 && digits < text_.size() && text_[digits] == ']') return digits + 1;
    if (at >= line_end_) line_end_ = LineEnd(text_, at);
    const std::string_view rest = text_.substr(at);
    if (rest.starts_with("[要")) {
      const size_t end = FindInLine("]", at + std::string_view("[要").size(), &no_bracket_);
      if (end != kNone) return end + 1;
    }
    if (rest.starts_with("[リンク切れ]")) return at + std::string_view("[リンク切れ]").size();
    const size_t question = FindInLine("?]", at + 1, &no_question_);
    return question == kNone ? kNone : question + 2;
  }

 private:
  // The first one that has a character between `from` and it.
  size_t FindInLine(std::string_view wanted, size_t from, size_t* none_before) const {
    if (from >= line_end_ || *none_before == line_end_) return kNone;
    const size_t found = text_.substr(0, line_end_).find(wanted, from + Utf8Length(text_[from]));
    if (found == kNone) *none_before = line_end_;
    return found;
  }

  size_t EndOfBraces(size_t at) {
    if (at < no_braces_before_) return kNone;
    size_t inner = at;
    while (inner < text_.size() && text_[inner] == '{') ++inner;
    const size_t end = inner - at < 2 ? kNone : text_.find_first_of("{}", inner);
    if (end == kNone || end == inner || !text_.substr(end).starts_with("}}")) {
      no_braces_before_ = inner;
      return kNone;
    }
    return std::min(text_.find_first_not_of('}', end), text_.size());
  }

  std::string_view text_;
  size_t line_end_ = 0;  // of the line of the last bracket
  size_t no_bracket_ = kNone;
  size_t no_question_ = kNone;  // the end of a line in which there is none behind the last bracket
  size_t no_braces_before_ = 0;
};

class RemoveWikipediaCitation final : public ElementRewriter {
 public:
  std::vector<std::string> Reasons() const override { return {"RemoveWikipediaCitation"}; }
  bool Rewrite(std::string_view text, std::string* to) const override {
    CitationFinder finder(text);
    size_t kept = 0;
    BracketSearch brackets(text);
    for (size_t at = 0; (at = brackets.Next(at)) != kNone;) {
      const size_t end = finder.EndOf(at);
      if (end == kNone) {
        ++at;
        continue;
      }
      to->append(text, kept, at - kept);
      kept = at = end;
    }
    if (kept > 0) to->append(text, kept);
    return kept > 0;
  }
};

}  // namespace

FilterDeclaration DeclareRemoveWikipediaCitation() {
  return Declare<RemoveWikipediaCitation>(
             "RemoveWikipediaCitation", "rewrites",
             "Removes Wikipedia's citation marks: [12], [要出典], [リンク切れ], [誰?], {{…}}.")
      .Metric("RemoveWikipediaCitation", "changed elements")
      .Done();
}

}  // namespace uzushio
