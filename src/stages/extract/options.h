// What the user decides of `extract`.
#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "html/limits.h"

namespace uzushio {

// What decides which documents come out.
struct ExtractOptions {
  std::set<std::string> languages = {"ja"};  // empty: all
  PageLimits limits;

  bool only_japanese() const { return languages.size() == 1 && languages.contains("ja"); }
  bool keeps(const std::string& language) const { return languages.empty() || languages.contains(language); }
};

// What --language takes: codes of languages to keep. The result is empty for `all`.
arrow::Result<std::set<std::string>> ParseLanguages(const std::vector<std::string>& languages);

// What --max-page-bytes and --max-text-bytes take: bytes, at most 1 GiB.
arrow::Result<size_t> ParsePageSize(const std::string& text);

}  // namespace uzushio
