// Word lists.
#pragma once

#include <arrow/result.h>

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "filters/native_config.h"

namespace uzushio {

// Bytes of a text.
struct TextSpan {
  size_t begin = 0;
  size_t end = 0;
};

// How names of lists of the Python package `hojichar` begin.
inline constexpr std::string_view kHojiChar = "hojichar/";

class WordList {
 public:
  // A file, or `hojichar/FILE`: a list of the installed Python package `hojichar`. One word a line, UTF-8; lines that
  // begin with `#` are comments. The error says how to get what is missing. Lists are loaded once.
  static arrow::Result<std::shared_ptr<const WordList>> Load(const std::string& name);
  // The words of several lists, each as Load takes it.
  static arrow::Result<std::shared_ptr<const WordList>> LoadAll(const std::vector<std::string>& names);
  // The words of a list.
  static arrow::Result<std::set<std::string>> Read(const std::string& name);
  // These words, of which there is at least one. `name` is for the error.
  static arrow::Result<std::shared_ptr<const WordList>> Of(const std::set<std::string>& words, const std::string& name);
  ~WordList();
  WordList(const WordList&) = delete;
  WordList& operator=(const WordList&) = delete;

  // Replaces `found` by the numbers of the words in the text: the longest at each place from the left, the next search
  // after it. The text is valid UTF-8.
  void Find(std::string_view text, std::vector<uint32_t>* found) const;
  // Whether any word does occur.
  bool Occurs(std::string_view text) const;
  // Where they do, as Find takes them.
  void FindSpans(std::string_view text, std::vector<TextSpan>* found) const;
  // The XXH64 of the words, in hex: equal lists, equal sums.
  const std::string& Contents() const { return contents_; }
  // The code points of a word.
  int64_t Letters(uint32_t word) const { return letters_[word]; }

 private:
  std::optional<TextSpan> First(std::string_view text) const;
  WordList(UzWords* words, std::vector<int64_t> letters) : words_(words), letters_(std::move(letters)) {}
  bool MayOccur(std::string_view text) const;
  UzWords* words_;
  std::vector<int64_t> letters_;  // of each word
  std::string contents_;
  // How words begin, by hashes: with these two letters, or with the letter that is all of one.
  std::bitset<size_t{1} << 16> pairs_;
  std::bitset<size_t{1} << 16> singles_;
};

}  // namespace uzushio
