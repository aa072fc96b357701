// The records of gzip members that were taken from a file (RecordReader::TakeMembers).
#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>

#include "storage/held_file.h"
#include "warc/warc_reader.h"

namespace uzushio {

// Reads them as a reader of the whole file would, as long as each is sound and holds one record and nothing else: what
// came before such members does not matter. With the first that is otherwise it ends.
class MembersReader final : public RecordReader {
 public:
  // As of WarcReader::Open.
  MembersReader(size_t max_content, size_t max_inflation) : max_content_(max_content), max_inflation_(max_inflation) {}

  // Begins with members that lie at `position` in their file. They have to stay.
  arrow::Status Begin(std::string_view members, int64_t position);
  // False: there are no more, or none that can be told without what is before these.
  arrow::Result<bool> Next(WarcRecord* record, std::span<char> room) override;

  // Behind the last record; decoded bytes are those of these members.
  MemberPlace place() const override { return place_; }
  // Whether that is where the members end.
  bool is_whole() const { return place_.position == end_; }

  int64_t file_position() const override { return place_.position; }
  int64_t file_size() const override { return end_; }
  // What these are of the file's is counted by whoever reads the file.
  int64_t decoded_bytes() const override { return 0; }
  int64_t bytes_read() const override { return 0; }

 private:
  bool IsRegular(const WarcRecord& record) const;

  size_t max_content_;
  size_t max_inflation_;
  const std::shared_ptr<HeldFile> file_ = std::make_shared<HeldFile>(nullptr, std::numeric_limits<int64_t>::max());
  std::unique_ptr<WarcReader> reader_;  // of file_; null before the first members
  int64_t begin_ = 0;
  int64_t end_ = 0;
  MemberPlace place_;
};

}  // namespace uzushio
