#include "base/memory_error.h"

#include <gtest/gtest.h>

namespace uzushio {
namespace {

TEST(MemoryError, IsTheUsersAndToldApart) {
  const arrow::Status error = MemoryError("--memory ", 1, "MiB: two are needed");
  EXPECT_TRUE(error.IsInvalid());
  EXPECT_EQ(error.message(), "--memory 1MiB: two are needed");
  EXPECT_TRUE(IsMemoryError(error));
  EXPECT_TRUE(IsMemoryError(error.WithMessage("stages[1]: ", error.message())));
  EXPECT_FALSE(IsMemoryError(arrow::Status::Invalid("--memory 1MiBB: is no size")));
  EXPECT_FALSE(IsMemoryError(arrow::Status::OK()));
}

}  // namespace
}  // namespace uzushio
