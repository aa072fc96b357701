// Titles as they are compared: on one line, in parts, by letters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace uzushio {

// What is looked at of a title, a heading or a paragraph.
inline constexpr size_t kMaxTitleLooked = 4096;

// The text on one line, at most kMaxTitleLooked bytes of it: white space as single spaces, none at the ends, without
// the marks of document/markup.h.
std::string OnOneLine(std::string_view text);

// The text without spaces at its ends.
std::string_view TrimSpaces(std::string_view text);

// The parts of a line, without spaces at their ends, none empty: what is between ` | `, ` - `, dashes, `»`, `｜` and
// the like. Views into the line.
std::vector<std::string_view> TitleParts(std::string_view line);

// Letters, digits and symbols beyond U+00BF after NFKC and folding of case (Unicode Standard, 3.13); no white space, no
// punctuation. Empty where there are none, or the line is no valid UTF-8.
std::u32string TitleLetters(std::string_view line);

// Whether a heading says what the title says, by letters: one has the other in it.
bool HeadingRepeatsTitle(std::string_view title, std::string_view heading);

// Whether a paragraph says what the title says, by letters. It does if it begins with the title or a part of it that is
// not the last (often the site's name), has the title in it and fewer than three times its letters, or is in the title
// and has half of its letters or more.
bool ParagraphRepeatsTitle(std::string_view title, std::string_view paragraph);

}  // namespace uzushio
