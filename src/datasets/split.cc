#include "datasets/split.h"

#include <parquet/metadata.h>

namespace uzushio {

std::vector<Split> SplitsOf(const InputFile& file, const std::shared_ptr<parquet::FileMetaData>& metadata) {
  if (metadata == nullptr) return {{&file, nullptr, 0, file.size}};
  std::vector<Split> splits;
  const int groups = metadata->num_row_groups();
  splits.reserve(static_cast<size_t>(groups));
  for (int group = 0; group < groups; ++group) splits.push_back({&file, metadata, group, file.size / groups});
  return splits;
}

arrow::Status NamingFile(const InputFile& file, const arrow::Status& read, const arrow::Status& used) {
  if (!used.ok()) return used;
  return read.ok() ? read : read.WithMessage(file.name, ": ", read.message());
}

}  // namespace uzushio
