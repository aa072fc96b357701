// Kernels whose memory runs out: at the first allocation, at the second, at each.
//
// Sanitizers have an allocator of their own: there, C++ and lexbor are refused memory. Elsewhere every library is, but
// for Rust's, which end the process.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <string>

namespace uzushio {

// A kernel, on inputs that stay the same: what it makes of them, as bytes. What it uses again and again is made before.
using Kernel = std::function<arrow::Result<std::string>()>;

// How often a kernel was run.
struct AllocationFailures {
  int64_t told = 0;      // ended with std::bad_alloc, or with OutOfMemory
  int64_t absorbed = 0;  // did without that memory, and made the same
};

// Whether allocations of every library fail.
bool IsEveryLibraryRefused();

// Runs the kernel with its n-th allocation failing, for n = 1, 2, …, until it makes no more. Each time it says that
// memory has run out, or makes the same as else; and then, with memory, makes the same again. Expects this.
AllocationFailures FailEachAllocation(const Kernel& kernel);

}  // namespace uzushio
