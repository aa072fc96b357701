// What tells a page's main content from the rest of it.
#pragma once

#include <arrow/result.h>

#include <memory>
#include <string_view>
#include <vector>

#include "html/main_content.h"

namespace uzushio {

enum class ContentMethod {
  kNone,
  kModel,
  kJustext,  // html/justext.h
};

// "model", "justext"; empty for none.
std::string_view NameOf(ContentMethod method);

// Marks pages, one after another; keeps its memory. One for each thread.
class ContentMarker {
 public:
  virtual ~ContentMarker() = default;

  // Sets `marks` to a mark for each paragraph of the page's outline. What is content has a score of .5 or more, what is
  // not has less: who keeps the scores can decide again, and come to the same.
  virtual void Mark(const PageForContent& page, std::vector<ContentMark>* marks) = 0;
};

// Null for none.
arrow::Result<std::unique_ptr<ContentMarker>> MakeContentMarker(ContentMethod method);

}  // namespace uzushio
