// Work whose cost its input decides, in a process of its own that the system bounds.
#pragma once

#include <arrow/result.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace uzushio {

// How long a child is waited for, whatever it does meanwhile.
inline constexpr std::chrono::minutes kChildPatience{5};

// Runs a program: `command` is its path and arguments, `request` its standard input. Returns what it has written to
// standard output, without the mark of EndAnswer. The program is executed, never a copy of this process, of whose
// threads a copy would have the locks but not the threads. What the program starts is not waited for. Errors:
// OutOfMemory when the program ended before that mark or not well, or had not ended after `patience` and was ended;
// IOError when it can not be started.
arrow::Result<std::string> InBoundedChild(const std::vector<std::string>& command, std::string_view request,
                                          std::chrono::milliseconds patience = kChildPatience);

// What such a program calls first. From here on this process may take `memory` bytes more than it has and a minute of a
// processor, and write files of as many bytes; it ends with its parent, keeps no file that the parent had open but the
// standard ones, and writes no core.
void BoundThisProcess(int64_t memory);

// All of standard input.
std::string ReadRequest();

// Writes an answer, and that it is whole, and ends this process.
[[noreturn]] void EndAnswer(std::string_view answer);

}  // namespace uzushio
