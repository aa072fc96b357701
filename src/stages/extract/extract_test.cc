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

// What stands in manifests: outputs of earlier programs are known again by it.
TEST(ExtractIdentity, NamesModelsByTheirContent) {
  ExtractConfig config;
  const auto identity = [&config] { return DeclaredExtract().IdentityOf(config).ValueOrDie(); };
  nlohmann::json plain = {
      {"languages", {"ja"}},       {"japanese_test", nullptr},  {"main_content", nullptr}, {"mark_boilerplate", false},
      {"add_title", true},         {"text", "shown"},           {"ruby", "base"},          {"charset", "tolerant"},
      {"max_page_bytes", 8 << 20}, {"max_text_bytes", 8 << 20}, {"max_inflation", 1000},   {"max_depth", 1024},
      {"max_attributes", 1024},    {"max_tree_bytes", 48 << 20}};
  EXPECT_EQ(identity(), plain);
  config.output = "elsewhere";
  config.index.reading.gap = 1;
  EXPECT_EQ(identity(), plain);
  config.options.main_content = ContentMethod::kModel;
  EXPECT_EQ(identity()["main_content"], NameOf(ContentMethod::kModel));
  EXPECT_NE(identity()["main_content"], "model");  // which one
  config.options.main_content = ContentMethod::kNone;
  config.options.no_title = true;
  plain["add_title"] = false;
  EXPECT_EQ(identity(), plain);
}

}  // namespace
}  // namespace uzushio
