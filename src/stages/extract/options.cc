#include "stages/extract/options.h"

#include <algorithm>
#include <cstdint>

#include "base/size.h"

namespace uzushio {

arrow::Result<std::set<std::string>> ParseLanguages(const std::vector<std::string>& languages) {
  std::set<std::string> codes;
  for (const std::string& language : languages) {
    if (language == "all") {
      if (languages.size() > 1) return arrow::Status::Invalid("--language: 'all' stands alone");
      return codes;
    }
    const bool valid = !language.empty() && std::ranges::all_of(language, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    });
    if (!valid) {
      return arrow::Status::Invalid("--language: '", language, "' is no language code; give ISO 639-1 codes as ja,en,",
                                    " or all");
    }
    codes.insert(language);
  }
  return codes;
}

arrow::Result<size_t> ParsePageSize(const std::string& text) {
  constexpr int64_t kMost = int64_t{1} << 30;
  ARROW_ASSIGN_OR_RAISE(const int64_t bytes, ParseSize(text));
  if (bytes > kMost) return arrow::Status::Invalid("--max-page-bytes: at most 1GiB");
  return static_cast<size_t>(bytes);
}

}  // namespace uzushio
