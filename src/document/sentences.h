// Where sentences end: the one place for everything that needs sentences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace uzushio {

// 。．！？ end a Japanese sentence, and so do ! and ?.
constexpr bool EndsSentence(char32_t c) {
  return c == U'。' || c == U'．' || c == U'！' || c == U'？' || c == U'!' || c == U'?';
}

inline constexpr size_t kMaxTokenizerBytes = 49149;  // of one call of Sudachi

// Where the part for a tokenizer that begins at `begin` ends: after \n 。 、 ！ ？ ! ?, after 16,384 code points, or
// before more bytes than Sudachi takes. The separators and the length are those of the original's `SentenceIterator`.
size_t TokenizerPartEnd(std::string_view text, size_t begin);

// The same for lines: before \n, after 16,384 code points, or before more bytes than Sudachi takes.
size_t TokenizerLineEnd(std::string_view text, size_t begin);

// Cuts a text (UTF-8) into sentences: at line breaks, and behind a run of marks that end one (the halfwidth ｡ too)
// together with the closing brackets and quotes after it. Inside brackets or quotes that are closed on the same line no
// sentence ends. Linear in the text. Works in buffers that it keeps.
class SentenceCutter {
 public:
  // The sentences, without line breaks and in order; views of the text. None is empty. Lines behind so many sentences
  // are left out.
  const std::vector<std::string_view>& Cut(std::string_view text, size_t most = std::numeric_limits<size_t>::max());

 private:
  struct Point {
    char32_t point = 0;
    uint32_t end = 0;  // byte behind it, in its line
  };
  void CutLine(std::string_view line);
  void Decode(std::string_view line);
  void MatchBrackets();

  std::vector<std::string_view> sentences_;
  std::vector<Point> points_;
  std::vector<uint32_t> open_;
  std::vector<int8_t> steps_;  // of each point: into a pair of brackets that match, 1, or out of it, -1
};

}  // namespace uzushio
