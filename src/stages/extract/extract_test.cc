#include "stages/extract/extract.h"

#include <arrow/filesystem/localfs.h>

#include <fstream>

#include "base/stop.h"
#include "base/test_support.h"

namespace uzushio {
namespace {

class Extract : public FolderTest {};

TEST_F(Extract, EndsWhenAskedToInAFileWithoutPages) {
  const std::string record = "WARC/1.0\r\nWARC-Type: request\r\nContent-Length: 5\r\n\r\nGET /\r\n\r\n";
  const std::string path = root_ / "a.warc";
  std::ofstream(path, std::ios::binary) << Repeat(record, 100'000);
  ExtractConfig config;
  config.inputs = {
      {"a.warc", path, static_cast<int64_t>(record.size() * 100'000), std::make_shared<arrow::fs::LocalFileSystem>()}};
  config.output = root_ / "out";
  arrow::StopSource stop;
  const StopScope scope(stop.token());
  ExtractProgress first;
  const auto result = RunExtract(config, [&](const ExtractProgress& progress) {
    if (first.bytes_total == 0) first = progress;
    stop.RequestStop();
  });
  EXPECT_TRUE(result.status().IsCancelled()) << result.status();
  EXPECT_GT(first.bytes_total, 0);
  EXPECT_LT(first.bytes_done, first.bytes_total / 2);
}

}  // namespace
}  // namespace uzushio
