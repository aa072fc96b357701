// Telephone numbers. A Japanese one of a fixed line has ten digits, of which area code and exchange have six: how long
// the area code is follows from its digits (telephone_areas.inc), so that 03-1234-5678 is one and 0312-34-5678 is none.
// Others are known by their prefixes (numbering plan of the Ministry of Internal Affairs and Communications: 0120 and
// 0800 free, 0570, 070, 080, 090 mobile, 050 over IP). International ones begin with `+` and a country code (ITU-T
// E.164). Where a label such as 電話 precedes, any two groups or more are one.
#include <algorithm>
#include <array>

#include "personal/candidate.h"

namespace uzushio {
namespace {

constexpr auto kTelephoneLabels = std::to_array<std::string_view>(
    {"電話",      "tel",    "telephone",  "phone",          "fax",      "ファックス", "ファクス", "ファクシミリ",
     "携帯",      "連絡先", "問い合わせ", "問い合わせ先",   "問合せ",   "問合せ先",   "☎",        "☏",
     "📞",        "📠",     "℡",          "フリーダイヤル", "ダイヤル", "ダイアル",   "mobile",   "自宅",
     "緊急連絡先"});
// Of these alone, a number without an area code is one.
constexpr auto kStrongLabels = std::to_array<std::string_view>(
    {"電話", "tel", "telephone", "phone", "fax", "ファックス", "ファクス", "ファクシミリ", "☎", "☏", "📞", "📠", "℡"});

struct TelephoneArea {
  int last = 0;     // the four digits behind the leading 0
  int lengths = 0;  // a bit for each, the 0 among them
};
constexpr auto kTelephoneAreas = std::to_array<TelephoneArea>({
#define AREA(LAST, LENGTHS) {LAST, LENGTHS},
#include "personal/telephone_areas.inc"
#undef AREA
});

int AreaLengths(std::string_view digits) {
  int prefix = 0;
  for (const char c : digits.substr(1, 4)) prefix = prefix * 10 + (c - '0');
  return std::ranges::lower_bound(kTelephoneAreas, prefix, {}, &TelephoneArea::last)->lengths;
}

constexpr size_t kGeographicDigits = 10;
constexpr size_t kMobileDigits = 11;
constexpr size_t kSubscriberDigits = 4;
constexpr size_t kMostTelephoneGroups = 5;

// How a number of these digits is to be divided.
struct TelephonePlan {
  bool is_number = false;
  bool is_fixed = false;  // with an area code
  int prefixes = 0;       // lengths that the first group may have, as bits
};

TelephonePlan PlanOf(std::string_view digits) {
  if (digits.size() < kGeographicDigits || digits[0] != '0') return {};
  const bool is_free = digits.starts_with("0120") || digits.starts_with("0570") || digits.starts_with("0990");
  if (is_free && digits.size() == kGeographicDigits) return {true, false, 1 << 4};
  if (digits.size() == kMobileDigits) {
    if (digits.starts_with("0800")) return {true, false, 1 << 4};
    const bool is_mobile = digits[2] == '0' && (digits[1] == '5' || (digits[1] >= '7' && digits[1] <= '9'));
    return {is_mobile && digits[3] != '0', false, 1 << 3 | 1 << 7};
  }
  if (digits.size() != kGeographicDigits) return {};
  const int lengths = AreaLengths(digits);
  return {lengths != 0, true, lengths};
}

// How sure it has to be.
struct TelephoneContext {
  bool is_labelled = false;
  bool has_bracket = false;  // before its first group
};

bool IsDomestic(const Phrase& phrase, const DigitGroups& groups, size_t of, const TelephoneContext& context) {
  std::array<char, 32> buffer;
  const std::string_view digits = groups.Digits(phrase, of, &buffer);
  const TelephonePlan plan = PlanOf(digits);
  if (!plan.is_number) return false;
  if (of == 1) return context.is_labelled || !plan.is_fixed;
  const bool is_prefix = (plan.prefixes >> groups.groups[0].size & 1) != 0;
  const size_t last = groups.groups[of - 1].size;
  if (context.is_labelled) return of <= 4;
  if (!is_prefix) return false;
  if (!plan.is_fixed) return of <= 3 && (of == 2 || last >= 3 || groups.groups[0].size == 4);
  // Bare groups of digits may be of a table.
  if (groups.AreJoinedBy(' ', of) && groups.groups[0].size > 3) return false;
  if (of == 2) return groups.groups[1].separator != ' ';
  return of == 3 && last == kSubscriberDigits;
}

// Country codes (ITU-T E.164), by their first digits: of one digit, and of two; others have three.
bool IsCountry(std::string_view digits) {
  constexpr std::string_view kOfTwo =
      " 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 "
      "90 "
      "91 92 93 94 95 98 ";
  if (digits[0] == '0') return false;
  if (digits[0] == '1' || digits[0] == '7') return true;
  if (kOfTwo.find(digits.substr(0, 2)) != std::string_view::npos) return true;
  constexpr std::string_view kOfThree = "21 22 23 24 25 26 29 35 37 38 42 50 59 67 68 69 85 87 88 96 97 99";
  return kOfThree.find(digits.substr(0, 2)) != std::string_view::npos;
}

bool IsInternational(const Phrase& phrase, const DigitGroups& groups, size_t of, bool is_labelled) {
  constexpr size_t kLeast = 9;
  constexpr size_t kMost = 15;
  std::array<char, 32> buffer;
  const std::string_view digits = groups.Digits(phrase, of, &buffer);
  if (digits.size() < kLeast || digits.size() > kMost || !IsCountry(digits)) return false;
  if (digits.starts_with("81")) {
    std::array<char, 32> national;
    const std::string_view rest = digits.substr(digits.size() > 2 && digits[2] == '0' ? 3 : 2);
    national[0] = '0';
    rest.copy(national.data() + 1, rest.size());
    return PlanOf({national.data(), rest.size() + 1}).is_number;
  }
  constexpr size_t kLeastTogether = 11;
  if (of == 1) return is_labelled || digits.size() >= kLeastTogether;
  return groups.groups[0].size <= 4 && groups.groups[of - 1].size >= 2;
}

// A number without an area code, or one of another country, behind a label.
bool IsLocal(const Phrase& phrase, const DigitGroups& groups, size_t of) {
  std::array<char, 32> buffer;
  const size_t digits = groups.Digits(phrase, of, &buffer).size();
  if (of == 2) {
    return groups.groups[1].size == kSubscriberDigits && groups.groups[0].size >= 2 && groups.groups[0].size <= 4 &&
           groups.groups[1].separator == '-';
  }
  if (of < 3 || digits < 9 || digits > 13 || groups.AreJoinedBy(' ', of)) return false;
  const size_t last = groups.groups[of - 1].size;
  return last >= 3 && last <= 4;
}

}  // namespace

Found FindTelephone(const Candidate& candidate) {
  const Phrase& phrase = candidate.phrase();
  constexpr size_t kLeastDigits = 6;  // with their separators
  if (phrase.size() < kLeastDigits) return std::nullopt;
  const bool is_international = candidate.before() == '+';
  const bool is_zero = phrase[0] == '0';
  const DigitGroups& groups = candidate.groups();
  if (groups.count == 0 || (groups.count == 1 && groups.groups[0].size < 9)) return std::nullopt;
  if (!is_zero && !is_international && groups.groups[0].size > 4) return std::nullopt;
  const bool begins = is_international
                          ? !IsAsciiDigit(candidate.before_that()) && !IsAsciiLetter(candidate.before_that())
                          : candidate.BeginsNumber();
  // What cannot be one even behind a label is most of what comes here.
  const bool is_possible = [&] {
    for (size_t of = std::min(groups.count, kMostTelephoneGroups); of > 0; --of) {
      if (is_international
              ? IsInternational(phrase, groups, of, true)
              : (is_zero && IsDomestic(phrase, groups, of, {true, false})) || IsLocal(phrase, groups, of)) {
        return true;
      }
    }
    return false;
  }();
  if (!is_possible) return std::nullopt;
  const bool is_labelled = candidate.behind().EndsWith(kTelephoneLabels);
  if (!begins && !is_labelled) return std::nullopt;
  const bool is_strong = is_labelled && candidate.behind().EndsWith(kStrongLabels);
  if (!is_zero && !is_international && !is_strong) return std::nullopt;
  if (!is_labelled && candidate.IsProduct()) return std::nullopt;
  size_t begin = candidate.at() - (is_international ? candidate.before_bytes() : 0);
  const PlainCharacter before = PlainBefore(candidate.text(), begin);
  const bool in_brackets =
      before.sign == '(' && groups.count > 1 && groups.groups[1].separator == '(' && phrase[groups.EndOf(0)] == ')';
  for (size_t of = std::min(groups.count, kMostTelephoneGroups); of > 0; --of) {
    const size_t end = groups.EndOf(of - 1);
    if (!IsWholeAt(phrase, end)) continue;
    const bool found = is_international ? IsInternational(phrase, groups, of, is_labelled)
                                        : (is_zero && IsDomestic(phrase, groups, of, {is_labelled, in_brackets})) ||
                                              (is_strong && IsLocal(phrase, groups, of));
    if (!found) continue;
    if (in_brackets && of > 1) begin -= before.bytes;
    return PersonalSpan{begin, phrase.ByteAt(end), PersonalKind::kTelephone};
  }
  return std::nullopt;
}

}  // namespace uzushio
