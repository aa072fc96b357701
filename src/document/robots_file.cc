#include "document/robots_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "base/ascii.h"
#include "base/native.h"
#include "document/native_robots.h"

namespace uzushio {
namespace {

constexpr size_t kMostPathBytes = size_t{2} << 10;
constexpr std::string_view kName = "user-agent: ";
constexpr std::string_view kAllow = "allow: ";
constexpr std::string_view kDisallow = "disallow: ";
constexpr std::string_view kHexDigits = "0123456789ABCDEF";

// Calls `name(text)` and `rule(allows, pattern)` with the lines of groups, until there are no more.
template <typename Name, typename Rule>
void ForEachGroupLine(std::string_view groups, Name name, Rule rule) {
  while (!groups.empty()) {
    const size_t end = std::min(groups.find('\n'), groups.size());
    const std::string_view line = groups.substr(0, end);
    groups.remove_prefix(std::min(end + 1, groups.size()));
    if (line.starts_with(kName)) name(line.substr(kName.size()));
    if (line.starts_with(kAllow)) rule(true, line.substr(kAllow.size()));
    if (line.starts_with(kDisallow)) rule(false, line.substr(kDisallow.size()));
  }
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = LowerAscii(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// RFC 3986, section 2: of unreserved characters the encoded form is the same as the plain one; those of neither kind
// have to be encoded. `*` and `$` are, since in a pattern they are special (RFC 9309, section 2.2.3).
enum class UriCharacter : uint8_t { kUnreserved, kReserved, kOther };
constexpr std::array<UriCharacter, 256> kCharacters = [] {
  std::array<UriCharacter, 256> kinds{};
  kinds.fill(UriCharacter::kOther);
  for (const char c : std::string_view(":/?#[]@!&'()+,;=")) kinds[static_cast<uint8_t>(c)] = UriCharacter::kReserved;
  for (const char c : std::string_view("-._~")) kinds[static_cast<uint8_t>(c)] = UriCharacter::kUnreserved;
  for (size_t c = '0'; c <= '9'; ++c) kinds[c] = UriCharacter::kUnreserved;
  for (size_t c = 'a'; c <= 'z'; ++c) kinds[c] = kinds[c - 'a' + 'A'] = UriCharacter::kUnreserved;
  return kinds;
}();

void Append(std::string_view text, bool is_pattern, std::string* out) {
  const auto encode = [out](uint8_t byte) {
    *out += '%';
    *out += kHexDigits[byte >> 4];
    *out += kHexDigits[byte & 15];
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    const bool is_special = is_pattern && (text[i] == '*' || (text[i] == '$' && i + 1 == text.size()));
    const int high = text[i] == '%' && i + 2 < text.size() ? HexValue(text[i + 1]) : -1;
    const int low = high >= 0 ? HexValue(text[i + 2]) : -1;
    if (low >= 0) {
      const auto encoded = static_cast<uint8_t>(high << 4 | low);
      if (kCharacters[encoded] == UriCharacter::kUnreserved) {
        *out += static_cast<char>(encoded);
      } else {
        encode(encoded);
      }
      i += 2;
    } else if (kCharacters[byte] != UriCharacter::kOther || text[i] == '%' || is_special) {
      *out += text[i];
    } else {
      encode(byte);
    }
  }
}

// Where `part` is in `text` from `from` on. In linear time, which std::string_view::find does not promise.
size_t FindFrom(std::string_view text, std::string_view part, size_t from) {
  const void* const found = memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return found == nullptr ? std::string_view::npos : static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

// The parts between `*` are looked for one after another, each at its first place: no other choice could do better.
bool Matches(std::string_view pattern, std::string_view path) {
  const bool to_end = pattern.ends_with('$');
  if (to_end) pattern.remove_suffix(1);
  size_t star = std::min(pattern.find('*'), pattern.size());
  if (!path.starts_with(pattern.substr(0, star))) return false;
  size_t at = star;
  if (star == pattern.size()) return !to_end || at == path.size();
  while (star < pattern.size()) {
    pattern.remove_prefix(star + 1);
    star = std::min(pattern.find('*'), pattern.size());
    const std::string_view part = pattern.substr(0, star);
    if (star == pattern.size() && to_end) return path.size() - at >= part.size() && path.ends_with(part);
    if (part.empty()) continue;
    const size_t found = FindFrom(path, part, at);
    if (found == std::string_view::npos) return false;
    at = found + part.size();
  }
  return true;
}

}  // namespace

std::string GroupsOfRobots(std::string_view file) {
  if (file.size() > kMostRobotsBytes) {  // a part of a pattern would forbid more
    file = file.substr(0, kMostRobotsBytes);
    file = file.substr(0, file.find_last_of("\r\n") + 1);
  }
  const std::unique_ptr<UzRobots, decltype(&uz_robots_free)> read(uz_robots_read(AsBytes(file), file.size()),
                                                                  &uz_robots_free);
  size_t length = 0;
  const uint8_t* const text = uz_robots_text(read.get(), &length);
  return {reinterpret_cast<const char*>(text), length};
}

std::vector<std::string> NamesInGroups(std::string_view groups) {
  std::vector<std::string> names;
  ForEachGroupLine(
      groups, [&names](std::string_view name) { names.emplace_back(name); }, [](bool, std::string_view) {});
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string RobotsRules::For(std::string_view name, std::string_view groups) {
  struct Found {
    std::vector<std::pair<bool, std::string>> rules;
    bool is_named = false;
    bool is_open = false;  // in the group at hand
  };
  Found own;
  Found all;
  bool has_rules = false;
  ForEachGroupLine(
      groups,
      [&](std::string_view of) {
        if (has_rules) own.is_open = all.is_open = has_rules = false;
        Found* const found = of == name ? &own : of == "*" ? &all : nullptr;
        if (found != nullptr) found->is_open = found->is_named = true;
      },
      [&](bool allows, std::string_view pattern) {
        has_rules = true;
        if (pattern.empty()) return;
        for (Found* const found : {&own, &all}) {
          if (!found->is_open) continue;
          Append(pattern, true, &found->rules.emplace_back(allows, std::string()).second);
        }
      });
  auto& rules = own.is_named ? own.rules : all.rules;
  if (std::ranges::all_of(rules, [](const auto& rule) { return rule.first; })) return {};
  std::ranges::sort(rules, [](const auto& a, const auto& b) {
    if (a.second.size() != b.second.size()) return a.second.size() > b.second.size();
    if (a.first != b.first) return a.first;
    return a.second < b.second;
  });
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  std::string text;
  for (const auto& [allows, pattern] : rules) {
    text += allows ? '+' : '-';
    text += pattern;
    text += '\n';
  }
  return text;
}

std::optional<RobotsRules::Rule> RobotsRules::Find(std::string_view rules, std::string_view path) {
  while (!rules.empty()) {
    const size_t end = rules.find('\n');
    const Rule rule = {rules.front() == '+', rules.substr(1, end - 1)};
    if (Matches(rule.pattern, path)) return rule;
    rules.remove_prefix(end + 1);
  }
  return std::nullopt;
}

void ComparedPath(std::string_view path, std::string* out) {
  out->clear();
  Append(path.substr(0, kMostPathBytes), false, out);
}

}  // namespace uzushio
