// Web archives for tests, and what is read of them.
#pragma once

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <gtest/gtest.h>
#include <lz4frame.h>
#include <zstd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/test_support.h"
#include "warc/warc_reader.h"

namespace uzushio {

inline std::string Zstd(const std::string& data, const std::string& dictionary = {}) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_loadDictionary(context, dictionary.data(), dictionary.size());
  std::string out(ZSTD_compressBound(data.size()), '\0');
  out.resize(ZSTD_compress2(context, out.data(), out.size(), data.data(), data.size()));
  ZSTD_freeCCtx(context);
  return out;
}

// A frame with blocks of at most 2^(8 + 2 * block_size) bytes, and a checksum of all.
inline std::string Lz4(const std::string& data, uint32_t dictionary = 0, LZ4F_blockSizeID_t block_size = LZ4F_max64KB) {
  LZ4F_preferences_t preferences = LZ4F_INIT_PREFERENCES;
  preferences.frameInfo.blockSizeID = block_size;
  preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  preferences.frameInfo.dictID = dictionary;
  std::string out(LZ4F_compressFrameBound(data.size(), &preferences), '\0');
  out.resize(LZ4F_compressFrame(out.data(), out.size(), data.data(), data.size(), &preferences));
  return out;
}

inline std::string Record(const std::string& id, const std::string& content, const std::string& length = {}) {
  return "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: " + id +
         "\r\nContent-Length: " + (length.empty() ? std::to_string(content.size()) : length) + "\r\n\r\n" + content +
         "\r\n\r\n";
}

// A record as it came out of the reader, with copies of what it views.
struct Seen {
  WarcRecord::State state;
  std::string id;  // its URL where it has none
  std::string content;
  std::string reason;
  std::string raw;
  int64_t offset;
  int64_t length;

  bool operator==(const Seen&) const = default;
};

inline constexpr size_t kMaxContent = size_t{64} << 10;

struct ReadLimits {
  size_t max_content = kMaxContent;
  size_t max_inflation = 100;
};

// Each record gets `room` bytes of its own, which are overwritten before the next is read. Where a record lies there is
// told in `in_room`.
inline std::vector<Seen> ReadInRoom(const std::string& file, const std::string& name, const ReadLimits& limits,
                                    size_t room, std::vector<bool>* in_room = nullptr) {
  auto window = InputWindow::Open(std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(file)));
  auto reader = WarcReader::Open(std::move(*window), name, limits.max_content, limits.max_inflation);
  EXPECT_TRUE(reader.ok()) << reader.status();
  std::vector<Seen> records;
  WarcRecord record;
  while (true) {
    std::string bytes(room, '\0');
    const auto more = (*reader)->Next(&record, bytes);
    EXPECT_TRUE(more.ok()) << more.status();
    if (!more.ok() || !*more) return records;
    const bool bad = record.state == WarcRecord::State::kBad;
    std::string_view named;
    if (!bad) {  // of which there are no headers
      const auto id = record.headers.Find("WARC-Record-ID");
      named = id ? *id : record.headers.Get("WARC-Target-URI");
    }
    records.push_back({record.state, std::string(named), std::string(record.content), std::string(record.reason),
                       record.raw, record.offset, record.length});
    if (in_room != nullptr) {
      in_room->push_back(record.content.data() >= bytes.data() && record.content.data() <= bytes.data() + room);
    }
    std::ranges::fill(bytes, '!');
  }
}

// The same is read into room that fits all, some, or no records.
inline std::vector<Seen> ReadAll(const std::string& file, const std::string& name = "test.warc",
                                 const ReadLimits& limits = {}) {
  const auto records = ReadInRoom(file, name, limits, 0);
  for (const size_t room : {size_t{300}, size_t{20'000}, size_t{2} << 20}) {
    EXPECT_EQ(ReadInRoom(file, name, limits, room), records) << room;
  }
  return records;
}

inline std::vector<std::string> GoodIds(const std::vector<Seen>& records) {
  std::vector<std::string> ids;
  for (const Seen& record : records) {
    if (record.state == WarcRecord::State::kOk) ids.push_back(record.id);
  }
  return ids;
}

using Ids = std::vector<std::string>;
using Wrap = std::function<std::string(const std::string&)>;
inline const Wrap kPlain = [](const std::string& data) { return data; };
inline const Wrap kGzip = [](const std::string& data) { return Gzip(data); };
inline const Wrap kZstd = [](const std::string& data) { return Zstd(data); };
inline const Wrap kLz4 = [](const std::string& data) { return Lz4(data); };

// What a file with such members is called.
inline std::string NameOf(const Wrap& wrap, const std::string& name = "x.warc") {
  const std::string empty = wrap("");
  return name + (empty.empty() ? "" : empty[0] == '\x1f' ? ".gz" : empty[0] == '\x28' ? ".zst" : ".lz4");
}

inline std::string Noise(size_t size, uint32_t seed) {
  std::string noise(size, '\0');
  for (char& c : noise) {
    seed = seed * 1664525 + 1013904223;
    c = static_cast<char>(seed >> 24);
  }
  return noise;
}

}  // namespace uzushio
