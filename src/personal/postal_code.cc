// Postal codes: seven digits behind 〒, or before the address that they are of.
#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "personal/candidate.h"

namespace uzushio {
namespace {

constexpr auto kPostalMarks = std::to_array<std::string_view>(
    {"〒", "〶", "郵便番号", "postal code", "zip code", "zip", "postcode", "郵便コード"});

constexpr auto kPrefectures = std::to_array<std::string_view>(
    {"北海道", "青森県", "岩手県", "宮城県",   "秋田県", "山形県",   "福島県", "茨城県", "栃木県", "群馬県",
     "埼玉県", "千葉県", "東京都", "神奈川県", "新潟県", "富山県",   "石川県", "福井県", "山梨県", "長野県",
     "岐阜県", "静岡県", "愛知県", "三重県",   "滋賀県", "京都府",   "大阪府", "兵庫県", "奈良県", "和歌山県",
     "鳥取県", "島根県", "岡山県", "広島県",   "山口県", "徳島県",   "香川県", "愛媛県", "高知県", "福岡県",
     "佐賀県", "長崎県", "熊本県", "大分県",   "宮崎県", "鹿児島県", "沖縄県"});

// Whether an address begins at `at`: a prefecture, or a name of kanji that ends as one of a municipality, with more
// behind it.
bool BeginsAddress(std::string_view text, size_t at) {
  constexpr size_t kMostBetween = 3;  // spaces or a line break
  for (size_t i = 0; i < kMostBetween && at < text.size(); ++i) {
    const PlainCharacter next = PlainAt(text, at);
    if (next.sign != ' ' && next.sign != ')' && next.sign != ',' && text[at] != '\n' && text[at] != '\t') break;
    at += next.bytes;
  }
  const std::string_view rest = text.substr(at);
  if (std::ranges::any_of(kPrefectures, [rest](std::string_view name) { return rest.starts_with(name); })) return true;
  constexpr size_t kMostLetters = 6;
  constexpr size_t kKanji = 3;  // bytes
  constexpr auto kEnds = std::to_array<std::string_view>({"市", "区", "郡", "町", "村"});
  for (size_t i = 0; i < kMostLetters && (i + 1) * kKanji < rest.size(); ++i) {
    const std::string_view letter = rest.substr(i * kKanji, kKanji);
    const auto first = static_cast<unsigned char>(letter[0]);
    const bool is_kanji = (first >= 0xE4 && first <= 0xE9) || letter.starts_with("\xE3\x82") ||
                          letter.starts_with("\xE3\x83") || letter == "々";
    if (!is_kanji) return false;
    if (i > 0 && std::ranges::find(kEnds, letter) != kEnds.end()) return true;
  }
  return false;
}

bool IsBehindPostalMark(std::string_view text, size_t at) {
  const PlainCharacter space = PlainBefore(text, at);
  return text.substr(0, space.sign == ' ' ? at - space.bytes : at).ends_with("〒");
}

}  // namespace

Found FindPostalCode(const Candidate& candidate) {
  const Phrase& phrase = candidate.phrase();
  const size_t first = phrase.DigitsAt(0);
  if (first != 3 && first != 7) return std::nullopt;
  const auto is_marked = [&candidate] { return candidate.behind().EndsWith(kPostalMarks); };
  if (first == 7) {
    if (!IsWholeAt(phrase, first) || !is_marked()) return std::nullopt;
    return candidate.Span(PersonalKind::kPostalCode, first);
  }
  constexpr size_t kHyphen = 1;
  size_t second = first;
  for (size_t spaces = 0; phrase[second] == ' ' && spaces < 1; ++spaces) ++second;
  const bool has_hyphen = phrase[second] == '-';
  second += has_hyphen ? kHyphen : 0;
  if (has_hyphen && phrase[second] == ' ') ++second;
  const size_t more = phrase.DigitsAt(second);
  // Until 1998, three digits or five.
  if (more == 0 || more == 2) {
    if (!IsBehindPostalMark(candidate.text(), candidate.at())) return std::nullopt;
    const size_t end = more == 0 ? first : second + more;
    const bool is_whole = (more == 0 || has_hyphen) && IsWholeAt(phrase, end);
    return is_whole ? Found(candidate.Span(PersonalKind::kPostalCode, end)) : std::nullopt;
  }
  if (more != 4 || !IsWholeAt(phrase, second + more)) return std::nullopt;
  if (is_marked()) return candidate.Span(PersonalKind::kPostalCode, second + more);
  if (!has_hyphen || !candidate.BeginsNumber()) return std::nullopt;
  if (!BeginsAddress(candidate.text(), phrase.ByteAt(second + more))) return std::nullopt;
  return candidate.Span(PersonalKind::kPostalCode, second + more);
}

}  // namespace uzushio
