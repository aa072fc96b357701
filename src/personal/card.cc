// Numbers of credit cards: issuer's prefix (ISO/IEC 7812, as the networks publish them), length and check digit (Luhn).
#include <array>

#include "personal/candidate.h"

namespace uzushio {
namespace {

constexpr auto kCardLabels = std::to_array<std::string_view>(
    {"カード", "card", "visa", "master", "mastercard", "jcb", "amex", "american express", "diners", "クレジット"});

struct Issuer {
  int first = 0;  // prefixes of four digits, from this one
  int last = 0;   // to this one
  size_t least = 16;
  size_t most = 16;
};
constexpr auto kIssuers = std::to_array<Issuer>({
    {2221, 2720, 16, 16},  // Mastercard
    {3000, 3059, 14, 19},  // Diners Club
    {3095, 3095, 14, 19},  // Diners Club
    {3400, 3499, 15, 15},  // American Express
    {3528, 3589, 16, 19},  // JCB
    {3600, 3699, 14, 19},  // Diners Club
    {3700, 3799, 15, 15},  // American Express
    {3800, 3999, 16, 19},  // Diners Club
    {4000, 4999, 16, 19},  // Visa
    {5100, 5599, 16, 16},  // Mastercard
    {6011, 6011, 16, 19},  // Discover
    {6200, 6299, 16, 19},  // UnionPay
    {6440, 6599, 16, 19},  // Discover
});

bool HasIssuer(std::string_view digits) {
  int prefix = 0;
  for (const char c : digits.substr(0, 4)) prefix = prefix * 10 + (c - '0');
  for (const Issuer& issuer : kIssuers) {
    if (prefix < issuer.first || prefix > issuer.last) continue;
    if (digits.size() >= issuer.least && digits.size() <= issuer.most) return true;
  }
  return false;
}

bool PassesLuhn(std::string_view digits) {
  int sum = 0;
  bool is_doubled = false;
  for (size_t i = digits.size(); i-- > 0; is_doubled = !is_doubled) {
    const int digit = digits[i] - '0';
    sum += !is_doubled ? digit : digit > 4 ? 2 * digit - 9 : 2 * digit;
  }
  return sum % 10 == 0;
}

// How many groups a card's digits are, as cards are written; 0 where they are not.
size_t CardGroups(const DigitGroups& groups) {
  if (groups.count == 0) return 0;
  const size_t first = groups.groups[0].size;
  if (first >= 14 && first <= 19) return 1;
  if (first != 4) return 0;
  const size_t of = groups.HaveSizes({4, 4, 4, 4})                               ? 4
                    : groups.HaveSizes({4, 6, 5}) || groups.HaveSizes({4, 6, 4}) ? 3
                                                                                 : 0;
  return of > 0 && (groups.AreJoinedBy('-', of) || groups.AreJoinedBy(' ', of)) ? of : 0;
}

// Whether the group behind those of a card makes it another number. A month and year, or a code, does not.
bool IsLonger(const DigitGroups& groups, size_t of, bool is_labelled) {
  if (groups.count <= of) return false;
  const DigitGroups::Group& next = groups.groups[of];
  return next.separator == '-' || (next.size == 4 && !is_labelled);
}

}  // namespace

Found FindCard(const Candidate& candidate) {
  const Phrase& phrase = candidate.phrase();
  const size_t first = phrase.DigitsAt(0);
  if ((first != 4 && first < 14) || first > 19 || phrase[0] < '2' || phrase[0] > '6') return std::nullopt;
  const DigitGroups& groups = candidate.groups();
  const size_t of = CardGroups(groups);
  if (of == 0 || !IsWholeAt(phrase, groups.EndOf(of - 1)) || !candidate.BeginsNumber()) return std::nullopt;
  const bool is_labelled = candidate.behind().Contains(kCardLabels);
  if (of > 1 && IsLonger(groups, of, is_labelled)) return std::nullopt;
  std::array<char, 32> buffer;
  const std::string_view digits = groups.Digits(phrase, of, &buffer);
  if (!HasIssuer(digits) || !PassesLuhn(digits)) return std::nullopt;
  constexpr size_t kUsual = 16;
  if (!is_labelled && (digits.size() > kUsual || candidate.IsProduct())) return std::nullopt;
  return candidate.Span(PersonalKind::kCard, groups.EndOf(of - 1));
}

}  // namespace uzushio
