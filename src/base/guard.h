// Exceptions of libraries, and of memory that has run out, as errors.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <exception>
#include <new>
#include <type_traits>

namespace uzushio {

// What the exception in flight says; inside a `catch` only.
inline arrow::Status ExceptionStatus() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return arrow::Status::OutOfMemory(
        "memory has run out: let the process have more, or give the stage less memory or fewer threads");
  } catch (const std::exception& error) {
    return arrow::Status::UnknownError(error.what());
  } catch (...) {
    return arrow::Status::UnknownError("an exception of unknown type");
  }
}

// Calls `work`, which returns a Status or a Result; what it throws is returned as an error.
template <typename Work>
std::invoke_result_t<Work&> Guarded(Work&& work) {
  try {
    return work();
  } catch (...) {
    return ExceptionStatus();
  }
}

}  // namespace uzushio
