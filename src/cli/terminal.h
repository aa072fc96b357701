// What a terminal shows.
#pragma once

#include <string>

namespace uzushio {

// Whether what is written to a file (a descriptor) may be coloured: it is a terminal that can, and NO_COLOR
// (no-color.org) is not set, or empty.
bool HasColour(int file);

// The columns of a terminal; 80 where the file is none, or does not tell.
int TerminalColumns(int file);

enum class Style { kHeading, kError, kWarning };
// The text in a style, or, without colour, as it is.
std::string Styled(const std::string& text, Style style, bool colour);

}  // namespace uzushio
