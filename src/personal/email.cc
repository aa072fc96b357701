// E-mail addresses: what mail programs take for one (RFC 5321, 4.1.2, without quoted parts), in ASCII or full width,
// with
// `@` or `(at)`. Addresses of domains that are reserved for examples (RFC 2606, RFC 6761, JPRS for example.jp) are
// nobody's, and stay; so do places that programs log in at (git@host:path, ssh://user@host).
#include <algorithm>
#include <array>

#include "personal/candidate.h"

namespace uzushio {
namespace {

constexpr size_t kMostLocal = 64;
constexpr size_t kMostDomain = 253;
constexpr size_t kMostLabel = 63;

bool IsAlnum(char c) { return IsAsciiDigit(c) || IsAsciiLetter(c); }

constexpr bool IsOfLocal(char c) {
  constexpr std::string_view kSigns = "._%+-&~#=$*!";
  return IsAsciiDigit(c) || IsAsciiLetter(c) || kSigns.find(c) != std::string_view::npos;
}

// A character of an address: the mark of long vowels and wide dashes are none of its hyphens.
PlainCharacter AddressAt(std::string_view text, size_t at) {
  PlainCharacter next = PlainAt(text, at);
  const bool is_dash = next.sign == '-' && next.bytes > 1 && !text.substr(at).starts_with("\xEF\xBC\x8D");
  if (is_dash || (next.sign == ',' && next.bytes > 1)) next.sign = kOtherSign;
  return next;
}

// Names at the end of file names that look as addresses do: icon@2x.png.
bool IsFileName(std::string_view end) {
  constexpr auto kEndings = std::to_array<std::string_view>(
      {"png",  "jpg",  "jpeg",    "gif",   "svg",    "webp",   "css",    "js",   "mjs",  "ts",
       "html", "htm",  "php",     "pdf",   "zip",    "gz",     "xml",    "json", "yaml", "yml",
       "txt",  "conf", "service", "mount", "socket", "target", "device", "timer"});
  return std::ranges::find(kEndings, end) != kEndings.end();
}

// Domains of examples.
bool IsReserved(std::string_view domain) {
  constexpr auto kTop =
      std::to_array<std::string_view>({"example", "test", "invalid", "localhost", "local", "localdomain"});
  constexpr auto kExamples = std::to_array<std::string_view>(
      {"example.com", "example.net", "example.org", "example.edu", "example.jp", "example.co.jp", "example.ne.jp",
       "example.or.jp", "example.ac.jp", "example.go.jp"});
  const std::string_view top = domain.substr(domain.rfind('.') + 1);
  if (std::ranges::find(kTop, top) != kTop.end()) return true;
  return std::ranges::any_of(kExamples, [domain](std::string_view example) {
    return domain.ends_with(example) &&
           (domain.size() == example.size() || domain[domain.size() - example.size() - 1] == '.');
  });
}

struct MailDomain {
  std::array<char, kMostDomain> name;  // in small letters
  size_t size = 0;
  size_t end = 0;  // in the text

  std::string_view view() const { return {name.data(), size}; }
};

// The longest domain from `at` on that ends in a name of letters.
MailDomain ReadDomain(std::string_view text, size_t at) {
  MailDomain domain;
  size_t size = 0;
  size_t label = 0;  // where the last one begins
  while (size < kMostDomain) {
    const PlainCharacter next = AddressAt(text, at);
    const bool is_label = IsAlnum(next.sign) || (next.sign == '-' && size > label);
    if (!is_label && !(next.sign == '.' && size > label && domain.name[size - 1] != '-')) break;
    if (next.sign == '.') label = size + 1;
    if (size - label > kMostLabel && next.sign != '.') return {};
    domain.name[size++] = next.sign >= 'A' && next.sign <= 'Z' ? static_cast<char>(next.sign | 0x20) : next.sign;
    at += next.bytes;
    const bool may_end = label > 0 && size - label >= 2 && IsAlnum(next.sign);
    if (may_end) domain.size = size, domain.end = at;
  }
  // What goes on with a hyphen behind its end, or has digits in its top name, is no domain.
  if (domain.size == 0 || domain.end != at) {
    const bool dot_follows = domain.size > 0 && size > domain.size && domain.name[domain.size] == '.';
    if (!dot_follows) return {};
  }
  const std::string_view top = domain.view().substr(domain.view().rfind('.') + 1);
  const bool is_top = std::ranges::all_of(top, IsAsciiLetter) || top.starts_with("xn--");
  return is_top && !IsFileName(top) ? domain : MailDomain();
}

// The bytes of what stands for `@` at `at`, or 0.
size_t AtSign(std::string_view text, size_t at) {
  const PlainCharacter sign = PlainAt(text, at);
  if (sign.sign == '@') return sign.bytes;
  const std::string_view rest = text.substr(at);
  constexpr auto kForms = std::to_array<std::string_view>({"(at)", "[at]", "(AT)", "[AT]", "(At)"});
  const auto form = std::ranges::find_if(kForms, [rest](std::string_view f) { return rest.starts_with(f); });
  return form == kForms.end() ? 0 : form->size();
}

// Where the part before `@` begins, or `end` for none.
size_t BeginOfLocal(std::string_view text, size_t end, size_t floor) {
  size_t begin = end;
  for (size_t count = 0; begin > floor; ++count) {
    const PlainCharacter before = PlainBefore(text, begin);
    const bool is_dash = before.sign == '-' && before.bytes > 1;
    const bool is_escape = before.sign == '\\' && begin < end && text[begin] == '_';  // Markdown's
    if (before.bytes == 0 || is_dash || (!IsOfLocal(before.sign) && !is_escape)) break;
    if (count == kMostLocal) return end;
    begin -= before.bytes;
  }
  while (begin < end && !IsAlnum(PlainAt(text, begin).sign) && text[begin] != '_') begin += PlainAt(text, begin).bytes;
  // A setting: to=name@host.
  const size_t sign = text.substr(begin, end - begin).rfind('=');
  return sign == std::string_view::npos ? begin : begin + sign + 1;
}

// Whether what precedes says that a program logs in here.
bool IsLogin(std::string_view text, size_t begin, size_t at, size_t end) {
  const std::string_view local = text.substr(begin, at - begin);
  const bool is_path = end + 1 < text.size() && text[end] == ':' &&
                       (IsAsciiLetter(text[end + 1]) || text[end + 1] == '/' || text[end + 1] == '~');
  if (is_path || local == "git") return true;
  constexpr size_t kNear = 80;
  std::string_view before = text.substr(begin > kNear ? begin - kNear : 0, std::min(begin, kNear));
  const size_t scheme = before.rfind("://");
  if (scheme == std::string_view::npos) return false;
  return before.find_first_of(" \n\t/<>\"", scheme + 3) == std::string_view::npos;
}

}  // namespace

Found FindEmail(std::string_view text, size_t at, size_t floor) {
  const size_t sign = AtSign(text, at);
  if (sign == 0) return std::nullopt;
  size_t local_end = at;
  size_t domain_begin = at + sign;
  if (text[at] == '(' || text[at] == '[') {  // with a space on both sides, or none
    if (local_end > floor && text[local_end - 1] == ' ') --local_end;
    if (domain_begin < text.size() && text[domain_begin] == ' ') ++domain_begin;
  }
  const size_t begin = BeginOfLocal(text, local_end, floor);
  if (begin == local_end) return std::nullopt;
  const char last = PlainBefore(text, local_end).sign;
  if (last == '.') return std::nullopt;
  const MailDomain domain = ReadDomain(text, domain_begin);
  if (domain.size == 0 || IsReserved(domain.view()) || IsLogin(text, begin, at, domain.end)) return std::nullopt;
  return PersonalSpan{begin, domain.end, PersonalKind::kEmail};
}

}  // namespace uzushio
