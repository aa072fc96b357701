// Public IP addresses. Those that are private, reserved or for documentation (IANA's registries of special-purpose
// addresses, IPv4 and IPv6) are nobody's, and stay. Four numbers with dots may be a version or a section as well: they
// are taken for one where words say so, or where all are small and nothing says that they are an address.
#include <algorithm>
#include <array>
#include <cstdint>

#include "personal/candidate.h"

namespace uzushio {
namespace {

constexpr auto kVersionLabels = std::to_array<std::string_view>({"version",
                                                                 "ver",
                                                                 "v",
                                                                 "バージョン",
                                                                 "ヴァージョン",
                                                                 "release",
                                                                 "リリース",
                                                                 "rev",
                                                                 "版",
                                                                 "第",
                                                                 "節",
                                                                 "項",
                                                                 "章",
                                                                 "build",
                                                                 "ビルド",
                                                                 "section",
                                                                 "policy manual v",
                                                                 "firmware",
                                                                 "ファームウェア",
                                                                 "driver",
                                                                 "ドライバ",
                                                                 "ドライバー",
                                                                 "図",
                                                                 "表",
                                                                 "oid"});
constexpr auto kAddressLabels = std::to_array<std::string_view>(
    {"ip",         "ipv",      "アドレス", "address",  "addresses", "dns",  "host",  "virtualhost", "namevirtualhost",
     "ホスト",     "ifconfig", "ping",     "nslookup", "://",       "inet", "route", "from",        "resolver",
     "nameserver", "gateway",  "listen"});

struct Ipv4Block {
  uint32_t address = 0;
  int bits = 0;
};
constexpr uint32_t Quad(uint32_t a, uint32_t b, uint32_t c, uint32_t d) { return a << 24 | b << 16 | c << 8 | d; }
constexpr auto kSpecial = std::to_array<Ipv4Block>({
    {Quad(0, 0, 0, 0), 8},
    {Quad(10, 0, 0, 0), 8},
    {Quad(100, 64, 0, 0), 10},
    {Quad(127, 0, 0, 0), 8},
    {Quad(169, 254, 0, 0), 16},
    {Quad(172, 16, 0, 0), 12},
    {Quad(192, 0, 0, 0), 24},
    {Quad(192, 0, 2, 0), 24},
    {Quad(192, 88, 99, 0), 24},
    {Quad(192, 168, 0, 0), 16},
    {Quad(198, 18, 0, 0), 15},
    {Quad(198, 51, 100, 0), 24},
    {Quad(203, 0, 113, 0), 24},
    {Quad(224, 0, 0, 0), 3},
});

bool IsSpecial(uint32_t address) {
  return std::ranges::any_of(
      kSpecial, [address](const Ipv4Block& block) { return (address ^ block.address) >> (32 - block.bits) == 0; });
}

constexpr uint32_t kSmall = 40;

struct Ipv4 {
  uint32_t address = 0;
  int small = 0;   // parts of it that a version or a section may have as well
  size_t end = 0;  // in the phrase; 0 for none
};

Ipv4 ReadIpv4(const Phrase& phrase, size_t at) {
  Ipv4 read;
  for (int part = 0; part < 4; ++part) {
    const size_t digits = phrase.DigitsAt(at);
    if (digits == 0 || digits > 3 || (digits > 1 && phrase[at] == '0')) return {};
    uint32_t value = 0;
    for (const char c : phrase.View(at, digits)) value = value * 10 + static_cast<uint32_t>(c - '0');
    if (value > 255) return {};
    read.address = read.address << 8 | value;
    read.small += value < kSmall ? 1 : 0;
    at += digits;
    if (part == 3) break;
    if (phrase[at] != '.') return {};
    ++at;
  }
  read.end = at;
  return read;
}

// Whether something before or behind says that four small numbers are an address.
bool IsNamedAddress(const Candidate& candidate, const Ipv4& read) {
  const Phrase& phrase = candidate.phrase();
  const size_t bits = phrase[read.end] == '/' ? phrase.DigitsAt(read.end + 1) : 0;
  return bits == 1 || bits == 2 || candidate.behind().LineContains(kAddressLabels);
}

bool IsPublicIpv4(const Candidate& candidate, const Ipv4& read) {
  if (IsSpecial(read.address)) return false;
  const char before = candidate.before();
  const char before_that = candidate.before_that();
  const bool in_url = before == '/' && before_that == '/';
  // A value of a key, or of a field of a log.
  const bool is_value = before == '@' || before == '=' || before == ':' || (before == '/' && read.small == 0);
  if (!candidate.BeginsNumber() && !in_url && !is_value) return false;
  if (before == '/' && !in_url && IsAsciiLetter(before_that) && read.small > 0) return false;  // Program/1.2.3.4
  if (candidate.behind().EndsWith(kVersionLabels)) return false;
  if ((read.address & 0xFFFF) == 0) return false;  // a network
  constexpr int kMostSmall = 2;
  constexpr uint32_t kHigh = 100;
  return read.small <= kMostSmall || read.address >> 24 >= kHigh || in_url || IsNamedAddress(candidate, read);
}

// Groups of an IPv6 address (RFC 4291, 2.2), the first of which is `first`.
struct Ipv6 {
  std::array<uint32_t, 8> groups{};
  size_t end = 0;
};

Ipv6 ReadIpv6(const Phrase& phrase) {
  Ipv6 read;
  size_t count = 0;
  bool has_gap = false;
  size_t at = 0;
  while (count < 8) {
    size_t digits = 0;
    uint32_t value = 0;
    for (; digits < 5 && IsHexDigit(phrase[at + digits]); ++digits) {
      const char c = phrase[at + digits];
      value = value << 4 | static_cast<uint32_t>(IsAsciiDigit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    if (digits == 0 || digits > 4) break;
    if (phrase[at + digits] == '.' && (count == 6 || has_gap)) {
      const Ipv4 tail = ReadIpv4(phrase, at);
      if (tail.end > 0) {
        count += 2;
        read.end = tail.end;
        break;
      }
    }
    read.groups[count++] = value;
    at += digits;
    read.end = at;
    if (phrase[at] != ':') break;
    if (phrase[at + 1] == ':') {
      if (has_gap) break;
      has_gap = true;
      at += 2;
      read.end = at;
    } else {
      ++at;
    }
  }
  const bool is_whole = has_gap ? count < 8 : count == 8;
  const char next = phrase[read.end];
  const bool ends = !IsAsciiDigit(next) && !IsAsciiLetter(next) && !(next == ':' && IsHexDigit(phrase[read.end + 1]));
  return is_whole && ends ? read : Ipv6();
}

bool IsPublicIpv6(const Ipv6& read) {
  const uint32_t first = read.groups[0];
  const uint32_t second = read.groups[1];
  if (first >> 13 != 1) return false;                    // 2000::/3 is what is given out
  if (first == 0x2001 && second < 0x200) return false;   // protocols
  if (first == 0x2001 && second == 0xDB8) return false;  // documentation
  return first != 0x3FFF || second >= 0x1000;            // documentation
}

}  // namespace

Found FindIpAddress(const Candidate& candidate) {
  const Phrase& phrase = candidate.phrase();
  const size_t digits = phrase.DigitsAt(0);
  if (digits <= 3 && phrase[digits] == '.') {
    const Ipv4 read = ReadIpv4(phrase, 0);
    if (read.end == 0) return std::nullopt;
    const char next = phrase[read.end];
    const bool is_range = next == '-' && !IsAsciiLetter(phrase[read.end + 1]);
    if (!is_range && !IsWholeAt(phrase, read.end)) return std::nullopt;
    if (!IsPublicIpv4(candidate, read)) return std::nullopt;
    return candidate.Span(PersonalKind::kIpAddress, read.end);
  }
  constexpr size_t kShortest = 6;  // 2000::
  if (digits > 4 || phrase.size() < kShortest || (phrase[0] != '2' && phrase[0] != '3')) return std::nullopt;
  const char before = candidate.before();
  if (IsAsciiLetter(before) || IsAsciiDigit(before) || before == '-') return std::nullopt;
  if (before == ':' && candidate.before_bytes() == 1) return std::nullopt;  // of a longer one
  const Ipv6 read = ReadIpv6(phrase);
  if (read.end == 0 || !IsPublicIpv6(read)) return std::nullopt;
  return candidate.Span(PersonalKind::kIpAddress, read.end);
}

}  // namespace uzushio
