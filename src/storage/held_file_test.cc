#include "storage/held_file.h"

#include <arrow/io/memory.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace uzushio {
namespace {

std::string ReadOf(HeldFile* file, int64_t position, size_t count) {
  std::string bytes(count, '\0');
  bytes.resize(static_cast<size_t>(*file->ReadAt(position, static_cast<int64_t>(count), bytes.data())));
  return bytes;
}

TEST(HeldFile, ReadsWhatIsHeldAndElseTheFile) {
  auto under = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString("0123456789"));
  HeldFile file(under, 10);
  EXPECT_EQ(ReadOf(&file, 2, 3), "234");
  file.Hold(2, arrow::Buffer::FromString("abc"));
  EXPECT_EQ(ReadOf(&file, 2, 3), "abc");
  EXPECT_EQ(ReadOf(&file, 3, 9), "bc");  // what is behind takes a read of its own
  EXPECT_EQ(ReadOf(&file, 5, 9), "56789");
  EXPECT_EQ(ReadOf(&file, 0, 9), "012345678");
  EXPECT_TRUE(file.Seek(4).ok());
  EXPECT_EQ((*file.Read(9))->ToString(), "c");
  EXPECT_EQ(*file.Tell(), 5);
  file.Hold(0, nullptr);
  EXPECT_EQ(ReadOf(&file, 2, 3), "234");
}

TEST(HeldFile, NeedsNoFile) {
  HeldFile file(nullptr, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(ReadOf(&file, 0, 3), "");
  file.Hold(1 << 20, arrow::Buffer::FromString("abc"));
  EXPECT_EQ(ReadOf(&file, (1 << 20) + 1, 3), "bc");
  EXPECT_FALSE(file.closed());
  EXPECT_TRUE(file.Close().ok());
}

}  // namespace
}  // namespace uzushio
