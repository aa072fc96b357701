#include "personal/find.h"

#include <bit>
#include <cstring>

#include "base/count_places.h"
#include "personal/candidate.h"

namespace uzushio {
namespace {

constexpr size_t kScanned = sizeof(SixteenBytes);
constexpr size_t kScannedAhead = 2;

// All bits of the bytes at which a candidate begins: a digit or `@`, of ASCII or full width (EF BC 90 to 99, EF BC A0),
// or what `(at)` (in full width EF BC 88), `--at--` or `_AT_` begins with.
SixteenBytes CandidatesAt(const char* at) {
  const SixteenBytes first = LoadBytes(at);
  const SixteenBytes second = LoadBytes(at + 1);
  const SixteenBytes third = LoadBytes(at + 2);
  const auto is_ascii = ((first - '0') < 10) | (first == '@');
  const auto is_wide = (first == 0xEF) & (second == 0xBC) & (((third - 0x90) < 10) | (third == 0xA0) | (third == 0x88));
  const auto is_word = ((first == '(') | (first == '[')) & ((second | 0x20) == 'a') & ((third | 0x20) == 't');
  const auto is_dashes = (first == '-') & (second == '-') & ((third | 0x20) == 'a');
  const auto is_name = (first == '_') & (second == 'A') & (third == 'T');
  return std::bit_cast<SixteenBytes>(is_ascii | is_wide | is_word | is_dashes | is_name);
}

// The first candidate at or behind `at`; the text's length for none.
size_t NextCandidate(std::string_view text, size_t at) {
  const auto first_of = [](const SixteenBytes& found) -> size_t {
    std::array<uint64_t, 2> halves{};
    std::memcpy(halves.data(), &found, sizeof found);
    if (halves[0] != 0) return static_cast<size_t>(std::countr_zero(halves[0])) / 8;
    if (halves[1] != 0) return 8 + static_cast<size_t>(std::countr_zero(halves[1])) / 8;
    return kScanned;
  };
  for (; at + kScanned + kScannedAhead <= text.size(); at += kScanned) {
    const size_t found = first_of(CandidatesAt(text.data() + at));
    if (found < kScanned) return at + found;
  }
  while (at < text.size()) {
    std::array<char, kScanned + kScannedAhead> rest{};
    const size_t size = text.copy(rest.data(), rest.size(), at);
    const size_t found = first_of(CandidatesAt(rest.data()));
    if (found < kScanned) return std::min(at + found, text.size());
    at += std::min(size, kScanned);
  }
  return text.size();
}

// Behind the digits that begin at `at`.
size_t EndOfDigits(std::string_view text, size_t at) {
  while (at < text.size()) {
    const PlainCharacter next = PlainAt(text, at);
    if (!IsAsciiDigit(next.sign)) break;
    at += next.bytes;
  }
  return at;
}

struct PersonalMatcher {
  PersonalKind kind;
  Found (*find)(const Candidate&);
};

// In the order in which they are asked: those that are sure by themselves before those that hold anything behind a
// word.
constexpr auto kMatchers = std::to_array<PersonalMatcher>({{PersonalKind::kIpAddress, FindIpAddress},
                                                           {PersonalKind::kCoordinates, FindCoordinates},
                                                           {PersonalKind::kCard, FindCard},
                                                           {PersonalKind::kCorporateNumber, FindCorporateNumber},
                                                           {PersonalKind::kMyNumber, FindMyNumber},
                                                           {PersonalKind::kBankAccount, FindBankAccount},
                                                           {PersonalKind::kPostalCode, FindPostalCode},
                                                           {PersonalKind::kTelephone, FindTelephone},
                                                           {PersonalKind::kLicensePlate, FindLicensePlate}});

// What may go on with a number behind a sign.
bool MayGoOn(std::string_view text, size_t at) {
  if (at >= text.size()) return false;
  const auto byte = static_cast<unsigned char>(text[at]);
  return byte >= 0x80 || IsAsciiDigit(text[at]) || text[at] == '-' || text[at] == '(' || text[at] == '.';
}

// Whether a number of up to four digits that ends before `end` stands alone, as most do: counts, years, prices. Looks
// at a byte or two; what is not sure goes on to be looked at.
bool StandsAlone(std::string_view text, size_t at, size_t end) {
  if (end == text.size()) return true;
  const char next = text[end];
  switch (next) {
    case '-':
    case ' ':
    case '(':
    case ')':
    case '.':
    case ',':
    case '/':
      return !MayGoOn(text, end + 1);
    case ':':
      return (text[at] != '2' && text[at] != '3') || end - at != 4;
    case '\xC2':  // ° and the like
    case '\xE2':  // dashes, primes
    case '\xEF':  // full width
      return false;
    case '\xE5':
      return !text.substr(end).starts_with("度");
    case '\xE3': {  // kana of a plate, the mark of long vowels, a space
      const auto second = static_cast<unsigned char>(text[end + 1]);
      return second == 0x83 && !text.substr(end).starts_with("ー");
    }
    default:
      return !IsHexDigit(next) || text[at] < '2' || text[at] > '3';
  }
}

// Likewise, with what is before: a mark of postal codes, behind which three digits may be all there is.
bool IsShortNumber(std::string_view text, size_t at, size_t* end) {
  constexpr size_t kMostDigits = 4;
  size_t i = at;
  while (i < text.size() && IsAsciiDigit(text[i])) ++i;
  *end = i;
  if (i == at || i - at > kMostDigits || !StandsAlone(text, at, i)) return false;
  constexpr char kLastOfPostalMark = '\x92';
  const size_t before = at > 0 && text[at - 1] == ' ' ? at - 1 : at;
  return before == 0 || text[before - 1] != kLastOfPostalMark;
}

}  // namespace

void FindPersonalData(std::string_view text, const PersonalKindSet& kinds, std::vector<PersonalSpan>* spans) {
  size_t floor = 0;  // the end of the last span
  const auto has = [&kinds](PersonalKind kind) { return kinds[static_cast<size_t>(kind)]; };
  for (size_t at = NextCandidate(text, 0); at < text.size();) {
    Found found;
    size_t next = at + 1;
    const PlainCharacter first = PlainAt(text, at);
    if (!IsAsciiDigit(first.sign)) {
      next = at + first.bytes;
      if (has(PersonalKind::kEmail)) found = FindEmail(text, at, floor);
    } else if (!IsShortNumber(text, at, &next)) {
      const Candidate candidate(text, at, floor);
      for (const PersonalMatcher& matcher : kMatchers) {
        if (!has(matcher.kind)) continue;
        found = matcher.find(candidate);
        if (found) break;
      }
      next = EndOfDigits(text, at);
    }
    if (found) {
      spans->push_back(*found);
      floor = found->end;
      next = found->end;
    }
    at = NextCandidate(text, next);
  }
}

}  // namespace uzushio
