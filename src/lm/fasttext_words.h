// What a classifier of fastText is given of a text: one form, in training and in prediction.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "lm/tokenizer.h"

namespace uzushio {

// What fastText ends words at, in a line.
constexpr bool SeparatesFastTextWords(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0'; }

// What labels begin with, and the word at which a line ends.
inline constexpr std::string_view kFastTextLabel = "__label__";
inline constexpr std::string_view kFastTextLineEnd = "</s>";

// A label by its name.
constexpr std::string_view WithoutFastTextLabel(std::string_view label) {
  if (label.starts_with(kFastTextLabel)) label.remove_prefix(kFastTextLabel.size());
  return label;
}

// How a text becomes a line; in this order.
struct FastTextForm {
  int64_t max_characters = INT32_MAX;  // of a text, from its beginning
  std::string normalize = "none";      // or nfkc
  bool lowercase = false;
  std::string tokens = "spaces";  // characters, sudachi-A, sudachi-B or sudachi-C
  std::string sudachi;            // a system dictionary; empty: the one that is installed in Python's packages
};

// Errors: a dictionary is named, and the tokens are none of Sudachi's. `sudachi` and `tokens` are what the user calls
// them.
arrow::Status CheckSudachi(const FastTextForm& form, const char* sudachi, const char* tokens);

// Buffers of a thread.
struct FastTextBuffers {
  std::string normal;
  std::string lower;
  std::string line;
};

// The form, shared by threads.
class FastTextWords {
 public:
  // Errors: there is no such dictionary.
  static arrow::Result<FastTextWords> Open(const FastTextForm& form);

  // Of the dictionary; empty where none is asked.
  const std::string& contents() const { return contents_; }

  // The line whose words, by SeparatesFastTextWords, the classifier gets: part of the text or of the buffers. The text
  // is valid UTF-8. Characters are words by themselves, but for white space.
  std::string_view LineOf(std::string_view text, FastTextBuffers* buffers, Tokenizers* tokenizers) const;

 private:
  enum class Cut { kSpaces, kCharacters, kSudachi };

  FastTextForm form_;
  Cut cut_ = Cut::kSpaces;
  SplitMode mode_ = SplitMode::kC;
  std::shared_ptr<const SudachiDictionary> dictionary_;
  std::string contents_;
};

// Calls `use` with the words of a line that prediction looks at: it ends at `</s>`, and takes no notice of words that
// look like labels.
template <typename Use>
void ForEachFastTextWord(std::string_view line, Use use) {
  for (size_t at = 0; at < line.size();) {
    size_t end = at;
    while (end < line.size() && !SeparatesFastTextWords(line[end])) ++end;
    const std::string_view word = line.substr(at, end - at);
    if (word == kFastTextLineEnd) return;
    if (!word.empty() && !word.starts_with(kFastTextLabel)) use(word);
    at = end + 1;
  }
}

}  // namespace uzushio
