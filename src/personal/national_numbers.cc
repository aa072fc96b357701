// Numbers with check digits that Japan gives: My Number to persons (twelve digits; order of the Ministry of Internal
// Affairs and Communications 85 of 2014, article 5) and corporate numbers (thirteen; order of the Ministry of Finance
// 70 of 2014, article 2).
#include <array>

#include "personal/candidate.h"

namespace uzushio {
namespace {

constexpr size_t kMyNumberDigits = 12;
constexpr size_t kCorporateDigits = 13;

constexpr auto kMyNumberLabels = std::to_array<std::string_view>(
    {"マイナンバー", "個人番号", "my number", "mynumber", "マイナンバ", "individual number"});
constexpr auto kCorporateLabels = std::to_array<std::string_view>(
    {"法人番号", "登録番号", "インボイス", "適格請求書", "corporate number", "事業者番号"});

// Eleven digits, each times a weight: from the last on 2 to 7, then 2 to 6.
bool IsMyNumber(std::string_view digits) {
  int sum = 0;
  for (int n = 1; n <= 11; ++n) {
    sum += (digits[static_cast<size_t>(11 - n)] - '0') * (n <= 6 ? n + 1 : n - 5);
  }
  const int rest = sum % 11;
  return digits[11] - '0' == (rest <= 1 ? 0 : 11 - rest);
}

// Twelve digits, from the last on times 1 and 2 in turn; the check digit stands first.
bool IsCorporateNumber(std::string_view digits) {
  int sum = 0;
  for (int n = 1; n <= 12; ++n) sum += (digits[static_cast<size_t>(13 - n)] - '0') * (n % 2 == 1 ? 1 : 2);
  return digits[0] - '0' == 9 - sum % 9;
}

}  // namespace

Found FindMyNumber(const Candidate& candidate) {
  const Phrase& phrase = candidate.phrase();
  const size_t first = phrase.DigitsAt(0);
  if ((first != kMyNumberDigits && first != 4) || !candidate.BeginsNumber()) return std::nullopt;
  const DigitGroups& groups = candidate.groups();
  const size_t of = first == 4 ? 3 : 1;
  if (groups.count < of || (of == 3 && !groups.HaveSizes({4, 4, 4}))) return std::nullopt;
  if (!IsWholeAt(phrase, groups.EndOf(of - 1))) return std::nullopt;
  std::array<char, 32> buffer;
  if (!IsMyNumber(groups.Digits(phrase, of, &buffer))) return std::nullopt;
  const bool is_labelled = candidate.behind().Contains(kMyNumberLabels);
  const bool is_sure = of == 3 && groups.AreJoinedBy('-', of) && !candidate.IsProduct();
  if (!is_labelled && !is_sure) return std::nullopt;
  return candidate.Span(PersonalKind::kMyNumber, groups.EndOf(of - 1));
}

Found FindCorporateNumber(const Candidate& candidate) {
  const Phrase& phrase = candidate.phrase();
  const size_t first = phrase.DigitsAt(0);
  if (first != kCorporateDigits && first != 1) return std::nullopt;
  const DigitGroups& groups = candidate.groups();
  const size_t of = first == 1 ? 4 : 1;
  if (groups.count < of || (of == 4 && !groups.HaveSizes({1, 4, 4, 4}))) return std::nullopt;
  if (!IsWholeAt(phrase, groups.EndOf(of - 1))) return std::nullopt;
  std::array<char, 32> buffer;
  if (!IsCorporateNumber(groups.Digits(phrase, of, &buffer))) return std::nullopt;
  // An issuer of qualified invoices is T and its number.
  const bool is_issuer = candidate.before() == 'T' && !IsAsciiLetter(candidate.before_that()) &&
                         !IsAsciiDigit(candidate.before_that()) && candidate.before_that() != '_';
  if (!is_issuer && (!candidate.BeginsNumber() || !candidate.behind().Contains(kCorporateLabels))) return std::nullopt;
  return candidate.Span(PersonalKind::kCorporateNumber, groups.EndOf(of - 1));
}

}  // namespace uzushio
