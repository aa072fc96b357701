#include "document/paragraph_hash.h"

#include <gtest/gtest.h>

namespace uzushio {
namespace {

TEST(ParagraphHash, IsSparksXxhash64) {
  // The example of PySpark's documentation of the function.
  EXPECT_EQ(ParagraphHash("ABC"), 4105715581806190027);
}

}  // namespace
}  // namespace uzushio
