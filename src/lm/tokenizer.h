// Sudachi, and how text is cut for it.
#pragma once

#include <arrow/result.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lm/native.h"

namespace uzushio {

// A Sudachi dictionary, mapped into memory and shared by threads.
class SudachiDictionary {
 public:
  // The error says how to get a dictionary. Dictionaries are opened once.
  static arrow::Result<std::shared_ptr<const SudachiDictionary>> Open(const std::string& path);
  ~SudachiDictionary();
  SudachiDictionary(const SudachiDictionary&) = delete;
  SudachiDictionary& operator=(const SudachiDictionary&) = delete;
  const UzSudachiDictionary* native() const { return native_; }

 private:
  explicit SudachiDictionary(UzSudachiDictionary* native) : native_(native) {}
  UzSudachiDictionary* native_;
};

// Where the sentence that begins at `begin` ends: after \n 。 、 ！ ？ ! ?, after 16,384 code points, or before more
// bytes than Sudachi takes. The separators and the length are those of the original's `SentenceIterator`.
size_t SentenceEnd(std::string_view text, size_t begin);

// Where the line that begins at `begin` ends: before \n, after 16,384 code points, or before more bytes than Sudachi
// takes.
size_t LineEnd(std::string_view text, size_t begin);

// How finely Sudachi cuts: A into the shortest units, C into named entities.
enum class SplitMode : uint32_t { kA, kB, kC };

// The tokenizer of one thread.
class Tokenizer {
 public:
  explicit Tokenizer(std::shared_ptr<const SudachiDictionary> dictionary, SplitMode mode = SplitMode::kC);
  ~Tokenizer();
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  // Calls `use` with the surface of each token of the text, sentence by sentence. Left out are tokens whose normalised
  // form is a space, and single line breaks and link marks. False when a sentence can not be analysed; its tokens are
  // left out. The text is valid UTF-8.
  template <typename Use>
  bool ForEachToken(std::string_view text, Use use) {
    bool all = true;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = SentenceEnd(text, begin);
      const std::string_view sentence = text.substr(begin, end - begin);
      all &= Analyse(sentence);
      for (const UzSudachiMorpheme& morpheme : morphemes_) {
        const std::string_view surface = sentence.substr(morpheme.begin, morpheme.end - morpheme.begin);
        const bool mark = surface == "\n" || surface == "\x02" || surface == "\x03";
        if (morpheme.is_space == 0 && !mark && !surface.empty()) use(surface);
      }
      begin = end;
    }
    return all;
  }

  // Calls `use` with each surface of the text, line by line, spaces among them, as the original's MinHash takes them. A
  // line that can not be analysed is one token. The text is valid UTF-8.
  template <typename Use>
  void ForEachSurface(std::string_view text, Use use) {
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = LineEnd(text, begin);
      const std::string_view line = text.substr(begin, end - begin);
      if (!line.empty()) {
        if (!Analyse(line)) use(line);
        for (const UzSudachiMorpheme& morpheme : morphemes_) {
          if (morpheme.begin != morpheme.end) use(line.substr(morpheme.begin, morpheme.end - morpheme.begin));
        }
      }
      begin = end < text.size() && text[end] == '\n' ? end + 1 : end;
    }
  }

 private:
  bool Analyse(std::string_view sentence);

  std::shared_ptr<const SudachiDictionary> dictionary_;
  UzSudachiTokenizer* native_;
  std::vector<UzSudachiMorpheme> morphemes_;
};

}  // namespace uzushio
