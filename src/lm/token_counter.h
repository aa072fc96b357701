// The tokens of a text for a language model, and how many there are: tokenizers of Hugging Face.
#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lm/native_tokens.h"

namespace uzushio {

// Bytes of text that are cut into tokens at once, and what a thread needs for them.
inline constexpr size_t kMaxCountedBytes = size_t{64} << 10;
inline constexpr int64_t kCountingMemory = int64_t{32} << 20;

// The bytes of the part of a text that is cut at once: all of a text that is not longer than kMaxCountedBytes; else to
// behind the last line break of its second half, or to kMaxCountedBytes, where there is none, whole characters.
size_t CountedPart(std::string_view text);

// What the tokens of a tokenizer are.
struct TokenVocabulary {
  uint64_t size = 0;                // the largest id, and one
  std::optional<uint32_t> unknown;  // the token for what is unknown
  uint64_t median_length = 1;       // of tokens, in code points, rounded down
};

// A tokenizer.json, shared by threads.
class TokenCounter {
 public:
  // Errors: there is no such file, or it is no tokenizer, or larger than 128 MiB. Files are opened once.
  static arrow::Result<std::shared_ptr<const TokenCounter>> Open(const std::string& path);
  ~TokenCounter();
  TokenCounter(const TokenCounter&) = delete;
  TokenCounter& operator=(const TokenCounter&) = delete;

  // The tokens of a text, which is valid UTF-8, part by part (CountedPart). As `len(encode(text,
  // add_special_tokens=False))` has them, where the text is one part: without tokens that are put around texts, not cut
  // short or filled up, and without dropout. Errors: the tokenizer has no token for something, not even an unknown one.
  arrow::Result<int64_t> Count(std::string_view text) const;
  // Sets `ids` to those of a part of a text, as CountedPart gives it.
  arrow::Status Ids(std::string_view part, std::vector<uint32_t>* ids) const;
  TokenVocabulary Vocabulary() const;
  // The XXH64 of the file's bytes, in hex.
  const std::string& contents() const { return contents_; }
  // What native/ has of it.
  const UzTokenCounter* native() const { return native_; }
  // Bytes of memory that it takes.
  int64_t memory() const { return memory_; }

 private:
  TokenCounter(UzTokenCounter* native, std::string path, std::string contents, int64_t memory)
      : native_(native), path_(std::move(path)), contents_(std::move(contents)), memory_(memory) {}
  static arrow::Result<std::shared_ptr<const TokenCounter>> Read(const std::string& path);
  UzTokenCounter* native_;
  std::string path_;
  std::string contents_;
  int64_t memory_;
};

}  // namespace uzushio
