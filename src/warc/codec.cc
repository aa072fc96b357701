#include "warc/codec.h"

#include <isa-l/igzip_lib.h>
#include <libdeflate.h>
#include <lz4frame.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <array>

#include "base/library_memory.h"
#include "warc/clamp32.h"
#include "warc/decoder_memory.h"

namespace uzushio {

DecodeStep MemberCodec::Whole(std::string_view /*in*/, char* /*out*/, size_t /*out_size*/, bool* output_too_small) {
  *output_too_small = false;
  return {DecodeState::kMore, 0, 0};
}

size_t MemberCodec::Start(std::string_view in, char* out, size_t out_size) {
  Begin();
  size_t produced = 0;
  while (produced < out_size && !in.empty()) {
    const DecodeStep step = Step(in, out + produced, out_size - produced);
    produced += step.produced;
    in.remove_prefix(step.consumed);
    if (step.state != DecodeState::kMore || (step.consumed == 0 && step.produced == 0)) break;
  }
  return produced;
}

std::optional<ZstdFrameHeader> ReadZstdFrameHeader(std::string_view bytes) {
  constexpr std::string_view kMagic = "\x28\xb5\x2f\xfd";
  constexpr std::array<size_t, 4> kDictionaryBytes = {0, 1, 2, 4};
  constexpr std::array<size_t, 4> kSizeBytes = {0, 2, 4, 8};
  const auto byte = [bytes](size_t at) { return uint64_t{static_cast<unsigned char>(bytes[at])}; };
  if (!bytes.starts_with(kMagic) || bytes.size() == kMagic.size()) return std::nullopt;
  const uint64_t descriptor = byte(kMagic.size());
  const bool is_single_segment = (descriptor >> 5 & 1) != 0;
  const size_t window_bytes = is_single_segment ? 0 : 1;
  const size_t size_bytes = is_single_segment && descriptor >> 6 == 0 ? 1 : kSizeBytes[descriptor >> 6];
  const size_t content_size = kMagic.size() + 1 + window_bytes + kDictionaryBytes[descriptor & 3];
  ZstdFrameHeader header{.size = content_size + size_bytes, .has_checksum = (descriptor >> 2 & 1) != 0};
  if (bytes.size() < header.size) return std::nullopt;
  if (!is_single_segment) {
    const uint64_t window = byte(kMagic.size() + 1);
    const uint64_t base = uint64_t{1} << (10 + (window >> 3));
    header.window = base + base / 8 * (window & 7);
    return header;
  }
  header.window = size_bytes == 2 ? 256 : 0;  // the content is the window
  for (size_t i = 0; i < size_bytes; ++i) header.window += byte(content_size + i) << (8 * i);
  return header;
}

std::optional<ZstdBlockHeader> ReadZstdBlockHeader(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < ZstdBlockHeader::kSize; ++i) {
    value |= uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  const uint32_t type = value >> 1 & 3;
  constexpr uint32_t kRepeated = 1;
  constexpr uint32_t kReserved = 3;
  if (type == kReserved) return std::nullopt;
  return ZstdBlockHeader{.size = type == kRepeated ? 1 : value >> 3, .is_last = (value & 1) != 0};
}

namespace {

// A frame without content, of zstd and of LZ4: magic 0x184D2A50 to 0x184D2A5F.
bool BeginsSkippableFrame(std::string_view bytes) {
  return bytes.size() >= 4 && (bytes[0] & 0xF0) == 0x50 && bytes.substr(1, 3) == "\x2a\x4d\x18";
}

// libdeflate for whole members, ISA-L for what has to be streamed.
class GzipCodec final : public MemberCodec {
 public:
  GzipCodec()
      : whole_(Allocated(libdeflate_alloc_decompressor()), &libdeflate_free_decompressor),
        stream_(std::make_unique<inflate_state>()) {}

  std::string_view magic() const override { return {"\x1f\x8b\x08", 3}; }
  // A header with a name and a comment, and the codes of a block.
  size_t probe_bytes() const override { return size_t{4} << 10; }
  bool stands_alone() const override { return true; }

  void Begin() override {
    isal_inflate_init(stream_.get());
    stream_->crc_flag = ISAL_GZIP;
  }

  DecodeStep Step(std::string_view in, char* out, size_t out_size) override {
    stream_->next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(in.data()));
    stream_->avail_in = Clamp32(in.size());
    stream_->next_out = reinterpret_cast<uint8_t*>(out);
    stream_->avail_out = Clamp32(out_size);
    const int status = isal_inflate(stream_.get());
    const size_t consumed = Clamp32(in.size()) - stream_->avail_in;
    const size_t produced = Clamp32(out_size) - stream_->avail_out;
    if (status < 0 || status == ISAL_NEED_DICT) return {DecodeState::kDamaged, consumed, produced};
    const bool finished = stream_->block_state == ISAL_BLOCK_FINISH;
    return {finished ? DecodeState::kEnd : DecodeState::kMore, consumed, produced};
  }

  DecodeStep Whole(std::string_view in, char* out, size_t out_size, bool* output_too_small) override {
    // libdeflate does not look at a checksum of the header, ISA-L does.
    constexpr size_t kFlags = 3;
    constexpr char kHasHeaderChecksum = 2;
    *output_too_small = false;
    if (in.size() > kFlags && (in[kFlags] & kHasHeaderChecksum) != 0) return {DecodeState::kMore, 0, 0};
    size_t consumed = 0;
    size_t produced = 0;
    const libdeflate_result result =
        libdeflate_gzip_decompress_ex(whole_.get(), in.data(), in.size(), out, out_size, &consumed, &produced);
    *output_too_small = result == LIBDEFLATE_INSUFFICIENT_SPACE;
    if (result != LIBDEFLATE_SUCCESS) return {DecodeState::kMore, 0, 0};
    return {DecodeState::kEnd, consumed, produced};
  }

 private:
  std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> whole_;
  std::unique_ptr<inflate_state> stream_;
};

class ZstdCodec final : public MemberCodec {
 public:
  ZstdCodec() : stream_(Allocated(ZSTD_createDCtx())) {
    ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, kMostZstdWindowBits);
  }
  ~ZstdCodec() override { ZSTD_freeDCtx(stream_); }
  ZstdCodec(const ZstdCodec&) = delete;
  ZstdCodec& operator=(const ZstdCodec&) = delete;

  bool LoadDictionary(std::string_view dictionary) {
    return !IsZstdError(ZSTD_DCtx_loadDictionary(stream_, dictionary.data(), dictionary.size()));
  }

  std::string_view magic() const override { return {"\x28\xb5\x2f\xfd", 4}; }
  // A block.
  size_t probe_bytes() const override { return size_t{128} << 10; }

  bool BeginsMember(std::string_view bytes) const override {
    return MemberCodec::BeginsMember(bytes) || BeginsSkippableFrame(bytes);
  }

  std::optional<RefusedFrame> Refuses(std::string_view bytes) const override {
    constexpr size_t kChecksum = 4;
    const auto header = ReadZstdFrameHeader(bytes);
    if (!header || header->window <= uint64_t{1} << kMostZstdWindowBits) return std::nullopt;
    return RefusedFrame{
        .reason = "zstd-window", .header_size = header->size, .checksum = header->has_checksum ? kChecksum : 0};
  }

  std::optional<FrameBlock> ReadBlock(std::string_view bytes) const override {
    const auto block = bytes.size() < ZstdBlockHeader::kSize ? std::nullopt : ReadZstdBlockHeader(bytes);
    if (!block) return std::nullopt;
    return FrameBlock{.size = ZstdBlockHeader::kSize + block->size, .is_last = block->is_last};
  }

  // The dictionary and the limit stay.
  void Begin() override { ZSTD_DCtx_reset(stream_, ZSTD_reset_session_only); }

  DecodeStep Step(std::string_view in, char* out, size_t out_size) override {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out, out_size, 0};
    const size_t left = ZSTD_decompressStream(stream_, &output, &input);
    if (IsZstdError(left)) return {DecodeState::kDamaged, input.pos, output.pos};
    return {left == 0 ? DecodeState::kEnd : DecodeState::kMore, input.pos, output.pos};
  }

 private:
  ZSTD_DCtx* stream_;
};

class Lz4Codec final : public MemberCodec {
 public:
  Lz4Codec() { static_cast<void>(IsLz4Error(LZ4F_createDecompressionContext(&stream_, LZ4F_VERSION))); }
  ~Lz4Codec() override { LZ4F_freeDecompressionContext(stream_); }
  Lz4Codec(const Lz4Codec&) = delete;
  Lz4Codec& operator=(const Lz4Codec&) = delete;

  std::string_view magic() const override { return {"\x04\x22\x4d\x18", 4}; }
  // A block of the default size; of larger ones, the literals that they begin with do.
  size_t probe_bytes() const override { return size_t{128} << 10; }

  bool BeginsMember(std::string_view bytes) const override {
    return MemberCodec::BeginsMember(bytes) || BeginsSkippableFrame(bytes);
  }

  std::optional<RefusedFrame> Refuses(std::string_view bytes) const override {
    const auto header = ReadHeader(bytes);
    if (!header || !header->has_dictionary) return std::nullopt;
    return RefusedFrame{.reason = "lz4-dictionary",
                        .header_size = header->size,
                        .block_checksum = header->block_checksum,
                        .checksum = header->checksum};
  }

  // The end mark is a block without content.
  std::optional<FrameBlock> ReadBlock(std::string_view bytes) const override {
    if (bytes.size() < kBlockHeader) return std::nullopt;
    const uint32_t size = BlockSize(bytes);
    return FrameBlock{.size = kBlockHeader + (size & ~kStored), .is_last = size == 0};
  }

  void Begin() override { LZ4F_resetDecompressionContext(stream_); }

  DecodeStep Step(std::string_view in, char* out, size_t out_size) override {
    size_t consumed = in.size();
    size_t produced = out_size;
    const size_t left = LZ4F_decompress(stream_, out, &produced, in.data(), &consumed, nullptr);
    if (IsLz4Error(left)) return {DecodeState::kDamaged, consumed, produced};
    return {left == 0 ? DecodeState::kEnd : DecodeState::kMore, consumed, produced};
  }

  size_t Start(std::string_view in, char* out, size_t out_size) override {
    const size_t produced = MemberCodec::Start(in, out, out_size);
    const auto header = ReadHeader(in);
    if (produced > 0 || !header || header->has_dictionary || in.size() < header->size + kBlockHeader) return produced;
    in.remove_prefix(header->size);
    const uint32_t size = BlockSize(in);
    in = in.substr(kBlockHeader, size & ~kStored);
    // A block that begins with a record begins with literals: nothing is before it.
    const std::string_view literals = (size & kStored) != 0 ? in : FirstLiterals(in);
    return literals.copy(out, out_size);
  }

 private:
  static constexpr uint32_t kStored = uint32_t{1} << 31;

  struct Header {
    size_t size = 0;
    bool has_dictionary = false;
    size_t block_checksum = 0;
    size_t checksum = 0;
  };

  // Of a frame whose header is sound.
  std::optional<Header> ReadHeader(std::string_view bytes) const {
    constexpr size_t kFlags = 4;
    constexpr size_t kChecksum = 4;
    if (!MemberCodec::BeginsMember(bytes) || bytes.size() <= kFlags) return std::nullopt;
    const auto flags = static_cast<unsigned char>(bytes[kFlags]);
    if (flags >> 6 != 1) return std::nullopt;
    const bool has_size = (flags & 8) != 0;
    Header header{.has_dictionary = (flags & 1) != 0,
                  .block_checksum = (flags & 16) != 0 ? kChecksum : 0,
                  .checksum = (flags & 4) != 0 ? kChecksum : 0};
    const size_t end = kFlags + 2 + (has_size ? 8 : 0) + (header.has_dictionary ? 4 : 0);
    header.size = end + 1;
    if (bytes.size() < header.size) return std::nullopt;
    const uint32_t hash = XXH32(bytes.data() + kFlags, end - kFlags, 0);
    if (static_cast<unsigned char>(bytes[end]) != (hash >> 8 & 0xFF)) return std::nullopt;
    return header;
  }

  static uint32_t BlockSize(std::string_view bytes) {
    uint32_t size = 0;
    for (size_t i = 0; i < kBlockHeader; ++i) size |= uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return size;
  }

  // Of a compressed block that may go on behind `block`.
  static std::string_view FirstLiterals(std::string_view block) {
    constexpr size_t kMore = 15;
    if (block.empty()) return {};
    size_t count = static_cast<unsigned char>(block[0]) >> 4;
    size_t at = 1;
    for (unsigned char more = 255; count >= kMore && more == 255 && at < block.size(); ++at) {
      more = static_cast<unsigned char>(block[at]);
      count += more;
    }
    return block.substr(at, count);
  }

  LZ4F_dctx* stream_ = nullptr;
};

}  // namespace

std::unique_ptr<MemberCodec> MakeLz4Codec() { return std::make_unique<Lz4Codec>(); }

std::unique_ptr<MemberCodec> MakeGzipCodec() { return std::make_unique<GzipCodec>(); }

arrow::Result<std::unique_ptr<MemberCodec>> MakeZstdCodec(std::string_view dictionary) {
  auto codec = std::make_unique<ZstdCodec>();
  if (!dictionary.empty() && !codec->LoadDictionary(dictionary)) {
    return arrow::Status::Invalid("the zstd dictionary at the start of the file is damaged");
  }
  return codec;
}

}  // namespace uzushio
