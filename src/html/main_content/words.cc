#include "html/main_content/words.h"

#include <algorithm>
#include <array>
#include <span>

#include "html/main_content/ascii_classes.h"
#include "html/main_content/characters.h"
#include "html/main_content/hash.h"

namespace uzushio {
namespace {

enum class Script : uint8_t { kNone, kLetter, kHiragana, kKatakana, kChinese, kHangul };

Script ScriptOf(char32_t c) {
  if (c < 0x80) return IsLower(static_cast<char>(c)) || IsUpper(static_cast<char>(c)) ? Script::kLetter : Script::kNone;
  if (c < 0xC0 || (c >= 0x2000 && c < 0x3000)) return Script::kNone;
  if (c < 0x2000) return Script::kLetter;
  if (c >= 0x3041 && c < 0x3097) return Script::kHiragana;
  if (c >= 0x30A1 && c < 0x3100) return c == U'・' ? Script::kNone : Script::kKatakana;
  if (c == U'々' || (c >= 0x3400 && c < 0xA000) || (c >= 0xF900 && c < 0xFB00)) return Script::kChinese;
  return c >= 0xAC00 && c < 0xD7B0 ? Script::kHangul : Script::kNone;
}

constexpr uint32_t kWordSeed = HashText("word ");
constexpr uint32_t kPairSeed = HashText("pair ");
constexpr uint32_t kTextSeed = HashText("text ");

uint32_t HashNumber(uint32_t hash, uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) hash = HashByte(hash, static_cast<unsigned char>(number >> shift));
  return hash;
}

// Those of a text's tokens that may be known. All places of the table are asked for before the first one is looked at.
class MayBeKnown {
 public:
  explicit MayBeKnown(const TokenScores& scores) : scores_(scores) {}
  void Token(uint32_t hash) {
    hashes_[count_] = hash;
    if (!scores_.MayKnow(hash)) return;
    scores_.Prefetch(hash);
    ++count_;
  }
  WordScores Sum() const {
    WordScores sums;
    for (const uint32_t hash : std::span(hashes_).first(count_)) {
      const int32_t* score = scores_.Find(hash);
      if (score == nullptr) continue;
      sums.least = std::min(sums.least, *score);
      sums.most = std::max(sums.most, *score);
      sums.sum += *score;
    }
    return sums;
  }

 private:
  const TokenScores& scores_;
  size_t count_ = 0;
  std::array<uint32_t, 2 * kMostWordsBytes + 1> hashes_;  // a word has a byte or more, and ends a pair
};

template <typename Visitor>
void VisitEach(std::string_view text, Visitor* visitor) {
  if (text.size() > kMostWordsBytes) return;
  Script script = Script::kNone;
  uint32_t word = kWordSeed;
  uint32_t before = 0;
  uint32_t whole = kTextSeed;
  int words = 0;
  const auto end_word = [&] {
    if (script == Script::kNone) return;
    visitor->Token(word);
    if (words > 0) visitor->Token(HashNumber(HashNumber(kPairSeed, before), word));
    whole = HashNumber(whole, word);
    before = word;
    ++words;
    word = kWordSeed;
  };
  while (!text.empty()) {
    const std::string_view rest = text;
    char32_t c = static_cast<unsigned char>(text.front());
    if (c < 0x80) {
      text.remove_prefix(1);
    } else {
      c = TakeCharacter(&text);
    }
    const Script next = ScriptOf(c);
    if (next != script) end_word();
    script = next;
    if (next == Script::kNone) continue;
    if (c < 0x80) {
      word = HashByte(word, static_cast<unsigned char>(Small(static_cast<char>(c))));
    } else {
      word = HashText(rest.substr(0, rest.size() - text.size()), word);
    }
  }
  end_word();
  if (words > 2) visitor->Token(whole);
}

}  // namespace

void VisitWords(std::string_view text, TokenVisitor* visitor) { VisitEach(text, visitor); }

WordScores ScoreWords(std::string_view text, const TokenScores& scores) {
  MayBeKnown tokens(scores);
  VisitEach(text, &tokens);
  return tokens.Sum();
}

}  // namespace uzushio
