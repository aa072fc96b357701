// Telling how far an upload is.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "storage/listener_scope.h"

namespace uzushio {

// Gets the bytes that are done, of how many, and what to say beside them. Calls do not overlap.
using UploadListener = std::function<void(int64_t done, int64_t total, const std::string& note)>;

// Of the uploads of outputs that this thread commits.
using UploadScope = ListenerScope<UploadListener>;

}  // namespace uzushio
