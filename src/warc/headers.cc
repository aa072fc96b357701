#include "warc/headers.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/trim.h"

namespace uzushio {

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, LowerAscii, LowerAscii);
}

std::string_view TrimAscii(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  return Trimmed(text, is_space);
}

size_t FindHeaderEnd(std::string_view text, size_t from) {
  for (size_t at = text.find('\n', from); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    size_t next = at + 1;
    if (next < text.size() && text[next] == '\r') ++next;
    if (next < text.size() && text[next] == '\n') return next + 1;
  }
  return std::string_view::npos;
}

void Headers::Parse(std::string_view lines) {
  fields_.clear();
  while (!lines.empty() && fields_.size() < kMaxFields) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || line.starts_with(' ') || line.starts_with('\t')) continue;
    fields_.emplace_back(TrimAscii(line.substr(0, colon)), TrimAscii(line.substr(colon + 1)));
  }
}

std::optional<std::string_view> Headers::Find(std::string_view name) const {
  for (const auto& [field, value] : fields_) {
    if (EqualsIgnoreCase(field, name)) return value;
  }
  return std::nullopt;
}

}  // namespace uzushio
