#include "warc/member_stream.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "warc/arc.h"
#include "warc/codec.h"
#include "warc/record_start.h"

namespace uzushio {
namespace {

constexpr size_t kInitialBuffer = size_t{1} << 20;
constexpr size_t kInflationAllowance = size_t{16} << 20;
// A member of at most this many bytes is decoded at once. With fewer bytes at hand the window is filled first.
constexpr size_t kWholeMember = size_t{128} << 10;
constexpr size_t kSoundStep = size_t{64} << 10;
// Of members that are taken: how far behind the bytes that are wanted the begin of one is looked for, and how often
// what looks like one is looked into.
constexpr size_t kTakeAhead = size_t{2} << 20;
// How much has been inflated is looked at whenever a member has given as much: what comes of it is then the same,
// whatever the buffers' sizes and the parts in which the file is read.
constexpr size_t kInflationStep = kInitialBuffer / 4;
constexpr int kMostLooks = 16;

class PlainStream final : public MemberStream {
 public:
  explicit PlainStream(std::unique_ptr<InputWindow> file) : file_(std::move(file)) {}

  arrow::Result<bool> NextMember(std::span<char> /*room*/) override {
    if (started_) return false;
    started_ = true;
    ARROW_ASSIGN_OR_RAISE(auto bytes, Peek(1));
    return !bytes.empty();
  }

  void Restart(int64_t begin, int64_t end) override {
    file_->Limit(begin, end);
    started_ = false;
    state_ = StreamState::kEnd;
    decoded_position_ = began_ = begin;
  }

  void LeaveRoom() override {}

  arrow::Result<std::string_view> Peek(size_t want) override {
    ARROW_ASSIGN_OR_RAISE(auto bytes, file_->Peek(want));
    state_ = file_->position() + static_cast<int64_t>(bytes.size()) >= file_->size() ? StreamState::kEnd
                                                                                     : StreamState::kMore;
    return bytes;
  }

  void Consume(size_t bytes) override {
    file_->Consume(bytes);
    decoded_position_ += static_cast<int64_t>(bytes);
  }

  int64_t file_position() const override { return file_->position(); }
  int64_t file_size() const override { return file_->size(); }
  bool compressed() const override { return false; }
  int64_t all_decoded() const override { return decoded_position_ - began_; }
  int64_t most_left() const override { return file_->size() - file_->position(); }
  arrow::Result<std::string> RawBytes(int64_t offset, int64_t length) override { return file_->ReadAt(offset, length); }

 private:
  std::unique_ptr<InputWindow> file_;
  bool started_ = false;
  int64_t began_ = 0;  // where it was restarted last
};

class CompressedStream final : public MemberStream {
 public:
  CompressedStream(std::unique_ptr<InputWindow> file, std::unique_ptr<MemberCodec> codec, const StreamLimits& limits)
      : file_(std::move(file)), codec_(std::move(codec)), limits_(limits) {}

  arrow::Result<bool> NextMember(std::span<char> room) override {
    ARROW_RETURN_NOT_OK(FinishMember());
    if (state_ == StreamState::kGivenUp) return false;
    ARROW_ASSIGN_OR_RAISE(auto bytes, file_->Peek(kWholeMember));
    if (bytes.empty()) return false;
    member_offset_ = file_->position();
    begin_ = end_ = 0;
    room_ = nullptr;
    member_decoded_ = 0;
    state_ = StreamState::kMore;
    if (!codec_->BeginsMember(bytes)) {
      state_ = StreamState::kDamaged;
      return true;
    }
    if (const auto refused = codec_->Refuses(bytes)) {
      state_ = StreamState::kRefused;
      refusal_ = refused->reason;
      return true;
    }
    if (IsTooMuch()) {
      state_ = StreamState::kGivenUp;
      return true;
    }
    if (!DecodeWhole(bytes, room)) codec_->Begin();
    return true;
  }

  void Restart(int64_t begin, int64_t end) override {
    file_->Limit(begin, end);
    begin_ = end_ = 0;
    room_ = nullptr;
    joined_ = false;
    state_ = StreamState::kEnd;
    decoded_position_ = 0;
    all_decoded_ = 0;
  }

  void LeaveRoom() override {
    if (room_ == nullptr) return;
    const std::string_view rest = Decoded();
    if (buffer_.size() < rest.size()) buffer_.resize(std::max(kInitialBuffer, rest.size()));
    std::ranges::copy(rest, buffer_.begin());
    begin_ = 0;
    end_ = rest.size();
    room_ = nullptr;
  }

  arrow::Result<std::string_view> Peek(size_t want) override {
    while (end_ - begin_ < want) {
      if (state_ == StreamState::kEnd && joined_) ARROW_RETURN_NOT_OK(GoOnInNext());
      if (state_ != StreamState::kMore) break;
      MakeRoom(want);
      ARROW_RETURN_NOT_OK(DecodeMore());
    }
    return Decoded();
  }

  arrow::Result<bool> Join() override {
    if (state_ != StreamState::kEnd || joined_) return false;
    ARROW_ASSIGN_OR_RAISE(const auto bytes, file_->Peek(kWholeMember));
    const std::string start = StartOf(bytes);
    if (LineEnds(start) == start.size() || BeginsWithRecord(start)) return false;
    before_join_ = {file_->position(), member_offset_, decoded_position_ + static_cast<int64_t>(end_ - begin_)};
    ARROW_RETURN_NOT_OK(GoOnInNext());
    joined_ = state_ == StreamState::kMore;
    return joined_;
  }

  void Unjoin() override {
    const int64_t left = before_join_.decoded_end - decoded_position_;
    if (left < 0) decoded_position_ = before_join_.decoded_end;
    end_ = begin_ + static_cast<size_t>(std::max<int64_t>(left, 0));
    file_->Seek(before_join_.file_position);
    member_offset_ = before_join_.member_offset;
    state_ = StreamState::kEnd;
    joined_ = false;
  }

  bool is_between_members() const override { return state_ == StreamState::kEnd && begin_ == end_ && !joined_; }

  arrow::Result<bool> TakeMembers(size_t least, std::string* members) override {
    // What others decode may be as much again.
    if (!is_between_members() || !codec_->stands_alone() || all_decoded_ > MostDecodedOfFile() / 2) return false;
    ARROW_ASSIGN_OR_RAISE(const size_t size, FindEndOfMembers(least));
    if (size == 0) return false;
    ARROW_ASSIGN_OR_RAISE(const auto bytes, file_->Peek(size));
    members->assign(bytes.substr(0, size));
    file_->Consume(size);
    return true;
  }

  void GoOnAt(int64_t position, int64_t decoded) override {
    file_->Seek(position);
    begin_ = end_ = 0;
    room_ = nullptr;
    state_ = StreamState::kEnd;
    all_decoded_ += decoded - decoded_position_;
    decoded_position_ = decoded;
  }

  bool is_at_sound_end() const override {
    return state_ == StreamState::kEnd || (joined_ && state_ != StreamState::kMore && member_decoded_ == 0);
  }

  void Consume(size_t bytes) override {
    begin_ += bytes;
    decoded_position_ += static_cast<int64_t>(bytes);
  }

  int64_t file_position() const override { return file_->position(); }
  int64_t file_size() const override { return file_->size(); }
  bool compressed() const override { return true; }
  int64_t all_decoded() const override { return all_decoded_; }
  int64_t most_left() const override { return MostDecodedOfFile(); }
  arrow::Result<std::string> RawBytes(int64_t offset, int64_t length) override { return file_->ReadAt(offset, length); }

 private:
  std::string_view Decoded() const { return {(room_ != nullptr ? room_ : buffer_.data()) + begin_, end_ - begin_}; }

  // Into the room, else into the buffer, as large as it may become. What inflates to more than may be of any size is
  // decoded step by step.
  bool DecodeWhole(std::string_view bytes, std::span<char> room) {
    bool too_small = true;
    if (!room.empty() && DecodeWholeInto(room, bytes, &too_small)) {
      room_ = room.data();
      return true;
    }
    if (too_small && buffer_.empty()) buffer_.resize(kInitialBuffer);
    while (too_small) {
      const auto out = std::span(buffer_).first(std::min(buffer_.size(), kInflationAllowance));
      if (out.size() > room.size() && DecodeWholeInto(out, bytes, &too_small)) return true;
      if (buffer_.size() * 2 > std::min(limits_.max_look_ahead, kInflationAllowance)) return false;
      if (too_small) buffer_.resize(buffer_.size() * 2);
    }
    return false;
  }

  bool DecodeWholeInto(std::span<char> out, std::string_view bytes, bool* too_small) {
    const DecodeStep step = codec_->Whole(bytes, out.data(), out.size(), too_small);
    if (step.state != DecodeState::kEnd) return false;
    file_->Consume(step.consumed);
    end_ = step.produced;
    member_decoded_ = step.produced;
    all_decoded_ += static_cast<int64_t>(step.produced);
    state_ = StreamState::kEnd;
    return true;
  }

  // Room for `want` bytes from begin_, and some to decode into.
  void MakeRoom(size_t want) {
    if (begin_ > 0 && buffer_.size() - begin_ < want + kInitialBuffer / 4) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    if (buffer_.size() - begin_ < want + kInitialBuffer / 4) {
      buffer_.resize(std::max({kInitialBuffer, begin_ + want + kInitialBuffer / 4, end_ + kInitialBuffer / 4}));
    }
  }

  arrow::Status DecodeMore() {
    ARROW_ASSIGN_OR_RAISE(auto input, file_->Peek(1));
    const size_t room = std::min(buffer_.size() - end_, kInflationStep - member_decoded_ % kInflationStep);
    const DecodeStep step = codec_->Step(input, buffer_.data() + end_, room);
    file_->Consume(step.consumed);
    end_ += step.produced;
    member_decoded_ += step.produced;
    all_decoded_ += static_cast<int64_t>(step.produced);
    if (step.state == DecodeState::kEnd) {
      state_ = StreamState::kEnd;
    } else if (step.state == DecodeState::kDamaged) {
      state_ = StreamState::kDamaged;
    } else if (step.consumed == 0 && step.produced == 0) {
      state_ = input.empty() ? StreamState::kCutOff : StreamState::kDamaged;
    } else if (member_decoded_ % kInflationStep != 0) {
      return arrow::Status::OK();
    } else if (IsTooMuch()) {
      state_ = StreamState::kGivenUp;
    } else if (const auto read = static_cast<size_t>(file_->position() - member_offset_);
               member_decoded_ > kInflationAllowance && member_decoded_ / limits_.max_inflation > read) {
      state_ = StreamState::kInflated;
    }
    return arrow::Status::OK();
  }

  // Whether the file has inflated by more than it may.
  bool IsTooMuch() const { return all_decoded_ > MostDecodedOfFile(); }
  int64_t MostDecodedOfFile() const { return MostDecoded(file_->size(), limits_.max_inflation); }

  // Moves behind the current member, or to where reading can go on after damage. What inflates too much is gone
  // through, not searched for what may begin in it.
  arrow::Status FinishMember() {
    while (state_ == StreamState::kMore || state_ == StreamState::kInflated) {
      Consume(end_ - begin_);
      begin_ = end_ = 0;
      MakeRoom(1);
      ARROW_RETURN_NOT_OK(DecodeMore());
    }
    Consume(end_ - begin_);
    begin_ = end_ = 0;
    if (state_ == StreamState::kRefused) ARROW_RETURN_NOT_OK(PassFrame());
    if (state_ == StreamState::kEnd || state_ == StreamState::kGivenUp) return arrow::Status::OK();
    return FindMember();
  }

  // Begins with the next member behind the end of one. Where none that can be decoded follows, that is left to
  // NextMember.
  arrow::Status GoOnInNext() {
    ARROW_ASSIGN_OR_RAISE(const auto bytes, file_->Peek(MemberCodec::kMaxFrameHeader));
    if (!codec_->BeginsMember(bytes) || codec_->Refuses(bytes)) return arrow::Status::OK();
    LeaveRoom();
    member_offset_ = file_->position();
    member_decoded_ = 0;
    state_ = IsTooMuch() ? StreamState::kGivenUp : StreamState::kMore;
    codec_->Begin();
    return arrow::Status::OK();
  }

  // Moves behind a refused frame from block to block, so that nothing in it is taken for a member.
  arrow::Status PassFrame() {
    ARROW_ASSIGN_OR_RAISE(auto bytes, file_->Peek(MemberCodec::kMaxFrameHeader));
    const auto refused = codec_->Refuses(bytes);
    state_ = StreamState::kDamaged;  // unless its end is found
    if (!refused) return arrow::Status::OK();
    file_->Consume(refused->header_size);
    for (bool is_last = false; !is_last;) {
      ARROW_ASSIGN_OR_RAISE(bytes, file_->Peek(MemberCodec::kBlockHeader));
      const auto block = codec_->ReadBlock(bytes);
      if (!block) return arrow::Status::OK();
      is_last = block->is_last;
      const size_t checksum = is_last ? refused->checksum : refused->block_checksum;
      const int64_t next = file_->position() + static_cast<int64_t>(block->size + checksum);
      if (next > file_->size()) return arrow::Status::OK();
      file_->Seek(next);
    }
    ARROW_ASSIGN_OR_RAISE(bytes, file_->Peek(MemberCodec::kMaxFrameHeader));
    if (bytes.empty() || codec_->BeginsMember(bytes)) state_ = StreamState::kEnd;
    return arrow::Status::OK();
  }

  // Searches for the next member that decodes to a record, or to anything where members have been joined, from behind
  // the start of the damaged one: its end is not known, since a damaged member can seem to reach into those behind it.
  arrow::Status FindMember() {
    file_->Seek(member_offset_ + 1);
    const std::string_view magic = codec_->magic();
    while (true) {
      ARROW_ASSIGN_OR_RAISE(auto bytes, file_->Peek(kWholeMember));
      if (bytes.empty()) return arrow::Status::OK();
      const size_t found = bytes.find(magic);
      if (found == std::string_view::npos) {
        file_->Consume(bytes.size() < kWholeMember ? bytes.size() : bytes.size() - magic.size() + 1);
        continue;
      }
      file_->Consume(found);
      ARROW_ASSIGN_OR_RAISE(bytes, file_->Peek(kWholeMember));
      if (BeginsWithRecord(StartOf(bytes))) return arrow::Status::OK();
      all_decoded_ += static_cast<int64_t>(codec_->probe_bytes());
      if (joined_ && IsSound(bytes.substr(0, kWholeMember))) return arrow::Status::OK();
      if (IsTooMuch()) {
        state_ = StreamState::kGivenUp;
        return arrow::Status::OK();
      }
      file_->Consume(1);
    }
  }

  // How many bytes there are up to the first member with a record behind the next `least`, or to the end of the file.
  // 0: none is near.
  arrow::Result<size_t> FindEndOfMembers(size_t least) {
    const size_t most = least + kTakeAhead;
    int probes = 0;
    for (size_t at = least; at < most && probes < kMostLooks;) {
      ARROW_ASSIGN_OR_RAISE(const auto bytes, file_->Peek(at + kWholeMember));
      const bool is_rest = file_->position() + static_cast<int64_t>(bytes.size()) >= file_->size();
      const size_t found = bytes.substr(0, most).find(codec_->magic(), at);
      if (found == std::string_view::npos) {
        if (is_rest && bytes.size() <= most) return bytes.size();
        if (is_rest || bytes.size() >= most) break;
        at = bytes.size() - codec_->magic().size() + 1;
        continue;
      }
      if (BeginsWithRecord(StartOf(bytes.substr(found)))) return found;
      ++probes;
      at = found + 1;
    }
    return size_t{0};
  }

  // The first decoded bytes of what may be a member: enough to tell a record.
  std::string StartOf(std::string_view bytes) {
    std::string start(kArcLookAhead, '\0');
    start.resize(codec_->BeginsMember(bytes)
                     ? codec_->Start(bytes.substr(0, codec_->probe_bytes()), start.data(), start.size())
                     : 0);
    return start;
  }

  // Whether what may be a member can be decoded: all of it or, where it goes on behind `bytes`, these.
  bool IsSound(std::string_view bytes) {
    const bool is_rest = file_->position() + static_cast<int64_t>(bytes.size()) >= file_->size();
    std::string out(kSoundStep, '\0');
    codec_->Begin();
    while (!IsTooMuch()) {
      const DecodeStep step = codec_->Step(bytes, out.data(), out.size());
      all_decoded_ += static_cast<int64_t>(std::max(step.produced, step.consumed));  // blocks may be empty
      bytes.remove_prefix(step.consumed);
      if (step.state != DecodeState::kMore) return step.state == DecodeState::kEnd;
      if (step.consumed == 0 && step.produced == 0) return bytes.empty() && !is_rest;
    }
    return false;
  }

  std::unique_ptr<InputWindow> file_;
  std::unique_ptr<MemberCodec> codec_;
  StreamLimits limits_;
  std::string buffer_;
  const char* room_ = nullptr;  // where the member is instead of in buffer_, or null
  // The decoded bytes of the member.
  size_t begin_ = 0;
  size_t end_ = 0;
  size_t member_decoded_ = 0;
  bool joined_ = false;  // records reach over members
  // Where the first of these ended: behind it in the file, where it began, and how much had been decoded.
  struct JoinPlace {
    int64_t file_position = 0;
    int64_t member_offset = 0;
    int64_t decoded_end = 0;
  };
  JoinPlace before_join_;
  int64_t all_decoded_ = 0;
};

uint32_t LittleEndian32(std::string_view bytes) {
  uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[static_cast<size_t>(i)]);
  return value;
}

// The dictionary that a .warc.zst file may begin with: a skippable frame whose content is the dictionary, plain or
// compressed (IIPC, "WARC file compression with Zstandard", section on dictionaries). Consumes the frame.
arrow::Result<std::string> ReadZstdDictionary(InputWindow* file) {
  constexpr uint32_t kDictionaryFrame = 0x184D2A5D;
  constexpr uint32_t kMaxDictionary = 8u << 20;
  ARROW_ASSIGN_OR_RAISE(auto bytes, file->Peek(8));
  if (bytes.size() < 8 || LittleEndian32(bytes) != kDictionaryFrame) return std::string();
  const uint32_t size = LittleEndian32(bytes.substr(4));
  if (size > kMaxDictionary) return arrow::Status::Invalid("the zstd dictionary has ", size, " bytes, over 8 MiB");
  file->Consume(8);
  ARROW_ASSIGN_OR_RAISE(bytes, file->Peek(size));
  if (bytes.size() < size) return arrow::Status::Invalid("the file ends inside its zstd dictionary");
  std::string content(bytes.substr(0, size));
  file->Consume(size);
  ARROW_ASSIGN_OR_RAISE(auto codec, MakeZstdCodec({}));
  if (!content.starts_with(codec->magic())) return content;
  std::string dictionary(kMaxDictionary, '\0');
  size_t consumed = 0;
  size_t produced = 0;
  codec->Begin();
  while (true) {
    const DecodeStep step = codec->Step(std::string_view(content).substr(consumed), dictionary.data() + produced,
                                        dictionary.size() - produced);
    consumed += step.consumed;
    produced += step.produced;
    if (step.state == DecodeState::kEnd) break;
    if (step.state == DecodeState::kDamaged || (step.consumed == 0 && step.produced == 0)) {
      return arrow::Status::Invalid("the zstd dictionary at the start of the file is damaged");
    }
  }
  dictionary.resize(produced);
  return dictionary;
}

}  // namespace

std::unique_ptr<MemberStream> MemberStream::OpenGzip(std::unique_ptr<InputWindow> file, const StreamLimits& limits) {
  return std::make_unique<CompressedStream>(std::move(file), MakeGzipCodec(), limits);
}

int64_t MostDecoded(int64_t file_bytes, size_t max_inflation) {
  constexpr auto kMost = std::numeric_limits<int64_t>::max() / 2;
  const auto inflation = static_cast<int64_t>(std::min<size_t>(max_inflation, kMost));
  const bool is_any = file_bytes > kMost / std::max<int64_t>(inflation, 1);
  return is_any ? kMost : kFileInflationAllowance + inflation * file_bytes;
}

arrow::Result<std::unique_ptr<MemberStream>> MemberStream::Open(std::unique_ptr<InputWindow> file,
                                                                std::string_view name, const StreamLimits& limits) {
  ARROW_ASSIGN_OR_RAISE(auto bytes, file->Peek(kArcLookAhead));
  auto gzip = MakeGzipCodec();
  auto lz4 = MakeLz4Codec();
  ARROW_ASSIGN_OR_RAISE(auto zstd, MakeZstdCodec({}));
  const auto compressed = [&](std::unique_ptr<MemberCodec> codec) {
    return std::make_unique<CompressedStream>(std::move(file), std::move(codec), limits);
  };
  const bool is_gzip = gzip->BeginsMember(bytes);
  const bool is_lz4 = bytes.starts_with(lz4->magic());
  const bool is_zstd = zstd->BeginsMember(bytes);
  const bool unknown = !is_gzip && !is_zstd && !is_lz4 && !BeginsWithRecord(bytes);
  // A frame without content may be of either, and is a dictionary of zstd unless the name says otherwise.
  const bool is_either = is_zstd && lz4->BeginsMember(bytes);
  if (is_lz4 || ((unknown || is_either) && name.ends_with(".lz4"))) return compressed(std::move(lz4));
  if (is_gzip || (unknown && name.ends_with(".gz"))) return compressed(std::move(gzip));
  if (is_zstd || (unknown && name.ends_with(".zst"))) {
    ARROW_ASSIGN_OR_RAISE(const std::string dictionary, ReadZstdDictionary(file.get()));
    if (!dictionary.empty()) {
      ARROW_ASSIGN_OR_RAISE(zstd, MakeZstdCodec(dictionary));
    }
    return compressed(std::move(zstd));
  }
  return std::make_unique<PlainStream>(std::move(file));
}

}  // namespace uzushio
