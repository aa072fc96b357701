#include "html/main_content/words.h"

#include <algorithm>

#include "html/main_content/ascii_classes.h"
#include "html/main_content/characters.h"
#include "html/main_content/hash.h"

namespace uzushio {
namespace {

enum class Script : uint8_t { kNone, kLetter, kHiragana, kKatakana, kChinese, kHangul };

// Of a character that is not ASCII.
[[gnu::always_inline]] inline Script ScriptOf(char32_t c) {
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
  const auto go_on = [&](Script next) {
    if (next != script) end_word();
    script = next;
  };
  while (!text.empty()) {
    const char* at = text.data();
    const char* const end = at + text.size();
    if (static_cast<unsigned char>(*at) < 0x80) {
      go_on(IsLower(Small(*at)) ? Script::kLetter : Script::kNone);
      if (script == Script::kNone) {
        text.remove_prefix(1);
        continue;
      }
      for (; at != end && IsLower(Small(*at)); ++at) word = HashByte(word, static_cast<unsigned char>(Small(*at)));
      text = std::string_view(at, end);
      continue;
    }
    go_on(ScriptOf(TakeCharacter(&text)));
    if (script == Script::kNone) continue;
    for (; at != text.data(); ++at) word = HashByte(word, static_cast<unsigned char>(*at));
  }
  end_word();
  if (words > 2) visitor->Token(whole);
}

}  // namespace

void VisitWords(std::string_view text, TokenVisitor* visitor) { VisitEach(text, visitor); }

void WordLookup::Collect(std::string_view text, const TokenScores& scores) {
  struct Asking {
    const TokenScores& scores;
    uint32_t* at;
    void Token(uint32_t hash) {
      scores.PrefetchMayKnow(hash);
      *at++ = hash;
    }
  };
  Asking asking{scores, hashes_.data()};
  VisitEach(text, &asking);
  count_ = static_cast<size_t>(asking.at - hashes_.data());
}

void WordLookup::Sift(const TokenScores& scores) {
  size_t kept = 0;
  for (size_t i = 0; i < count_; ++i) {
    const uint32_t hash = hashes_[i];
    hashes_[kept] = hash;
    kept += scores.MayKnow(hash) ? 1 : 0;  // without a branch, which would be taken at random
  }
  count_ = kept;
  for (size_t i = 0; i < count_; ++i) scores.Prefetch(hashes_[i]);
}

WordScores WordLookup::Sum(const TokenScores& scores) const {
  WordScores sums;
  for (size_t i = 0; i < count_; ++i) {
    const int32_t* score = scores.Find(hashes_[i]);
    if (score == nullptr) continue;
    sums.least = std::min(sums.least, *score);
    sums.most = std::max(sums.most, *score);
    sums.sum += *score;
  }
  return sums;
}

}  // namespace uzushio
