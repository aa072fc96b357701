// Whether a model in KenLM's binary format can be searched without reading outside of it.
#pragma once

#include <arrow/status.h>

#include <string>

namespace uzushio {

// KenLM maps a binary model and believes what it says. This reads before it what decides where a search looks: the
// sizes of the header, the numbers of words, that each hash table has an empty place, where a search for what is not
// there ends; and, of tries, that the nodes of each level have their children in the next. What a model of ARPA has is
// not looked at. Reads the vocabulary, and, of tries, all but the highest order. Errors: Invalid, with what is wrong;
// an exception of KenLM's for a file that can not be read.
arrow::Status CheckKenlmBinary(const std::string& path);

}  // namespace uzushio
