// Errors that more memory would spare, told apart from others of their kind.
#pragma once

#include <arrow/status.h>

#include <memory>
#include <utility>

namespace uzushio {

// What marks them. WithMessage leaves it where it is.
std::shared_ptr<arrow::StatusDetail> MemoryDetail();

// An error of the user's (Invalid); the message says how much `--memory` would do.
template <typename... Args>
arrow::Status MemoryError(Args&&... args) {
  return arrow::Status::Invalid(std::forward<Args>(args)...).WithDetail(MemoryDetail());
}

bool IsMemoryError(const arrow::Status& error);

}  // namespace uzushio
