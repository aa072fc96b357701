#include "stages/report/joined_rows.h"

#include <gtest/gtest.h>

#include <string>

#include "base/test_support.h"

namespace uzushio {
namespace {

class JoinedRows : public FolderTest {};

TEST_F(JoinedRows, AreReadFromFilesAsTheyWereAppended) {
  SpillSpace space(root_);
  const auto file = RowFile::Create(&space);
  ASSERT_TRUE(file.ok()) << file.status();
  const std::string host(kLongestHost, 'h');
  constexpr int64_t kRows = 5000;  // more than one block
  for (int64_t i = 0; i < kRows; ++i) {
    JoinRow row = {1, 2, 3, i, {4, 5, i}, i % 2 == 0};
    ASSERT_TRUE((*file)->Append({row, std::string_view(host).substr(0, static_cast<size_t>(i) % 256)}).ok());
  }
  ASSERT_TRUE((*file)->Flush().ok());
  EXPECT_GT(space.bytes_written(), kRows * static_cast<int64_t>(sizeof(StoredRow)));
  RowCursor cursor(file->get());
  const RowCursor begin = cursor;
  for (int time = 0; time < 2; ++time) {
    for (int64_t i = 0; i < kRows; ++i) {
      const auto row = cursor.Next();
      ASSERT_TRUE(row.ok()) << row.status();
      ASSERT_NE(*row, nullptr);
      EXPECT_EQ((*row)->row.place, (RowPlace{4, 5, i}));
      EXPECT_EQ((*row)->row.characters, i);
      EXPECT_EQ((*row)->row.has_name, i % 2 == 0);
      EXPECT_EQ((*row)->host.size(), static_cast<size_t>(i) % 256);
    }
    EXPECT_EQ(cursor.Next().ValueOrDie(), nullptr);
    cursor = begin;
  }
}

TEST_F(JoinedRows, AreReadFromMemory) {
  const std::vector<NamedRow> rows(3);
  RowCursor cursor{std::span(rows)};
  for (const NamedRow& row : rows) EXPECT_EQ(cursor.Next().ValueOrDie(), &row);
  EXPECT_EQ(cursor.Next().ValueOrDie(), nullptr);
}

TEST_F(JoinedRows, AnEmptyFileHasNone) {
  SpillSpace space(root_);
  const auto file = RowFile::Create(&space);
  ASSERT_TRUE(file.ok() && (*file)->Flush().ok());
  EXPECT_EQ(RowCursor(file->get()).Next().ValueOrDie(), nullptr);
}

}  // namespace
}  // namespace uzushio
