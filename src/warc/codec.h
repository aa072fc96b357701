// Decoders of compressed members (gzip) and frames (zstd, lz4), one step at a time.
#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace uzushio {

enum class DecodeState {
  kMore,     // there is more to decode
  kEnd,      // the member is complete and its checksum holds
  kDamaged,  // the input is no member, or a damaged one
};

struct DecodeStep {
  DecodeState state;
  size_t consumed;
  size_t produced;
};

// What a decoder of zstd keeps: frames with larger windows are refused, as RFC 9659 has it for HTTP.
inline constexpr int kMostZstdWindowBits = 23;
// The parts of a zstd frame, by which it is gone through without being decoded.
struct ZstdFrameHeader {
  uint64_t window = 0;        // in bytes
  size_t size = 0;            // of the header with the magic
  bool has_checksum = false;  // 4 bytes behind the last block
};
// The frame that `bytes` begin with (RFC 8878, section 3.1.1.1); nothing where they begin with none, or end before its
// header does, which has 18 bytes at most.
std::optional<ZstdFrameHeader> ReadZstdFrameHeader(std::string_view bytes);
struct ZstdBlockHeader {
  static constexpr size_t kSize = 3;
  size_t size = 0;  // of what follows the header
  bool is_last = false;
};
// Section 3.1.1.2; nothing where it is of a reserved type. `bytes` are three.
std::optional<ZstdBlockHeader> ReadZstdBlockHeader(std::string_view bytes);

// A member that is not decoded, since that takes what a reader does not have. It is gone through block by block.
struct RefusedFrame {
  std::string_view reason;
  size_t header_size = 0;     // with the magic
  size_t block_checksum = 0;  // bytes behind each block
  size_t checksum = 0;        // bytes behind the last block
};
struct FrameBlock {
  size_t size = 0;  // of the block with its header, without a checksum
  bool is_last = false;
};

// Decodes one member after another.
class MemberCodec {
 public:
  virtual ~MemberCodec() = default;

  // The bytes that every member of content begins with.
  virtual std::string_view magic() const = 0;
  // Whether `bytes` begin a member, one without content included.
  virtual bool BeginsMember(std::string_view bytes) const { return bytes.starts_with(magic()); }
  // Whether the member that `bytes` begin with is refused, and how its blocks are found. kMaxFrameHeader bytes do.
  virtual std::optional<RefusedFrame> Refuses(std::string_view /*bytes*/) const { return std::nullopt; }
  static constexpr size_t kMaxFrameHeader = 19;
  // The block of a refused frame that `bytes` begin with, of which kBlockHeader do; nothing where there is none.
  virtual std::optional<FrameBlock> ReadBlock(std::string_view /*bytes*/) const { return std::nullopt; }
  static constexpr size_t kBlockHeader = 4;
  // As many bytes of a member show whether it begins with a record. Junk that looks like one may cost their decoding.
  virtual size_t probe_bytes() const = 0;
  // Whether another decoder, which sees nothing of the file but some of its members, decodes these the same.
  virtual bool stands_alone() const { return false; }
  // Begins a member.
  virtual void Begin() = 0;
  // Decodes on. Makes progress whenever there is input and room for output.
  virtual DecodeStep Step(std::string_view in, char* out, size_t out_size) = 0;
  // Decodes a whole member at once, faster. Returns kMore, and has done nothing, when the member is damaged, is not
  // whole in `in`, or does not fit `out`; `output_too_small` tells the last apart.
  virtual DecodeStep Whole(std::string_view in, char* out, size_t out_size, bool* output_too_small);
  // Begins a member, of which perhaps not all is in `in`, and decodes its first bytes. Returns how many: `out_size`,
  // fewer where it ends or is damaged, or where that takes more than `in`.
  virtual size_t Start(std::string_view in, char* out, size_t out_size);
};

std::unique_ptr<MemberCodec> MakeGzipCodec();

// `dictionary` is empty, or a zstd dictionary that all frames use.
arrow::Result<std::unique_ptr<MemberCodec>> MakeZstdCodec(std::string_view dictionary);

// Frames of LZ4 ("LZ4 Frame Format Description", version 1.6.4). Those that need a dictionary are refused:
// `lz4-dictionary`. A block is at most 4 MiB, and some of it is kept.
std::unique_ptr<MemberCodec> MakeLz4Codec();

}  // namespace uzushio
