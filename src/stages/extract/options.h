// The options of `extract` that decide which documents come out.
#pragma once

#include <arrow/result.h>

#include <set>
#include <string>
#include <vector>

#include "base/options.h"
#include "stages/extract/page_extractor.h"

namespace uzushio {

// As they are given: languages are still texts.
struct PageOptions {
  std::vector<std::string> languages = {"ja"};
  PageLimits limits;
};

const Options<PageOptions>& DeclaredPageOptions();

// Errors: what is no code of a language; `all` beside one.
arrow::Result<ExtractOptions> ToExtractOptions(const PageOptions& options);

}  // namespace uzushio
