// Texts without what differs between copies of a text: a byte for each character that counts.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace uzushio {

// The least code of characters other than hiragana, digits and the letters a to z.
inline constexpr unsigned char kOtherCode = 124;

// What is taken for the same.
struct FoldingOptions {
  bool width = true;        // compatibility forms (Unicode's NFKD), and letters with and without accents
  bool upper_case = true;   // and lower case
  bool kana = true;         // katakana and hiragana
  bool spaces = true;       // with and without white space
  bool punctuation = true;  // with and without punctuation and symbols
};

// The codes of characters. Hiragana, digits and the letters a to z have codes of their own; all others share 132 codes
// by a hash, so that a run of ten codes tells texts apart nearly as well as ten characters do, in a third of the bytes.
// Not thread-safe while it is made; then it does not change.
class Folding {
 public:
  explicit Folding(const FoldingOptions& options);

  // Appends the codes of a text, none of which is 0. `text` is valid UTF-8. With `places`, also appends for each code
  // where its character begins in the text, plus `offset`. Takes time in proportion to the text.
  void Append(std::string_view text, std::string* codes, std::vector<uint32_t>* places = nullptr,
              uint32_t offset = 0) const;
  const FoldingOptions& options() const { return options_; }

 private:
  static constexpr char32_t kTablePoints = 0x20000;
  // What a point of the table becomes: nothing, a code, a mark of voice, or, from kSeveral on, a text of several codes.
  static constexpr uint16_t kVoiced = 256;
  static constexpr uint16_t kSemiVoiced = 257;
  static constexpr uint16_t kSeveral = 258;

  std::u32string FoldPoint(char32_t point) const;
  std::string CodesOf(char32_t point) const;
  // Codes as they are appended, and what a mark of voice that follows has to know.
  struct Output {
    char* codes = nullptr;
    size_t size = 0;
    size_t before = 0;  // where the character before begins in the text,
    size_t first = 0;   // and its codes
  };
  size_t TakeRuns(std::string_view text, size_t at, Output* output) const;
  std::string VoicedCodes(std::string_view text, char32_t mark) const;

  FoldingOptions options_;
  std::vector<uint16_t> table_;
  std::vector<std::string> several_;
};

}  // namespace uzushio
