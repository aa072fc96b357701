// Sudachi, and how text is cut for it.
#pragma once

#include <arrow/result.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "document/sentences.h"
#include "lm/native_tokens.h"

namespace uzushio {

// A Sudachi dictionary, mapped into memory and shared by threads.
class SudachiDictionary {
 public:
  // The file that a name means: itself, or, if it is empty, the dictionary of sudachidict_core, _full or _small, the
  // first of them that is installed in Python's packages.
  static arrow::Result<std::string> Find(const std::string& name);
  // Errors: there is no file.
  static arrow::Status CheckIsThere(const std::string& path);
  // The XXH64 of a dictionary's bytes, in hex.
  static arrow::Result<std::string> Checksum(const std::string& path);
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
      const size_t end = TokenizerPartEnd(text, begin);
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

  // Calls `use` with the bytes at which tokens of the text begin or end, from 0 on: of the whole text, or, where it is
  // more than Sudachi takes, of one part after the other (document/sentences.h). What can not be analysed is one token.
  template <typename Use>
  void ForEachBorder(std::string_view text, Use use) {
    use(size_t{0});
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = text.size() <= kMaxTokenizerBytes ? text.size() : TokenizerPartEnd(text, begin);
      Analyse(text.substr(begin, end - begin));
      size_t last = begin;
      for (const UzSudachiMorpheme& morpheme : morphemes_) {
        const size_t border = begin + morpheme.end;
        if (border > last) use(border);
        last = border;
      }
      if (last < end) use(end);
      begin = end;
    }
  }

  // Calls `use` with each surface of the text, line by line, spaces among them, as the original's MinHash takes them. A
  // line that can not be analysed is one token. The text is valid UTF-8.
  template <typename Use>
  void ForEachSurface(std::string_view text, Use use) {
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = TokenizerLineEnd(text, begin);
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

// The tokenizers of one thread, one for each dictionary and mode.
class Tokenizers {
 public:
  Tokenizer& Of(const std::shared_ptr<const SudachiDictionary>& dictionary, SplitMode mode = SplitMode::kC);

 private:
  struct One {
    std::shared_ptr<const SudachiDictionary> dictionary;
    SplitMode mode;
    std::unique_ptr<Tokenizer> tokenizer;
  };
  std::vector<One> all_;  // few
};

}  // namespace uzushio
