// WARC records from files, whatever state the files are in.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "warc/headers.h"
#include "warc/member_stream.h"
#include "warc/record_start.h"

namespace uzushio {

// A record, or what is left of one.
struct WarcRecord {
  enum class State {
    kOk,
    kTooLarge,  // the content passes the cap and was skipped; the header is there
    kBad,       // damaged: `reason` says how, `raw` has its bytes
  };
  State state = State::kOk;

  Headers headers;           // of kOk and kTooLarge; of ARC as WriteAsWarcHeader has them
  std::string_view header;   // of kOk: the lines that `headers` are parsed from
  std::string_view content;  // of kOk: the record's block, Content-Length bytes

  // Where the record lies. For a record alone in its compressed member, and in uncompressed files: its bytes in the
  // file. For records that share a compressed member: its bytes in the decoded file.
  int64_t offset = 0;
  int64_t length = 0;
  bool is_alone = false;  // they are bytes of the file; of kOk and kTooLarge

  std::string_view reason;  // of kBad: one of a fixed few
  std::string raw;          // of kBad: its first kMaxRawBytes bytes, compressed as they lie in the file if it is alone

  static constexpr int64_t kMaxRawBytes = int64_t{1} << 20;
};

// A place between two members of a file.
struct MemberPlace {
  int64_t position = 0;
  int64_t decoded = 0;  // bytes, up to there
  ArchiveFormat format = ArchiveFormat::kWarc;
};

// Hands out records, one after another.
class RecordReader {
 public:
  virtual ~RecordReader() = default;
  // Reads the next record; false at the end. What `record` views lives until the next call, or longer where it lies in
  // `room`: as long as that. A record is decoded there if it can be.
  virtual arrow::Result<bool> Next(WarcRecord* record, std::span<char> room) = 0;
  // Bytes of the file read, of file_size(), and bytes decoded.
  virtual int64_t file_position() const = 0;
  virtual int64_t file_size() const = 0;
  virtual int64_t decoded_bytes() const = 0;
  // Of the file, once there are no more records; and in how many requests, where that is counted.
  virtual int64_t bytes_read() const { return file_size(); }
  virtual int64_t requests() const { return 0; }

  // Takes the next members as they lie in the file, of `least` bytes or some more, from file_position() on, for another
  // reader to decode (warc/members_reader.h). False, and nothing is taken, where that is not possible, or where no end
  // of members is near. Once any are taken, reading goes on only by GoOnAt, unless more are taken.
  virtual arrow::Result<bool> TakeMembers(size_t /*least*/, std::string* /*members*/) { return false; }
  // Where reading is. Where that is not between members, it is of use to nobody.
  virtual MemberPlace place() const { return {}; }
  // Goes on there, as if all before it had been read.
  virtual void GoOnAt(const MemberPlace& /*place*/) {}
};

// Reads the records of a file of WARC, of version 0.16 (the first whose headers are named fields) to 1.1, or of ARC:
// plain, `.gz`, `.zst` or `.lz4`, with a member a record, one for all, or members that end anywhere. Which of the two
// formats it is, each member tells by its first record, or the file; its name alone where that is damaged.
//
// A record that is damaged in any way comes out as kBad, and reading goes on behind it: at the next member, or, in what
// holds several records, where the next whole one begins, with its type and length (of ARC, a whole line), and another
// record or the end behind it. What is in a record's content is never taken for a record as long as its length is true.
// Only what can't be read at all is an error.
class WarcReader final : public RecordReader {
 public:
  // `max_content` is the cap on a record's content, in bytes.
  static arrow::Result<std::unique_ptr<WarcReader>> Open(std::unique_ptr<InputWindow> file, std::string_view name,
                                                         size_t max_content, size_t max_inflation);

  // Of gzip members, whatever the first bytes are.
  static std::unique_ptr<WarcReader> OpenGzip(std::unique_ptr<InputWindow> file, size_t max_content,
                                              size_t max_inflation);

  arrow::Result<bool> Next(WarcRecord* record, std::span<char> room) override;
  arrow::Result<bool> Next(WarcRecord* record) { return Next(record, {}); }
  // Reads the record at `offset` as if the file ended behind `length` bytes, of which nothing else is read. False:
  // there is nothing but line ends. Damage is not searched for what follows it.
  arrow::Result<bool> ReadOne(int64_t offset, int64_t length, WarcRecord* record, std::span<char> room = {});

  // Goes on as if the file began at `begin`, where a member does, and ended at `end`: nothing else of it is read.
  void Restart(int64_t begin, int64_t end);

  int64_t file_position() const override { return stream_->file_position(); }
  int64_t file_size() const override { return stream_->file_size(); }
  int64_t decoded_bytes() const override { return stream_->decoded_position(); }
  arrow::Result<bool> TakeMembers(size_t least, std::string* members) override;
  MemberPlace place() const override { return {stream_->file_position(), stream_->decoded_position(), format_}; }
  void GoOnAt(const MemberPlace& place) override;
  // Whether the record was the last of its member.
  bool is_between_members() const { return stream_->is_between_members(); }
  // Those that were decoded in vain included.
  int64_t all_decoded_bytes() const { return stream_->all_decoded(); }

 private:
  WarcReader(std::unique_ptr<MemberStream> stream, size_t max_content, ArchiveFormat format)
      : stream_(std::move(stream)), max_content_(max_content), format_(format) {}

  arrow::Result<bool> BeginRecord(std::span<char> room);
  arrow::Status NextMember(std::span<char> room);
  arrow::Result<bool> Join();
  void Unjoin();
  arrow::Result<size_t> FindHeader();
  size_t HeaderSize(std::string_view bytes) const;
  void ParseHeader(std::string_view bytes, Headers* headers, std::string_view* header);
  arrow::Status ReadRecord(WarcRecord* record, size_t header_size);
  arrow::Status SkipContent(WarcRecord* record, size_t header_size, size_t length);
  void SetPlace(WarcRecord* record, bool at_end, int64_t decoded_length);
  arrow::Status Bad(WarcRecord* record, std::string_view reason, size_t from);
  void Take(std::string_view bytes, size_t count, std::string* raw);
  bool MayGoOnInside() const;
  arrow::Result<bool> MayBeLength(size_t end);
  arrow::Result<bool> SkipMember(std::string* raw);
  arrow::Result<bool> SkipToRecord(size_t from, std::string* raw);
  arrow::Result<size_t> NoRecordBytes();
  std::string_view DamageReason() const;

  std::unique_ptr<MemberStream> stream_;
  size_t max_content_;
  ArchiveFormat format_;
  int64_t record_position_ = 0;  // decoded position of the record in hand
  bool first_in_member_ = true;
  bool in_member_ = false;
  bool shares_members_ = false;  // a member has held more than one record, or a part of one
  bool begins_inside_ = false;   // the member begins with no record: a part of one, if anything
  bool has_joined_ = false;      // members, for the record in hand, which were apart before
  bool was_first_ = false;       // first_in_member_, before that
  int unjoined_ = 0;             // how often that was undone
  std::optional<int64_t> only_;  // where the one record that is read begins
  std::string header_copy_;      // of content that is skipped, and of ARC
};

}  // namespace uzushio
