#include "storage/input_window.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

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

// A file of a store, which counts what it is asked for.
class CountingFile final : public arrow::io::RandomAccessFile {
 public:
  using RandomAccessFile::ReadAt;
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t count, void* out) override {
    reads.push_back(count);
    return file_.ReadAt(position, count, out);
  }
  arrow::Result<int64_t> Read(int64_t count, void* out) override { return file_.Read(count, out); }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t count) override { return file_.Read(count); }
  arrow::Result<int64_t> GetSize() override { return file_.GetSize(); }
  arrow::Result<int64_t> Tell() const override { return file_.Tell(); }
  arrow::Status Seek(int64_t position) override { return file_.Seek(position); }
  arrow::Status Close() override { return file_.Close(); }
  bool closed() const override { return file_.closed(); }

  std::vector<int64_t> reads;

 private:
  arrow::io::BufferReader file_{arrow::Buffer::FromString(std::string(32 << 20, 'x'))};
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
