// Finds personal data in Japanese text.
#pragma once

#include <string_view>
#include <vector>

#include "personal/kinds.h"

namespace uzushio {

// Appends the spans of these kinds, in order and apart. `text` is valid UTF-8, plain (without marks). One pass looks,
// sixteen bytes at once, for what all of them have: `@`, or a digit. Around one, a bounded number of characters is
// read, so that time is linear in the text's length, whatever is in it.
void FindPersonalData(std::string_view text, const PersonalKindSet& kinds, std::vector<PersonalSpan>* spans);

}  // namespace uzushio
