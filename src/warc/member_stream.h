// The decoded bytes of a WARC file, member by member.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "storage/input_window.h"

namespace uzushio {

// What a read past the bytes at hand would meet.
enum class StreamState {
  kMore,      // more bytes of this member
  kEnd,       // the end of this member, which is sound
  kDamaged,   // damage: the rest of this member can't be decoded, or its checksum is false
  kCutOff,    // the end of the file inside this member
  kInflated,  // the member inflates by more than the allowed ratio: it is gone through, and nothing of it shown
  kRefused,   // the member takes what a reader does not have: refusal() says what
  kGivenUp,   // the file inflates by more than files do; nothing more of it is decoded
};

struct StreamLimits {
  size_t max_look_ahead = size_t{10} << 20;  // the most that Peek is asked for
  // Decoded bytes for a byte: of a member, above 16 MiB; and of a compressed file, above kFileInflationAllowance, all
  // that is decoded again after damage included.
  size_t max_inflation = 1000;
};
inline constexpr int64_t kFileInflationAllowance = int64_t{64} << 20;
// How much a compressed file of so many bytes may inflate to.
int64_t MostDecoded(int64_t file_bytes, size_t max_inflation);

// A file as a sequence of members: the gzip members, or zstd or LZ4 frames, or the one member that an uncompressed file
// is.
class MemberStream {
 public:
  // Opens by the file's first bytes or, where these are of no known format, by the ending of its name (.gz, .zst,
  // .lz4). Fails when the file cannot be read, or its zstd dictionary is damaged.
  static arrow::Result<std::unique_ptr<MemberStream>> Open(std::unique_ptr<InputWindow> file, std::string_view name,
                                                           const StreamLimits& limits);
  // The same of gzip members, whatever the first bytes are.
  static std::unique_ptr<MemberStream> OpenGzip(std::unique_ptr<InputWindow> file, const StreamLimits& limits);
  virtual ~MemberStream() = default;

  // Moves to the next member, over what is left of the current one. After damage that is the next place where a
  // member with a record begins or, where members have been joined, one that can be decoded. False at the end of the
  // file. A member that is decoded at once, and fits, is decoded into `room`, which has to stay until LeaveRoom.
  virtual arrow::Result<bool> NextMember(std::span<char> room) = 0;
  // Forgets what was read, and goes on as if the file began at `begin` and ended at `end`.
  virtual void Restart(int64_t begin, int64_t end) = 0;
  // Where the member has ended, and no record begins with the next: goes on as if the two were one, and so with all
  // that follow. False, and nothing has changed, where a record does, or no member follows.
  virtual arrow::Result<bool> Join() { return false; }
  // Whether a member has ended, all of which is consumed, and what follows need not be a part of it.
  virtual bool is_between_members() const { return false; }
  // Takes the next members as they lie in the file, of `least` bytes or some more, up to where one with a record begins
  // or the file ends; file_position() is there then. Reading can go on only by GoOnAt. False, and nothing is taken: it
  // is not between members, no such place is near, or they are no gzip members.
  virtual arrow::Result<bool> TakeMembers(size_t /*least*/, std::string* /*members*/) { return false; }
  // Goes on at a place between members, to which the file has `decoded` decoded bytes.
  virtual void GoOnAt(int64_t /*position*/, int64_t /*decoded*/) {}
  // As if Join had not been called: goes back to the end of the member that was the current one then.
  virtual void Unjoin() {}
  // Moves what is not yet consumed out of the room; what was consumed stays there.
  virtual void LeaveRoom() = 0;

  // Decoded bytes of the member from the position: at least `want` unless state() is no longer kMore.
  virtual arrow::Result<std::string_view> Peek(size_t want) = 0;
  virtual void Consume(size_t bytes) = 0;

  StreamState state() const { return state_; }
  // Whether the decoded bytes end with a member that is sound. One that has been joined to it may be damaged, if
  // nothing of that was decoded.
  virtual bool is_at_sound_end() const { return state_ == StreamState::kEnd; }
  std::string_view refusal() const { return refusal_; }
  // Decoded bytes consumed since the start of the file, those of earlier members included.
  int64_t decoded_position() const { return decoded_position_; }
  // Where the current member begins in the file.
  int64_t member_offset() const { return member_offset_; }
  // How far the file has been read: where the member ends, once all of it is decoded.
  virtual int64_t file_position() const = 0;
  virtual int64_t file_size() const = 0;
  // Whether members are compressed, so that their place in the file is that of a record.
  virtual bool compressed() const = 0;
  // All bytes that were decoded since the last Restart, those that nobody asked for included.
  virtual int64_t all_decoded() const { return decoded_position_; }
  // More decoded bytes than these cannot follow the position.
  virtual int64_t most_left() const = 0;
  // Bytes of the file as they are.
  virtual arrow::Result<std::string> RawBytes(int64_t offset, int64_t length) = 0;

 protected:
  StreamState state_ = StreamState::kEnd;
  std::string_view refusal_;
  int64_t decoded_position_ = 0;
  int64_t member_offset_ = 0;
};

}  // namespace uzushio
