// What an error says to people.
#pragma once

#include <arrow/status.h>

#include <string>

namespace uzushio {

// The message and, where Arrow tells it apart, the system's reason: `Failed to open local file 'a': Permission denied`.
std::string ErrorText(const arrow::Status& error);

}  // namespace uzushio
