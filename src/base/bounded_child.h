// Work whose cost its input decides, in a process of its own that the system bounds.
#pragma once

#include <arrow/result.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace uzushio {

// How long a child is waited for, whatever it does meanwhile: it may wait for a lock that another thread had when the
// process was copied.
inline constexpr std::chrono::minutes kChildPatience{5};

// Calls `work` in a copy of this process, which may take `memory` bytes more than this one has and a minute of a
// processor, and returns what it returns. `work` calls nothing that waits for another thread. Errors: OutOfMemory when
// the copy ended before that, or had not after `patience` and was ended; IOError when there can be none.
arrow::Result<std::string> InBoundedChild(const std::function<std::string()>& work, int64_t memory,
                                          std::chrono::milliseconds patience = kChildPatience);

}  // namespace uzushio
