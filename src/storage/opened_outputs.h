// Telling what an output is opened for, before anything of it is written.
#pragma once

#include <arrow/status.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "storage/listener_scope.h"

namespace uzushio {

// Gets the place of an output and the identity of the run that is to write it, as its manifest will have it. An error
// ends the stage, which has written nothing then.
using OpenedListener = std::function<arrow::Status(const std::filesystem::path& place, const nlohmann::json& run)>;

// Of the outputs that this thread opens.
using OpenedScope = ListenerScope<OpenedListener>;

}  // namespace uzushio
