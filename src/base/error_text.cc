#include "base/error_text.h"

#include <arrow/util/io_util.h>

#include <system_error>

namespace uzushio {

std::string ErrorText(const arrow::Status& error) {
  const int number = arrow::internal::ErrnoFromStatus(error);
  if (number == 0) return error.message();
  const std::string reason = std::generic_category().message(number);
  return error.message().ends_with(reason) ? error.message() : error.message() + ": " + reason;
}

}  // namespace uzushio
