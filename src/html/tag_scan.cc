#include "html/tag_scan.h"

#include <algorithm>

#include "base/ascii.h"

namespace uzushio {

size_t FindIgnoreCase(std::string_view text, std::string_view word, size_t from) {
  if (from >= text.size()) return std::string_view::npos;
  const auto found = std::search(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(), word.begin(), word.end(),
                                 [](char a, char b) { return LowerAscii(a) == b; });
  return found == text.end() ? std::string_view::npos : static_cast<size_t>(found - text.begin());
}

bool IsWord(std::string_view text, std::string_view word) { return std::ranges::equal(text, word, {}, LowerAscii); }

bool BeginsTag(std::string_view text, std::string_view name) {
  if (text.size() <= name.size()) return false;
  const char next = text[name.size()];
  if (!IsMarkupSpace(next) && next != '/' && next != '>') return false;
  return IsWord(text.substr(0, name.size()), name);
}

bool NextAttribute(std::string_view* rest, std::string_view* name, std::string_view* value) {
  size_t at = 0;
  const std::string_view text = *rest;
  while (at < text.size() && (IsMarkupSpace(text[at]) || text[at] == '/')) ++at;
  if (at == text.size() || text[at] == '>') return false;
  size_t start = at++;  // also of `=`, with which a name may begin
  while (at < text.size() && !IsMarkupSpace(text[at]) && text[at] != '=' && text[at] != '>' && text[at] != '/') ++at;
  *name = text.substr(start, at - start);
  *value = {};
  while (at < text.size() && IsMarkupSpace(text[at])) ++at;
  if (at < text.size() && text[at] == '=') {
    ++at;
    while (at < text.size() && IsMarkupSpace(text[at])) ++at;
    if (at < text.size() && (text[at] == '"' || text[at] == '\'')) {
      const size_t end = std::min(text.find(text[at], at + 1), text.size());
      *value = text.substr(at + 1, end - at - 1);
      at = std::min(end + 1, text.size());
    } else {
      start = at;
      while (at < text.size() && !IsMarkupSpace(text[at]) && text[at] != '>') ++at;
      *value = text.substr(start, at - start);
    }
  }
  rest->remove_prefix(at);
  return true;
}

}  // namespace uzushio
