#include "datasets/bounded_pool.h"

#include <arrow/buffer.h>
#include <gtest/gtest.h>

namespace uzushio {
namespace {

TEST(BoundedPool, LivesAsLongAsWhatItGave) {
  std::shared_ptr<arrow::Buffer> kept;
  {
    const BoundedPool::Ptr pool = BoundedPool::Make();
    pool->set_bound(1000);
    kept = arrow::AllocateBuffer(600, pool.get()).ValueOrDie();
    EXPECT_TRUE(arrow::AllocateBuffer(600, pool.get()).status().IsOutOfMemory());
    EXPECT_GE(pool->refused(), 1200);
    EXPECT_GE(pool->bytes_allocated(), 600);
    EXPECT_LE(pool->bytes_allocated(), 700);
  }
  kept->mutable_data()[599] = 1;
  EXPECT_EQ(kept->data()[599], 1);
}

}  // namespace
}  // namespace uzushio
