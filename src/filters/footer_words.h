// What Japanese web pages end with.
#pragma once

#include <set>
#include <string>

namespace uzushio {

// The keywords that footers of the Swallow corpus were trimmed by (footer.py of swallow-corpus).
std::set<std::string> FooterWords();

}  // namespace uzushio
