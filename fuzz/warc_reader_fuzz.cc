// Any bytes as a WARC file: reading never fails, never crashes, and accounts for every record once.
#include <arrow/buffer.h>
#include <arrow/io/memory.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "warc/warc_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file =
      std::make_shared<arrow::io::BufferReader>(std::make_shared<arrow::Buffer>(data, static_cast<int64_t>(size)));
  auto window = uzushio::InputWindow::Open(file).ValueOrDie();
  auto reader = uzushio::WarcReader::Open(std::move(window), "fuzz.warc.gz", size_t{1} << 16, 100);
  if (!reader.ok()) return 0;  // a damaged zstd dictionary
  uzushio::WarcRecord record;
  while (true) {
    const auto more = (*reader)->Next(&record);
    if (!more.ok()) std::abort();
    if (!*more) break;
    if (record.offset < 0 || record.length < 0) std::abort();
    if (record.content.size() > size_t{1} << 16) std::abort();
  }
  return 0;
}
