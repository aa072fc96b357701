// Tags in markup that is not parsed. Upper and lower case of ASCII are the same.
#pragma once

#include <cstddef>
#include <string_view>

namespace uzushio {

inline bool IsMarkupSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

// Where `word` (lower case) stands in `text`, or npos.
size_t FindIgnoreCase(std::string_view text, std::string_view word, size_t from = 0);

// Whether `text` is `word` (lower case).
bool IsWord(std::string_view text, std::string_view word);

// Whether `text` begins with the name of a tag (lower case), which ends there.
bool BeginsTag(std::string_view text, std::string_view name);

// One attribute of a tag. `rest` stands behind the tag's name or the attribute before, and moves behind this one; at
// the tag's end, where false is returned, it stays.
bool NextAttribute(std::string_view* rest, std::string_view* name, std::string_view* value);

}  // namespace uzushio
