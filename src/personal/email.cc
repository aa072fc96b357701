// E-mail addresses: what mail programs take for one (RFC 5321, 4.1.2, without quoted parts), in ASCII or full width,
// with `@` or a word for it: `(at)`, `--at--`, `_AT_`; behind a word also `(dot)`. Addresses of domains that are
// reserved for examples (RFC 2606, RFC 6761, JPRS for example.jp) are nobody's, and stay; so do places that programs
// log in at (git@host:path, ssh://user@host).
#include <algorithm>
#include <array>
#include <string>

#include "personal/candidate.h"

namespace uzushio {
namespace {

constexpr size_t kMostLocal = 64;
constexpr size_t kMostDomain = 253;
constexpr size_t kMostLabel = 63;

bool IsAlnum(char c) { return IsAsciiDigit(c) || IsAsciiLetter(c); }

constexpr bool IsOfLocal(char c) {
  constexpr std::string_view kSigns = "._%+-&~=";
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

// Whether it may be a top-level domain: those of two letters are of countries (ISO 3166, and ac, eu, su, uk).
bool IsTopLevel(std::string_view top) {
  constexpr std::string_view kCountries =
      " ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bv bw by bz ca "
      "cc cd cf "
      "cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gb gd "
      "ge gf gg "
      "gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki "
      "km kn kp "
      "kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz "
      "na nc ne "
      "nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh "
      "si sj sk "
      "sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve "
      "vg vi vn "
      "vu wf ws ye yt za zm zw ";
  if (top.starts_with("xn--")) return true;
  if (!std::ranges::all_of(top, IsAsciiLetter)) return false;
  return top.size() > 2 || kCountries.find(" " + std::string(top) + " ") != std::string_view::npos;
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

// The bytes of a word for a dot at `at`, with the spaces around it, or 0.
size_t DotWord(std::string_view text, size_t at) {
  constexpr auto kForms = std::to_array<std::string_view>({"(dot)", "[dot]", "(DOT)", "[DOT]", "（dot）", "（DOT）"});
  const bool has_space = at < text.size() && text[at] == ' ';
  const std::string_view rest = text.substr(std::min(at + (has_space ? 1 : 0), text.size()));
  const auto form = std::ranges::find_if(kForms, [rest](std::string_view f) { return rest.starts_with(f); });
  if (form == kForms.end()) return 0;
  return (has_space ? 1 : 0) + form->size() + (rest.substr(form->size()).starts_with(' ') ? 1 : 0);
}

// The longest domain from `at` on that ends in a name of letters. `has_words`: also with `(dot)`.
MailDomain ReadDomain(std::string_view text, size_t at, bool has_words) {
  MailDomain domain;
  size_t size = 0;
  size_t label = 0;  // where the last one begins
  while (size < kMostDomain) {
    PlainCharacter next = AddressAt(text, at);
    const size_t dot = has_words && !IsAlnum(next.sign) ? DotWord(text, at) : 0;
    if (dot > 0) next = {'.', static_cast<uint8_t>(dot)};
    const bool is_label = IsAlnum(next.sign) || (next.sign == '-' && size > label);
    if (!is_label && !(next.sign == '.' && size > label && domain.name[size - 1] != '-')) break;
    if (next.sign == '.') label = size + 1;
    if (size - label > kMostLabel && next.sign == '-') break;
    if (size - label > kMostLabel && next.sign != '.') return {};
    domain.name[size++] = next.sign >= 'A' && next.sign <= 'Z' ? static_cast<char>(next.sign | 0x20) : next.sign;
    at += next.bytes;
    const bool may_end = label > 0 && size - label >= 2 && IsAlnum(next.sign);
    if (may_end) domain.size = size, domain.end = at;
  }
  // Hyphens and a dot that no letter or digit follows are the text's. What goes on behind a hyphen is of the top name.
  if (domain.size == 0) return {};
  const std::string_view top = domain.view().substr(domain.view().rfind('.') + 1);
  return IsTopLevel(top) && !IsFileName(top) ? domain : MailDomain();
}

// The bytes of what stands for `@` at `at`, or 0.
size_t AtSign(std::string_view text, size_t at) {
  const PlainCharacter sign = PlainAt(text, at);
  if (sign.sign == '@') return sign.bytes;
  const std::string_view rest = text.substr(at);
  constexpr auto kForms = std::to_array<std::string_view>(
      {"(at)", "[at]", "(AT)", "[AT]", "(At)", "（at）", "（AT）", "--at--", "--AT--", "_AT_"});
  const auto form = std::ranges::find_if(kForms, [rest](std::string_view f) { return rest.starts_with(f); });
  return form == kForms.end() ? 0 : form->size();
}

// Whether the sign at `at` is one that names in programs and options have as well.
bool IsSignOfPrograms(std::string_view text, size_t at) { return text[at] == '-' || text[at] == '_'; }

// Whether what has such a sign may be an address: of a usual domain, as others (.md, .py, .sh) are of files; and no
// name in capitals (LOOK_AT_ME).
bool MayBeAddress(std::string_view text, size_t at, size_t sign, std::string_view domain) {
  constexpr auto kUsual = std::to_array<std::string_view>({"jp", "com", "net", "org", "edu", "info"});
  if (std::ranges::find(kUsual, domain.substr(domain.rfind('.') + 1)) == kUsual.end()) return false;
  const auto is_capital = [text](size_t i) { return text[i] >= 'A' && text[i] <= 'Z'; };
  return text[at] != '_' || (!is_capital(at - 1) && !is_capital(at + sign));
}

// Whether what precedes says that it is a name of a channel, a mask or an account of another network: #name@host,
// nick!user@host, @name@host.
bool IsOfOtherNetwork(std::string_view text, size_t begin, size_t floor) {
  if (begin <= floor) return false;
  const char sign = text[begin - 1];
  const char before = begin - floor > 1 ? text[begin - 2] : ' ';
  switch (sign) {
    case '@':
    case '$':
      return true;
    case '#':
      return static_cast<unsigned char>(before) < 0x80;
    case '!':
      return IsAlnum(before) || std::string_view("*_-[]{}|^`\\").find(before) != std::string_view::npos;
    default:
      return false;
  }
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

// Names of SSH's methods (RFC 4251, 6), which are addresses by their form.
bool IsMethod(std::string_view domain) { return domain == "openssh.com" || domain == "libssh.org"; }

// Whether a program that logs in is what a command begins with.
bool IsArgument(std::string_view before) {
  constexpr auto kCommands = std::to_array<std::string_view>({"ssh ", "scp ", "sftp ", "rsync "});
  const std::string_view line = before.substr(before.rfind('\n') + 1);
  for (const std::string_view command : kCommands) {
    const size_t at = line.rfind(command);
    if (at == std::string_view::npos || (at > 0 && IsAlnum(line[at - 1]))) continue;
    const std::string_view options = line.substr(at);
    if (std::ranges::all_of(options, [](char c) { return c >= ' ' && c != '<' && c != '('; })) return true;
  }
  return false;
}

// Whether what precedes says that a program logs in here.
bool IsLogin(std::string_view text, size_t begin, size_t at, size_t end) {
  const std::string_view local = text.substr(begin, at - begin);
  const bool is_path = end + 1 < text.size() && text[end] == ':' &&
                       (IsAsciiLetter(text[end + 1]) || text[end + 1] == '/' || text[end + 1] == '~');
  if (is_path || local == "git") return true;
  constexpr size_t kNear = 80;
  const std::string_view before = text.substr(begin > kNear ? begin - kNear : 0, std::min(begin, kNear));
  if (IsArgument(before)) return true;
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
  const bool is_word = PlainAt(text, at).sign != '@';
  if (text[at] == '(' || text[at] == '[' || text[at] == '-') {  // with a space on both sides, or none
    if (local_end > floor && text[local_end - 1] == ' ') --local_end;
    if (domain_begin < text.size() && text[domain_begin] == ' ') ++domain_begin;
  }
  const size_t begin = BeginOfLocal(text, local_end, floor);
  if (begin == local_end) return std::nullopt;
  if (PlainBefore(text, local_end).sign == '.') return std::nullopt;
  if (IsOfOtherNetwork(text, begin, floor)) return std::nullopt;
  const MailDomain domain = ReadDomain(text, domain_begin, is_word);
  if (domain.size == 0 || IsReserved(domain.view()) || IsMethod(domain.view()) || IsLogin(text, begin, at, domain.end))
    return std::nullopt;
  if (IsSignOfPrograms(text, at) && !MayBeAddress(text, at, sign, domain.view())) return std::nullopt;
  return PersonalSpan{begin, domain.end, PersonalKind::kEmail};
}

}  // namespace uzushio
