// Coordinates that tell a place to some hundred metres or better: degrees with minutes, or with three decimals, where
// something says that they are of a place; pairs with four decimals in Japan.
#include <array>
#include <charconv>

#include "personal/candidate.h"

namespace uzushio {
namespace {

constexpr auto kAxisLabels = std::to_array<std::string_view>(
    {"北緯", "南緯", "東経", "西経", "緯度", "経度", "lat", "latitude", "lng", "lon", "long", "longitude"});
constexpr auto kPlaceLabels =
    std::to_array<std::string_view>({"緯度", "経度", "北緯", "東経", "座標", "lat", "lng", "lon", "gps", "位置情報",
                                     "現在地", "geo", "coordinates", "location", "@"});

// A number with decimals from character `i` on.
struct Decimal {
  double value = 0;
  size_t decimals = 0;
  size_t end = 0;
};

Decimal ReadDecimal(const Phrase& phrase, size_t i) {
  constexpr size_t kMostDecimals = 15;
  const size_t whole = phrase.DigitsAt(i);
  if (whole == 0 || whole > 3) return {};
  Decimal read;
  read.end = i + whole;
  if (phrase[read.end] == '.') {
    read.decimals = phrase.DigitsAt(read.end + 1);
    if (read.decimals > kMostDecimals) return {};
    if (read.decimals > 0) read.end += 1 + read.decimals;
  }
  const std::string_view digits = phrase.View(i, read.end - i);
  std::from_chars(digits.data(), digits.data() + digits.size(), read.value);
  return read;
}

constexpr double kMostLatitude = 90;
constexpr double kMostLongitude = 180;

bool IsInJapan(double latitude, double longitude) {
  return latitude >= 20 && latitude <= 46 && longitude >= 122 && longitude <= 154;
}

// Degrees with minutes and seconds; the end, or 0.
size_t EndOfDegrees(const Phrase& phrase, const Decimal& degrees, bool* is_precise) {
  size_t i = degrees.end;
  if (phrase[i] != kDegreeSign) return 0;
  ++i;
  *is_precise = degrees.decimals >= 3;
  const size_t space = phrase[i] == ' ' ? 1 : 0;
  const Decimal minutes = ReadDecimal(phrase, i + space);
  if (minutes.end == 0 || minutes.value >= 60 || phrase[minutes.end] != kMinuteSign) return i;
  *is_precise = true;
  i = minutes.end + 1;
  const size_t more = phrase[i] == ' ' ? 1 : 0;
  const Decimal seconds = ReadDecimal(phrase, i + more);
  if (seconds.end == 0 || seconds.value >= 60) return i;
  if (phrase[seconds.end] == kSecondSign) return seconds.end + 1;
  return phrase[seconds.end] == kMinuteSign && phrase[seconds.end + 1] == kMinuteSign ? seconds.end + 2 : i;
}

bool IsDirection(char c) { return c == 'N' || c == 'S' || c == 'E' || c == 'W'; }

// The second of a pair begins behind a comma, a space or a slash.
size_t BeginOfSecond(const Phrase& phrase, size_t i) {
  size_t at = i;
  size_t commas = 0;
  for (; at - i < 3; ++at) {
    if (phrase[at] == ',' || phrase[at] == '/') {
      if (++commas > 1) return 0;
    } else if (phrase[at] != ' ') {
      break;
    }
  }
  return at > i ? at : 0;
}

}  // namespace

Found FindCoordinates(const Candidate& candidate) {
  const Phrase& phrase = candidate.phrase();
  constexpr size_t kShortest = 5;
  if (phrase.size() < kShortest) return std::nullopt;
  const char before = candidate.before();
  const bool has_axis_letter =
      IsDirection(before) && !IsAsciiLetter(candidate.before_that()) && !IsAsciiDigit(candidate.before_that());
  const bool is_negative =
      before == '-' && !IsAsciiDigit(candidate.before_that()) && !IsAsciiLetter(candidate.before_that());
  const bool begins = has_axis_letter || is_negative || before == '@' || before == '=' || candidate.BeginsNumber();
  if (!begins) return std::nullopt;
  const Decimal first = ReadDecimal(phrase, 0);
  if (first.end == 0 || first.value > kMostLongitude) return std::nullopt;
  const size_t begin = candidate.at() - (is_negative ? candidate.before_bytes() : 0);
  const auto span = [&](size_t end) { return PersonalSpan{begin, phrase.ByteAt(end), PersonalKind::kCoordinates}; };
  if (phrase[first.end] == kDegreeSign) {
    bool is_precise = false;
    const size_t end = EndOfDegrees(phrase, first, &is_precise);
    const size_t letter = phrase[end] == ' ' ? end + 1 : end;
    const bool has_direction = IsDirection(phrase[letter]) && !IsAsciiLetter(phrase[letter + 1]);
    if (!is_precise) return std::nullopt;
    if (!has_direction && !has_axis_letter && !candidate.behind().EndsWith(kAxisLabels)) return std::nullopt;
    return span(end);
  }
  if (first.decimals < 3) return std::nullopt;
  constexpr size_t kNear = 60;
  size_t second_begin = BeginOfSecond(phrase, first.end);
  if (second_begin > 0 && phrase[second_begin] == '-') ++second_begin;
  const Decimal second = second_begin > 0 ? ReadDecimal(phrase, second_begin) : Decimal();
  if (second.end > 0 && second.decimals >= 3 && second.value <= kMostLongitude &&
      (first.value <= kMostLatitude || second.value <= kMostLatitude) &&
      (IsWholeAt(phrase, second.end) || IsDirection(phrase[second.end]))) {
    const bool is_fine = first.decimals >= 4 && second.decimals >= 4;
    const bool in_japan = IsInJapan(first.value, second.value) || IsInJapan(second.value, first.value);
    if ((is_fine && in_japan) || candidate.behind().Contains(kPlaceLabels, kNear)) return span(second.end);
  }
  if (!IsWholeAt(phrase, first.end) && !IsDirection(phrase[first.end])) return std::nullopt;
  const bool is_labelled = (has_axis_letter && first.decimals >= 4) || candidate.behind().EndsWith(kAxisLabels);
  return is_labelled ? Found(span(first.end)) : std::nullopt;
}

}  // namespace uzushio
