#include "document/provenance.h"

#include <xxhash.h>

#include <array>
#include <chrono>
#include <cstdio>

#include "document/header_uri.h"

namespace uzushio {
namespace {

using Seconds = std::chrono::sys_seconds;

constexpr Seconds kEarliest = std::chrono::sys_days(std::chrono::year(1999) / 1 / 1);

// Reads through a date's fields; once one is missing, every further read fails.
class DateReader {
 public:
  explicit DateReader(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  bool at(char c) const { return ok_ && rest_.starts_with(c); }
  bool empty() const { return rest_.empty(); }

  int Number(size_t min_digits, size_t max_digits) {
    int value = 0;
    size_t digits = 0;
    while (digits < max_digits && digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9') {
      value = value * 10 + (rest_[digits] - '0');
      ++digits;
    }
    ok_ = ok_ && digits >= min_digits;
    rest_.remove_prefix(digits);
    return value;
  }
  void Skip(char c) {
    ok_ = at(c);
    if (ok_) rest_.remove_prefix(1);
  }
  void SkipAny(std::string_view characters) {
    while (!rest_.empty() && characters.find(rest_.front()) != std::string_view::npos) rest_.remove_prefix(1);
  }
  void SkipLetters() {
    while (!rest_.empty() && ((rest_.front() | 0x20) >= 'a' && (rest_.front() | 0x20) <= 'z')) rest_.remove_prefix(1);
  }
  // 1 to 12 from an English month's first three letters.
  unsigned Month() {
    constexpr std::string_view kMonths = "janfebmaraprmayjunjulaugsepoctnovdec";
    std::array<char, 3> name{};
    ok_ = ok_ && rest_.size() >= 3;
    if (!ok_) return 0;
    for (size_t i = 0; i < 3; ++i) name[i] = static_cast<char>(rest_[i] | 0x20);
    const size_t found = kMonths.find(std::string_view(name.data(), 3));
    ok_ = found != std::string_view::npos && found % 3 == 0;
    SkipLetters();
    return static_cast<unsigned>(found / 3 + 1);
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

std::optional<Seconds> MakeTime(bool ok, int year, unsigned month, unsigned day, int hour, int minute, int second) {
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month}, std::chrono::day{day}};
  if (!ok || !date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second);
}

// Minutes east of Greenwich at the end of a time: Z, +hh:mm, +hhmm, GMT, or nothing.
int ReadZone(DateReader* reader) {
  if (reader->at('+') || reader->at('-')) {
    const int sign = reader->at('+') ? 1 : -1;
    reader->SkipAny("+-");
    const int hours = reader->Number(2, 2);
    reader->SkipAny(":");
    return sign * (hours * 60 + (reader->empty() ? 0 : reader->Number(2, 2)));
  }
  reader->SkipLetters();
  return 0;
}

std::optional<Seconds> ParseIso(std::string_view text) {
  DateReader reader(text);
  const int year = reader.Number(4, 4);
  reader.Skip('-');
  const auto month = static_cast<unsigned>(reader.Number(2, 2));
  reader.Skip('-');
  const auto day = static_cast<unsigned>(reader.Number(2, 2));
  int hour = 0;
  int minute = 0;
  int second = 0;
  if (reader.at('T') || reader.at(' ')) {
    reader.SkipAny("T ");
    hour = reader.Number(2, 2);
    reader.Skip(':');
    minute = reader.Number(2, 2);
    if (reader.at(':')) {
      reader.Skip(':');
      second = reader.Number(2, 2);
    }
    if (reader.at('.')) {
      reader.Skip('.');
      reader.Number(1, 9);
    }
  }
  const int zone = ReadZone(&reader);
  const auto time = MakeTime(reader.ok() && reader.empty(), year, month, day, hour, minute, second);
  if (!time) return std::nullopt;
  return *time - std::chrono::minutes(zone);
}

void ReadClock(DateReader* reader, int* hour, int* minute, int* second) {
  *hour = reader->Number(1, 2);
  reader->Skip(':');
  *minute = reader->Number(2, 2);
  reader->Skip(':');
  *second = reader->Number(2, 2);
}

// IMF-fixdate, RFC 850 and asctime forms.
std::optional<Seconds> ParseHttpDate(std::string_view text) {
  DateReader reader(text);
  reader.SkipAny(" ");
  reader.SkipLetters();
  int hour = 0;
  int minute = 0;
  int second = 0;
  if (reader.at(',')) {
    reader.SkipAny(", ");
    const auto day = static_cast<unsigned>(reader.Number(1, 2));
    reader.SkipAny(" -");
    const unsigned month = reader.Month();
    reader.SkipAny(" -");
    int year = reader.Number(2, 4);
    if (year < 70) year += 2000;
    if (year < 100) year += 1900;
    reader.SkipAny(" ");
    ReadClock(&reader, &hour, &minute, &second);
    reader.SkipAny(" ");
    const int zone = ReadZone(&reader);
    const auto time = MakeTime(reader.ok(), year, month, day, hour, minute, second);
    if (!time) return std::nullopt;
    return *time - std::chrono::minutes(zone);
  }
  reader.SkipAny(" ");
  const unsigned month = reader.Month();
  reader.SkipAny(" ");
  const auto day = static_cast<unsigned>(reader.Number(1, 2));
  reader.SkipAny(" ");
  ReadClock(&reader, &hour, &minute, &second);
  reader.SkipAny(" ");
  const int year = reader.Number(4, 4);
  return MakeTime(reader.ok(), year, month, day, hour, minute, second);
}

}  // namespace

std::string DocumentId(std::string_view record_id, std::string_view url, std::string_view date, int64_t offset) {
  constexpr std::string_view kPrefix = "urn:uuid:";
  constexpr size_t kUuidLength = 36;
  record_id = WithoutAngleBrackets(record_id);
  if (record_id.starts_with(kPrefix) && record_id.size() == kPrefix.size() + kUuidLength) {
    const std::string_view uuid = record_id.substr(kPrefix.size());
    bool valid = true;
    for (size_t i = 0; i < uuid.size(); ++i) {
      const bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
      const char c = static_cast<char>(uuid[i] | 0x20);
      valid = valid && (hyphen ? uuid[i] == '-' : (uuid[i] >= '0' && uuid[i] <= '9') || (c >= 'a' && c <= 'f'));
    }
    if (valid) return std::string(uuid);
  }
  std::string key;
  key.append(url).append(1, '\0').append(date).append(1, '\0').append(std::to_string(offset));
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  // Version 8 and variant 10 of RFC 9562, section 5.8.
  const uint64_t high = (hash.high64 & ~uint64_t{0xF000}) | 0x8000;
  const uint64_t low = (hash.low64 & ~(uint64_t{3} << 62)) | uint64_t{2} << 62;
  std::array<char, kUuidLength + 1> uuid{};
  std::snprintf(uuid.data(), uuid.size(), "%08x-%04x-%04x-%04x-%012llx", static_cast<unsigned>(high >> 32),
                static_cast<unsigned>(high >> 16 & 0xFFFF), static_cast<unsigned>(high & 0xFFFF),
                static_cast<unsigned>(low >> 48), static_cast<unsigned long long>(low & 0xFFFFFFFFFFFF));
  return uuid.data();
}

std::optional<int64_t> SecondsOfDate(std::string_view date) {
  const std::optional<Seconds> time = ParseIso(date);
  if (!time) return std::nullopt;
  return time->time_since_epoch().count();
}

std::string DocumentDate(std::string_view warc_date, std::string_view http_date, std::string_view last_modified) {
  std::optional<Seconds> earliest;
  for (const auto& time : {ParseIso(warc_date), ParseHttpDate(http_date), ParseHttpDate(last_modified)}) {
    if (time && *time >= kEarliest && (!earliest || *time < *earliest)) earliest = time;
  }
  if (!earliest) return {};
  const auto day = std::chrono::floor<std::chrono::days>(*earliest);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(*earliest - day);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text.data();
}

}  // namespace uzushio
