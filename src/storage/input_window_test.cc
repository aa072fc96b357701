#include "storage/input_window.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <gtest/gtest.h>

#include "base/stop.h"

namespace uzushio {
namespace {

// However long a search goes on inside a file, it ends at the next read.
TEST(InputWindow, AsksWhetherToStopBeforeItReads) {
  const auto file = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(std::string(4 << 20, 'x')));
  const auto window = InputWindow::Open(file).ValueOrDie();
  arrow::StopSource stop;
  const StopScope scope(stop.token());
  ASSERT_TRUE(window->Peek(1).ok());
  stop.RequestStop();
  EXPECT_TRUE(window->Peek(1).ok());
  EXPECT_TRUE(window->Peek(2 << 20).status().IsCancelled());
}

}  // namespace
}  // namespace uzushio
