// A page's text, reduced to its main content.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "html/main_content/content_marker.h"

namespace uzushio {

// The path of a title that is put before the content.
inline constexpr std::string_view kTitlePath = "head>h1";

// What becomes of the paragraphs.
enum class ContentForm {
  kContent,  // those that are content stay
  kScores,   // all stay, each with its score
};

// Sets `out` to the text of a page by the marks of its paragraphs. Returns the number of paragraphs in it.
//
// The title, if it is not empty, comes first, as a paragraph of path kTitlePath, which no paragraph of a page has. It
// does not where nothing is content, or where the first heading, an h1 or the first other paragraph that is content
// says the same (html/title_text.h). So what stays of a text with scores, when those below .5 go, is the text of
// content.
int64_t WriteContent(const PageForContent& page, const std::vector<ContentMark>& marks, std::string_view title,
                     ContentForm form, std::string* out);

// A mark's score in hundredths, at most kMaxScore: 50 or more where it is content, less where it is not.
uint8_t ScoreInHundredths(const ContentMark& mark);

}  // namespace uzushio
