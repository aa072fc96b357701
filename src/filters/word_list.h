// Word lists.
#pragma once

#include <arrow/result.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "filters/native.h"

namespace uzushio {

class WordList {
 public:
  // A file, or `hojichar/FILE`: a list of the installed Python package `hojichar`. One word a line, UTF-8; lines that
  // begin with `#` are comments. The error says how to get what is missing. Lists are loaded once.
  static arrow::Result<std::shared_ptr<const WordList>> Load(const std::string& name);
  ~WordList();
  WordList(const WordList&) = delete;
  WordList& operator=(const WordList&) = delete;

  // Replaces `found` by the numbers of the words in the text: the longest at each place from the left, the next search
  // after it. The text is valid UTF-8.
  void Find(std::string_view text, std::vector<uint32_t>* found) const;

 private:
  explicit WordList(UzWords* words) : words_(words) {}
  UzWords* words_;
};

}  // namespace uzushio
