// Any bytes as a web archive: reading never fails, never crashes, and accounts for every record once.
#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <libdeflate.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bytes.h"
#include "warc/warc_reader.h"

namespace {

constexpr size_t kMostInflated = size_t{1} << 18;

std::string Deflated(std::string_view text) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(1), libdeflate_free_compressor);
  std::string out(libdeflate_gzip_compress_bound(compressor.get(), text.size()), '\0');
  out.resize(libdeflate_gzip_compress(compressor.get(), text.data(), text.size(), out.data(), out.size()));
  return out;
}

// What the sound members of a file hold; of one that is not compressed, itself.
std::string Inflated(std::string_view file) {
  if (!file.starts_with("\x1f\x8b")) return std::string(file);
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  std::string all;
  std::string member(kMostInflated, '\0');
  while (!file.empty() && all.size() < kMostInflated) {
    size_t in = 0;
    size_t out = 0;
    if (libdeflate_gzip_decompress_ex(decompressor.get(), file.data(), file.size(), member.data(), member.size(), &in,
                                      &out) != LIBDEFLATE_SUCCESS) {
      break;
    }
    all.append(member, 0, out);
    file.remove_prefix(in);
  }
  return all;
}

// Parts that each begin with the first line of a record, of WARC or ARC.
std::vector<std::string> Records(std::string_view file) {
  std::vector<std::string> records;
  while (!file.empty()) {
    const size_t arc = file.find("\nhttp:", 1);
    const size_t end = std::min(file.find("WARC/", 1), arc == std::string_view::npos ? arc : arc + 1);
    const std::string_view record = file.substr(0, end);
    records.emplace_back(record);
    file.remove_prefix(record.size());
  }
  return records;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file =
      std::make_shared<arrow::io::BufferReader>(std::make_shared<arrow::Buffer>(data, static_cast<int64_t>(size)));
  auto window = uzushio::InputWindow::Open(file).ValueOrDie();
  auto reader = uzushio::WarcReader::Open(std::move(window), "fuzz.warc.gz", size_t{1} << 16, 100);
  if (!reader.ok()) return 0;  // a damaged zstd dictionary
  uzushio::WarcRecord record;
  while (true) {
    const auto more = (*reader)->Next(&record);
    if (!more.ok()) {
      std::fprintf(stderr, "%s\n", more.status().ToString().c_str());
      std::abort();
    }
    if (!*more) break;
    if (record.offset < 0 || record.length < 0) std::abort();
    if (record.content.size() > size_t{1} << 16) std::abort();
  }
  return 0;
}

// Mutates records, not bytes of compressed ones: members are inflated, and what they hold is compressed again, as
// members of a record each, as one, or not.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  uzushio_fuzz::Chance chance(seed);
  if (chance.OneIn(3)) return LLVMFuzzerMutate(data, size, max_size);
  const std::string plain = Inflated(uzushio_fuzz::View(data, size));
  std::vector<std::string> records = Records(plain);
  static const std::vector<std::string> others = {
      "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 4\r\n\r\nHTTP\r\n\r\n",
      "WARC/1.1\r\nContent-Length: 99999999\r\n\r\n",
      "WARC/1.0\r\nContent-Length: 0\r\nContent-Length: 7\r\n\r\n",
      "\r\n",
      "Content-Length: 1\r\n",
      "WARC/1.0\r\n",
      "WARC/0.18\nwarc-type: response\ncontent-length: 1\n\nx\n\n",
      "filedesc://a.arc 0.0.0.0 20100102030405 text/plain 3\n1 0\n",
      "http://a.jp/ 192.0.2.7 20100102030405 text/html 4\nHTTP\n",
      "http://a.jp/ b 192.0.2.7 20100102030405 text/html 200 - - 0 a.arc 99999999\n"};
  uzushio_fuzz::MutateParts(&records, others, &chance);
  std::string out;
  switch (chance.Below(3)) {
    case 0:
      out = uzushio_fuzz::Joined(records);
      break;
    case 1:
      out = Deflated(uzushio_fuzz::Joined(records));
      break;
    default:
      for (const std::string& record : records) out += Deflated(record);
  }
  if (chance.OneIn(4)) out = uzushio_fuzz::Mutated(out, 8);
  return uzushio_fuzz::Put(out, data, max_size);
}
