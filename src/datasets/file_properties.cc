#include "datasets/file_properties.h"

namespace uzushio {
namespace {

// Level 3 takes 1.4 times as long and gives files 19 % smaller; these files are read once or twice and then filtered.
constexpr int kZstdLevel = 1;

}  // namespace

parquet::WriterProperties::Builder FileProperties() {
  parquet::WriterProperties::Builder builder;
  builder.compression(parquet::Compression::ZSTD)->compression_level(kZstdLevel);
  builder.disable_dictionary()->created_by("uzushio")->enable_page_checksum();
  return builder;
}

}  // namespace uzushio
