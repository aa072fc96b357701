// How many threads a memory does for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace uzushio {

// The most of so many threads that the memory is enough for; 1 where it is not enough for one. `least` is what so many
// threads need, and grows with them.
int AllowedThreads(int threads, int64_t memory, const std::function<int64_t(int threads)>& least);

// What a user is told who has asked for more.
std::string AllowedThreadsWarning(int allowed, int threads);

}  // namespace uzushio
