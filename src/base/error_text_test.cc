#include "base/error_text.h"

#include <arrow/filesystem/localfs.h>
#include <gtest/gtest.h>

namespace uzushio {
namespace {

TEST(ErrorText, HasTheReasonOfTheSystem) {
  const auto missing = arrow::fs::LocalFileSystem().OpenInputFile("/nowhere/a").status();
  EXPECT_EQ(ErrorText(missing), missing.message() + ": No such file or directory");
  EXPECT_EQ(ErrorText(missing.WithMessage("a: No such file or directory")), "a: No such file or directory");
  EXPECT_EQ(ErrorText(arrow::Status::Invalid("wrong")), "wrong");
}

}  // namespace
}  // namespace uzushio
