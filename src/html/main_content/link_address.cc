#include "html/main_content/link_address.h"

#include <ada.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/utf8.h"
#include "html/main_content/ascii_classes.h"
#include "html/main_content/hash.h"

namespace uzushio {
namespace {

constexpr std::string_view kWhiteSpace = " \t\n\r\f";
constexpr size_t kLongestFolder = 24;
constexpr int kMostFolders = 8;

constexpr uint32_t kSchemeSeed = HashText("href scheme ");
constexpr uint32_t kHostSeed = HashText("href host ");
constexpr uint32_t kFolderSeed = HashText("href folder ");
constexpr uint32_t kLooksSeed = HashText("href looks ");
constexpr uint32_t kQuerySeed = HashText("href query ");
constexpr uint32_t kFragmentSeed = HashText("href fragment ");

uint32_t HashSmall(std::string_view text, uint32_t seed) {
  for (const char c : text) seed = HashByte(seed, static_cast<unsigned char>(Small(c)));
  return seed;
}

// What an address's characters are.
enum CharacterClass : uint8_t {
  kLetter = 1,
  kDigit = 2,
  kBorder = 4,  // between words
  kSlash = 8,
  kQuestion = 16,
  kNumberSign = 32,
  kAmpersand = 64,
};
constexpr auto kClasses = [] {
  std::array<uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[static_cast<size_t>(c)] = classes[static_cast<size_t>(c - 32)] = kLetter;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<size_t>(c)] = kDigit;
  for (const char c : {'-', '_', '+'}) classes[static_cast<unsigned char>(c)] = kBorder;
  classes['/'] = kSlash;
  classes['?'] = kQuestion;
  classes['#'] = kNumberSign;
  classes['&'] = kAmpersand;
  return classes;
}();
constexpr uint8_t ClassOf(char c) { return kClasses[static_cast<unsigned char>(c)]; }

// Takes what is before the first character of such classes off the text.
std::string_view TakeUntil(int stops, std::string_view* text) {
  const auto end = std::ranges::find_if(*text, [stops](char c) { return (ClassOf(c) & stops) != 0; });
  const std::string_view taken = text->substr(0, static_cast<size_t>(end - text->begin()));
  text->remove_prefix(taken.size());
  return taken;
}

// "https", where the address begins with "https:".
std::string_view SchemeOf(std::string_view address) {
  size_t end = 0;
  while (end < address.size() && (IsLower(Small(address[end])) || (end > 0 && IsDigit(address[end])))) ++end;
  return end > 0 && end < address.size() && address[end] == ':' ? address.substr(0, end) : std::string_view();
}

bool EqualSmall(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return Small(x) == Small(y); });
}

std::string_view WithoutWww(std::string_view host) {
  constexpr std::string_view kWww = "www.";
  return EqualSmall(host.substr(0, kWww.size()), kWww) ? host.substr(kWww.size()) : host;
}

// Of what is behind "//".
std::string_view PlainAuthority(std::string_view authority) {
  if (const size_t user = authority.rfind('@'); user != std::string_view::npos) authority.remove_prefix(user + 1);
  return WithoutWww(authority.substr(0, authority.find(':')));
}

// How a folder looks, in a few kinds.
struct Looks {
  int letters = 0;
  int digits = 0;
  int borders = 0;
  int others = 0;  // characters of other scripts, percent signs and the like
};

Looks LooksOf(std::string_view name) {
  Looks looks;
  for (const char c : name) {
    const int of = ClassOf(c);
    looks.letters += (of & kLetter) != 0;
    looks.digits += (of & kDigit) != 0;
    looks.borders += (of & kBorder) != 0;
    looks.others += (of & (kLetter | kDigit | kBorder)) == 0;
  }
  return looks;
}

void VisitFolder(std::string_view name, bool is_last, TokenVisitor* visitor) {
  if (is_last) {
    if (const size_t dot = name.rfind('.'); dot != std::string_view::npos && name.size() - dot <= 6) {
      visitor->Token(HashSmall(name.substr(dot), kFolderSeed));
      name = name.substr(0, dot);
    }
  }
  constexpr int kManyBorders = 3;
  constexpr int kManyDigits = 3;
  const Looks looks = LooksOf(name);
  if (looks.digits == 0 && looks.borders < kManyBorders && name.size() <= kLongestFolder) {
    visitor->Token(HashSmall(name, kFolderSeed));
    if (is_last) visitor->Token(HashByte(HashSmall(name, kFolderSeed), '$'));
    return;
  }
  const bool only_digits = looks.digits == static_cast<int>(name.size());
  uint32_t hash = HashByte(kLooksSeed, is_last ? '$' : '/');
  hash = HashByte(hash, static_cast<unsigned char>('0' + std::min(looks.borders, 2 * kManyBorders) / kManyBorders));
  hash = HashByte(hash, static_cast<unsigned char>('0' + std::min(looks.digits, 2 * kManyDigits + 1)));
  visitor->Token(HashByte(hash, only_digits ? '0' : looks.others > looks.letters ? '%' : 'a'));
}

void VisitPath(std::string_view path, TokenVisitor* visitor) {
  int folders = 0;
  while (!path.empty()) {
    if (path.front() == '/') {
      path.remove_prefix(1);
      continue;
    }
    const std::string_view name = TakeUntil(kSlash, &path);
    if (++folders <= kMostFolders) VisitFolder(name, path.size() <= 1, visitor);
  }
  visitor->Token(HashByte(kLooksSeed, static_cast<unsigned char>('0' + std::min(folders, kMostFolders))));
}

void VisitQuery(std::string_view query, TokenVisitor* visitor) {
  while (!query.empty()) {
    query.remove_prefix(1);  // "?" or "&"
    const std::string_view parameter = TakeUntil(kAmpersand, &query);
    const std::string_view name = parameter.substr(0, parameter.find('='));
    if (name.empty() || name.size() > kLongestFolder) continue;
    const uint32_t hash = HashSmall(name, kQuerySeed);
    visitor->Token(hash);
    const std::string_view value = parameter.substr(std::min(parameter.size(), name.size() + 1));
    if (!value.empty() && value.size() <= kLongestFolder && LooksOf(value).digits == 0) {
      visitor->Token(HashSmall(value, HashByte(hash, '=')));
    }
  }
}

// Names of sections are a page's own, but for their beginnings.
void VisitFragment(std::string_view name, TokenVisitor* visitor) {
  visitor->Token(kFragmentSeed);
  const auto letters = std::ranges::find_if_not(name, [](char c) { return IsLower(Small(c)); });
  const std::string_view first = name.substr(0, static_cast<size_t>(letters - name.begin()));
  if (!first.empty() && first.size() <= kLongestFolder) visitor->Token(HashSmall(first, kFragmentSeed));
}

std::string_view PlainHost(std::string_view url) {
  url = url.substr(0, kMostAttributeBytes);
  const size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return {};
  url.remove_prefix(scheme + 3);
  return PlainAuthority(TakeUntil(kSlash | kQuestion | kNumberSign, &url));
}

}  // namespace

PageAddress::PageAddress(std::string_view url) : host_(PlainHost(url)) {
  constexpr size_t kLongest = 4096;  // each comparison reads it
  url = url.substr(0, url.find('#'));
  if (url.size() > kLongest || !IsValidUtf8(url)) return;
  if (auto parsed = ada::parse<ada::url_aggregator>(url)) {
    url_ = std::make_unique<const ada::url_aggregator>(*std::move(parsed));
  }
}

PageAddress::~PageAddress() = default;

bool PageAddress::IsOwn(std::string_view address) const {
  // Behind backslashes there may be a host of any kind, which takes long to read.
  if (url_ == nullptr || address.find('\\') != std::string_view::npos || !IsValidUtf8(address)) return false;
  const auto other = ada::parse<ada::url_aggregator>(address, url_.get());
  return other && other->get_pathname() == url_->get_pathname() && other->get_search() == url_->get_search() &&
         WithoutWww(other->get_hostname()) == WithoutWww(url_->get_hostname());
}

LinkTarget VisitAddress(std::string_view address, const PageAddress& page, TokenVisitor* visitor) {
  address = address.substr(0, kMostAttributeBytes);
  address.remove_prefix(std::min(address.size(), address.find_first_not_of(kWhiteSpace)));
  address = address.substr(0, address.find_last_not_of(kWhiteSpace) + 1);
  if (address.empty()) return LinkTarget::kNone;
  if (address.front() == '#') {
    if (address.size() > 1) VisitFragment(address.substr(1), visitor);
    return address.size() > 1 ? LinkTarget::kPage : LinkTarget::kNone;
  }
  const std::string_view whole = address;
  const std::string_view scheme = SchemeOf(address);
  if (!scheme.empty()) {
    address.remove_prefix(scheme.size() + 1);
    if (!EqualSmall(scheme, "http") && !EqualSmall(scheme, "https")) {
      visitor->Token(HashSmall(scheme, kSchemeSeed));
      return LinkTarget::kNone;
    }
  }
  LinkTarget target = LinkTarget::kSite;
  if (address.starts_with("//")) {
    address.remove_prefix(2);
    const std::string_view other = PlainAuthority(TakeUntil(kSlash | kQuestion | kNumberSign, &address));
    if (!EqualSmall(other, page.Host())) {
      visitor->Token(HashSmall(other, kHostSeed));
      target = LinkTarget::kOther;
    }
  }
  std::string_view path = TakeUntil(kNumberSign, &address);
  const bool has_fragment = address.size() > 1;
  if (has_fragment && target == LinkTarget::kSite && page.IsOwn(whole)) {
    target = LinkTarget::kPage;
  } else {
    VisitPath(TakeUntil(kQuestion, &path), visitor);
    VisitQuery(path, visitor);
  }
  if (has_fragment) VisitFragment(address.substr(1), visitor);
  return target;
}

}  // namespace uzushio
