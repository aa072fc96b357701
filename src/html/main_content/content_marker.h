// What tells a page's main content from the rest of it.
#pragma once

#include <lexbor/html/html.h>

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "document/markup.h"
#include "html/outline.h"

namespace uzushio {

// The greatest score that is less than .5.
inline constexpr float kMostOfRest = 0.5F - std::numeric_limits<float>::epsilon() / 4;
static_assert(kMostOfRest < 0.5F);

// What is decided of a paragraph.
struct ContentMark {
  float score;   // 0 … 1, how surely it is content
  bool content;  // whether it is kept

  bool operator==(const ContentMark&) const = default;
};

// Decides otherwise, where a paragraph was none, or was content. Scores agree with that (ContentMarker::Mark).
inline void MakeContent(ContentMark* mark) {
  if (!mark->content) *mark = {0.5F, true};
}
inline void MakeRest(ContentMark* mark) {
  if (mark->content) *mark = {kMostOfRest, false};
}

// A page as extraction has it. Views into the caller's memory.
struct PageForContent {
  lxb_html_document_t* tree;
  std::string_view url;
  std::string_view text;  // in the markup of document/markup.h
  const PageOutline* outline;

  std::string_view PathOf(size_t paragraph) const {
    const PageOutline::Paragraph& at = outline->paragraphs[paragraph];
    return text.substr(at.begin, at.path_end - at.begin);
  }
  std::string_view TextOf(size_t paragraph) const {
    const PageOutline::Paragraph& at = outline->paragraphs[paragraph];
    return text.substr(at.text, at.end - at.text);
  }
  // Whether a paragraph has a structure (document/structure.h); and that.
  bool IsShown(size_t paragraph) const { return text[outline->paragraphs[paragraph].path_end] == kStructureMark; }
  std::string_view StructureOf(size_t paragraph) const {
    const PageOutline::Paragraph& at = outline->paragraphs[paragraph];
    return IsShown(paragraph) ? text.substr(at.path_end + 1, at.text - at.path_end - 2) : std::string_view();
  }
};

enum class ContentMethod {
  kNone,
  kModel,    // html/main_content/main_content.h
  kJustext,  // html/main_content/justext.h
};

// What decides the marks: "model" and its digest, "justext"; empty for none.
std::string NameOf(ContentMethod method);

// Marks pages, one after another; keeps its memory. One for each thread.
class ContentMarker {
 public:
  virtual ~ContentMarker() = default;

  // Sets `marks` to a mark for each paragraph of the page's outline. What is content has a score of .5 or more, what is
  // not has less: who keeps the scores can decide again, and come to the same.
  virtual void Mark(const PageForContent& page, std::vector<ContentMark>* marks) = 0;
};

// Null for none.
std::unique_ptr<ContentMarker> MakeContentMarker(ContentMethod method);

}  // namespace uzushio
