#include "lm/fasttext_words.h"

#include <algorithm>

#include "base/utf8.h"
#include "lm/normal_form.h"

namespace uzushio {
namespace {

constexpr std::string_view kSudachi = "sudachi-";

void SeparateCharacters(std::string_view text, std::string* line) {
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const size_t length = std::min(Utf8Length(rest[0]), rest.size());
    at += length;
    if (SeparatesFastTextWords(rest[0]) || WideSpacePrefix(rest) > 0) continue;
    if (!line->empty()) line->push_back(' ');
    line->append(rest.substr(0, length));
  }
}

}  // namespace

arrow::Status CheckSudachi(const FastTextForm& form, const char* sudachi, const char* tokens) {
  if (form.sudachi.empty() || form.tokens.starts_with(kSudachi)) return arrow::Status::OK();
  return arrow::Status::Invalid(sudachi, ": needs ", tokens, " sudachi-A, sudachi-B or sudachi-C");
}

arrow::Result<FastTextWords> FastTextWords::Open(const FastTextForm& form) {
  FastTextWords words;
  words.form_ = form;
  if (form.tokens == "characters") {
    words.cut_ = Cut::kCharacters;
  } else if (form.tokens.starts_with(kSudachi)) {
    words.cut_ = Cut::kSudachi;
    const char mode = form.tokens.back();
    words.mode_ = mode == 'A' ? SplitMode::kA : mode == 'B' ? SplitMode::kB : SplitMode::kC;
    ARROW_ASSIGN_OR_RAISE(const std::string path, SudachiDictionary::Find(form.sudachi));
    ARROW_ASSIGN_OR_RAISE(words.dictionary_, SudachiDictionary::Open(path));
    ARROW_ASSIGN_OR_RAISE(words.contents_, SudachiDictionary::Checksum(path));
  }
  return words;
}

std::string_view FastTextWords::LineOf(std::string_view text, FastTextBuffers* buffers, Tokenizers* tokenizers) const {
  text = FirstCharacters(text, form_.max_characters);
  if (form_.normalize == "nfkc") {
    NormalizeNfkc(text, &buffers->normal);
    text = buffers->normal;
  }
  if (form_.lowercase) {
    LowerCase(text, &buffers->lower);
    text = buffers->lower;
  }
  if (cut_ == Cut::kSpaces) return text;
  std::string& line = buffers->line;
  line.clear();
  if (cut_ == Cut::kCharacters) {
    SeparateCharacters(text, &line);
  } else {
    tokenizers->Of(dictionary_, mode_).ForEachToken(text, [&line](std::string_view token) {
      if (!line.empty()) line.push_back(' ');
      line.append(token);
    });
  }
  return line;
}

}  // namespace uzushio
