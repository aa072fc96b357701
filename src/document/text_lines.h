// Short texts as the lines of one: the columns `robots` and `license` of documents.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace uzushio {

// Appends lines to a text, each once. More lines, and longer ones, are left out.
class TextLines {
 public:
  static constexpr size_t kMaxLines = 32;
  static constexpr size_t kMaxLineBytes = 1024;
  // Lines that are looked at: a page may repeat one a million times.
  static constexpr size_t kMaxTries = 1024;

  explicit TextLines(std::string* text) : text_(*text) {}

  bool full() const { return lines_ >= kMaxLines || tries_ >= kMaxTries; }
  // `line` has no line break.
  void Add(std::string_view line) {
    if (full() || line.empty() || line.size() > kMaxLineBytes) return;
    ++tries_;
    if (Contains(line)) return;
    if (!text_.empty()) text_ += '\n';
    text_ += line;
    ++lines_;
  }

 private:
  bool Contains(std::string_view line) const {
    for (std::string_view rest = text_; !rest.empty();) {
      const size_t end = rest.find('\n');
      if (rest.substr(0, end) == line) return true;
      if (end == std::string_view::npos) break;
      rest.remove_prefix(end + 1);
    }
    return false;
  }

  std::string& text_;
  size_t lines_ = 0;
  size_t tries_ = 0;
};

// Calls `use` with each line of a text.
template <typename Use>
void ForEachLine(std::string_view text, Use use) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    use(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace uzushio
