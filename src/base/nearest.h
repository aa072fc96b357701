// What someone who mistyped a name may have meant.
#pragma once

#include <string>
#include <vector>

namespace uzushio {

// "; did you mean X?" with the name at the least edit distance, or nothing where all are farther than a third of the
// name's length.
std::string DidYouMean(const std::string& name, const std::vector<std::string>& names);

}  // namespace uzushio
