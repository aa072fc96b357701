#include "storage/input_window.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/stop.h"
#include "storage/test_file.h"

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

// A file of a store, which counts what it is asked for.
class CountingFile final : public TestFile {
 public:
  CountingFile() : TestFile(std::string(32 << 20, 'x')) {}
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t count, void* out) override {
    reads.push_back(count);
    return TestFile::ReadAt(position, count, out);
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t count) override {
    reads.push_back(count);
    return TestFile::ReadAt(position, count);
  }

  std::vector<int64_t> reads;
};

// What is read on from one place is read in few requests; what is read at many places, in short ones.
TEST(InputWindow, ReadsMoreOfAStoreTheLongerItGoesOn) {
  constexpr int64_t kShort = 512 << 10;
  const auto file = std::make_shared<CountingFile>();
  const auto window = InputWindow::Open(file).ValueOrDie();
  for (int64_t done = 0; done < 31 * kShort; done += kShort) {
    ASSERT_EQ(window->Peek(kShort).ValueOrDie().substr(0, kShort), std::string(kShort, 'x'));
    window->Consume(kShort);
  }
  EXPECT_EQ(file->reads, (std::vector<int64_t>{kShort, 2 * kShort, 4 * kShort, 8 * kShort, 8 * kShort, 8 * kShort}));
  window->Seek(0);
  ASSERT_TRUE(window->Peek(1).ok());
  EXPECT_EQ(file->reads.back(), kShort);
}

}  // namespace
}  // namespace uzushio
