// Decoders of compressed members (gzip) and frames (zstd), one step at a time.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <memory>
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

// Decodes one member after another.
class MemberCodec {
 public:
  virtual ~MemberCodec() = default;

  // The bytes that every member of content begins with.
  virtual std::string_view magic() const = 0;
  // Whether `bytes` begin a member, one without content included.
  virtual bool BeginsMember(std::string_view bytes) const { return bytes.starts_with(magic()); }
  // Begins a member.
  virtual void Begin() = 0;
  // Decodes on. Makes progress whenever there is input and room for output.
  virtual DecodeStep Step(std::string_view in, char* out, size_t out_size) = 0;
  // Decodes a whole member at once, faster. Returns kMore, and has done nothing, when the member is damaged, is not
  // whole in `in`, or does not fit `out`; `output_too_small` tells the last apart.
  virtual DecodeStep Whole(std::string_view in, char* out, size_t out_size, bool* output_too_small);
};

std::unique_ptr<MemberCodec> MakeGzipCodec();

// `dictionary` is empty, or a zstd dictionary that all frames use.
arrow::Result<std::unique_ptr<MemberCodec>> MakeZstdCodec(std::string_view dictionary);

}  // namespace uzushio
