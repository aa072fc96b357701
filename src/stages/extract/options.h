// The options of `extract` that decide which documents come out.
#pragma once

#include <arrow/result.h>

#include <set>
#include <string>
#include <vector>

#include "base/options.h"
#include "html/limits.h"
#include "html/main_content/content_marker.h"

namespace uzushio {

// What decides which documents come out.
struct ExtractOptions {
  std::set<std::string> languages = {"ja"};  // empty: all
  ContentMethod main_content = ContentMethod::kNone;
  bool mark_boilerplate = false;  // what is no content stays, too, and all has a score
  PageLimits limits;

  bool only_japanese() const { return languages.size() == 1 && languages.contains("ja"); }
  bool keeps(const std::string& language) const { return languages.empty() || languages.contains(language); }
};

// As they are given: languages are still texts.
struct PageOptions {
  std::vector<std::string> languages = {"ja"};
  ContentMethod main_content = ContentMethod::kNone;
  bool mark_boilerplate = false;
  PageLimits limits;
};

const Options<PageOptions>& DeclaredPageOptions();

// Errors: what is no code of a language; `all` beside one; boilerplate is to be marked, and nothing says by what.
arrow::Result<ExtractOptions> ToExtractOptions(const PageOptions& options);

}  // namespace uzushio
