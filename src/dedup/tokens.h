// Documents as sequences of tokens, which are what they are compared by.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace uzushio {

// How the bytes of a document are its tokens.
enum class TokenForm : uint8_t {
  kCharacters,  // UTF-8: code points; bytes that are no UTF-8 are U+FFFD each
  kHashes,      // 8 bytes each, little-endian: what was cut by others, by its hash
};

// Appends a token to a document of kHashes.
void AppendToken(uint64_t hash, std::string* document);

// Decodes documents piece by piece.
class TokenReader {
 public:
  explicit TokenReader(TokenForm form) : form_(form) {}
  // The first tokens of `document`, some thousand, whose bytes are removed from it. Valid until the next call.
  std::span<const uint64_t> Take(std::string_view* document);
  // No document of so many bytes has more tokens.
  size_t MostTokens(size_t bytes) const { return form_ == TokenForm::kHashes ? bytes / sizeof(uint64_t) : bytes; }

 private:
  TokenForm form_;
  std::u32string points_;
  std::vector<uint64_t> tokens_;
};

}  // namespace uzushio
