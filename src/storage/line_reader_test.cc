#include "storage/line_reader.h"

#include <arrow/filesystem/localfs.h>

#include <fstream>
#include <memory>
#include <string>

#include "base/stop.h"
#include "base/test_support.h"

namespace uzushio {
namespace {

constexpr size_t kMega = size_t{1} << 20;

class Lines : public FolderTest {
 protected:
  InputFile File(const std::string& name, const std::string& text) const {
    const std::string path = root_ / name;
    const std::string bytes = Gzip(text);
    std::ofstream(path, std::ios::binary) << bytes;
    return {name, path, static_cast<int64_t>(bytes.size()), std::make_shared<arrow::fs::LocalFileSystem>()};
  }
};

// A bound of the memory never makes another result of a line: it is refused, or the same comes out.
TEST_F(Lines, ThatPassTheMemoryAreRefusedUnlessTheyAreTooLongAnyway) {
  const ReaderMemory memory = {4 * kMiB, kMiB, 100 * kMiB, 4};
  ASSERT_EQ(memory.line(), kMiB);
  const InputFile file = File("a.jsonl.gz", std::string(5 * kMega, 'x').append("\nshort\n"));
  bool cut = false;
  LineReader bounded(file, 8 * kMega, memory);
  const auto refused = bounded.Next(&cut);
  ASSERT_TRUE(refused.status().IsInvalid());
  EXPECT_NE(refused.status().message().find("--memory 181MiB"), std::string::npos) << refused.status();

  for (const ReaderMemory& any : {memory, ReaderMemory{}}) {
    LineReader lines(file, 2 * kMega, any);
    auto line = lines.Next(&cut);
    ASSERT_TRUE(line.ok() && *line) << line.status();
    EXPECT_TRUE(cut);
    EXPECT_EQ((*line)->size(), kMega);
    EXPECT_EQ(lines.length(), static_cast<int64_t>(5 * kMega + 1));
    line = lines.Next(&cut);
    ASSERT_TRUE(line.ok() && *line);
    EXPECT_FALSE(cut);
    EXPECT_EQ(**line, "short");
    EXPECT_EQ(lines.offset(), static_cast<int64_t>(5 * kMega + 1));
    EXPECT_FALSE((*lines.Next(&cut)).has_value());
  }
}

TEST_F(Lines, EndWhenAskedTo) {
  const InputFile file = File("a.txt.gz", std::string(20 * kMega, 'x'));
  arrow::StopSource stop;
  const StopScope scope(stop.token());
  stop.RequestStop();
  LineReader lines(file, kMega);
  bool cut = false;
  EXPECT_TRUE(lines.Next(&cut).status().IsCancelled());
}

}  // namespace
}  // namespace uzushio
